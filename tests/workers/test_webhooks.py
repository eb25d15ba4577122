"""Webhooks told by a worker: signed, the same in every attempt, under the rules for endpoints."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select
from support import arena
from support.owners import CODE, owner
from support.receivers import Receiver, receiving

from store import bots, deliveries, schema, uploads, webhooks
from store.database import Database
from store.models.webhooks import Delivery, DeliveryState, HookEvent, Webhook
from workers import qualification, stage, wire
from workers import webhooks as worker
from workers.services import Services


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made


def services(tmp_path: Path, *, allow_private: bool) -> Services:
    stage.close()  # that of tests before, which has other rules
    database = Database(f"sqlite:///{tmp_path / f'{allow_private}.db'}")
    schema.upgrade(database)
    made = arena.install(
        database,
        FUDABA_ALLOW_PRIVATE_ENDPOINTS=str(allow_private).lower(),
        FUDABA_HOME=str(tmp_path / "home"),
    )
    return replace(made, clock=lambda: arena.NOW)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Services]:
    yield services(tmp_path, allow_private=True)
    stage.close()


def ping(made: Services, url: str) -> UUID:
    with made.database.transaction() as tx:
        by = bots.by_reference(tx, "house/first").owner
        hook = webhooks.create(tx, by, url, [HookEvent.FINISHED], arena.NOW)
        return deliveries.add(tx, hook.id, HookEvent.PING, {"x": 1}, arena.NOW).id


def delivery(made: Services, delivery_id: UUID) -> Delivery:
    with made.database.transaction() as tx:
        return tx.get_one(Delivery, delivery_id)


@pytest.mark.parametrize(("status", "body"), [(200, b"<p>thanks</p>"), (200, b"{}"), (202, b""), (204, b"")])
def test_any_2xx_takes_it_whatever_it_says(
    made: Services, receiver: Receiver, status: int, body: bytes
) -> None:
    receiver.status, receiver.body = status, body
    delivery_id = ping(made, receiver.url)
    for _ in range(2):  # a message that comes twice changes nothing
        worker.deliver(made, delivery_id)
    found = delivery(made, delivery_id)
    assert (found.state, len(receiver.received)) == (DeliveryState.DELIVERED, 1)
    assert [(one["status"], one["detail"]) for one in found.attempts] == [(status, "")]


def test_it_is_signed_and_names_event_and_delivery(made: Services, receiver: Receiver) -> None:
    delivery_id = ping(made, receiver.url)
    worker.deliver(made, delivery_id)
    ((headers, body),) = receiver.received
    assert (headers["Fudaba-Event"], headers["Fudaba-Delivery"]) == ("ping", str(delivery_id))
    assert json.loads(body)["id"] == str(delivery_id)
    assert json.loads(body)["data"] == {"x": 1}
    with made.database.transaction() as tx:
        hook = tx.scalars(select(Webhook)).one()
    expected = wire.signature(hook.secret.encode(), headers["Fudaba-Timestamp"], body)
    assert headers["Fudaba-Signature"] == expected


def test_it_is_sent_again_with_the_same_id_and_text(made: Services, receiver: Receiver) -> None:
    receiver.status, receiver.headers = 503, {"Retry-After": "30"}
    delivery_id = ping(made, receiver.url)
    worker.deliver(made, delivery_id)
    worker.deliver(made, delivery_id)  # not due yet
    assert delivery(made, delivery_id).next_at == arena.NOW + timedelta(seconds=30)
    receiver.status, receiver.headers = 200, {}
    later = replace(made, clock=lambda: arena.NOW + timedelta(seconds=30))
    worker.deliver(later, delivery_id)
    assert delivery(made, delivery_id).state is DeliveryState.DELIVERED
    first, second = receiver.received
    assert first[1] == second[1]
    assert first[0]["Fudaba-Delivery"] == second[0]["Fudaba-Delivery"]


@pytest.mark.parametrize(
    ("status", "headers"), [(301, {"Location": "http://127.0.0.1:1/"}), (400, {}), (410, {})]
)
def test_what_is_refused_is_not_sent_again(
    made: Services, receiver: Receiver, status: int, headers: dict[str, str]
) -> None:
    receiver.status, receiver.headers = status, headers
    delivery_id = ping(made, receiver.url)
    worker.deliver(made, delivery_id)
    found = delivery(made, delivery_id)
    assert (found.state, found.attempts[0]["status"]) == (DeliveryState.FAILED, status)
    assert found.attempts[0]["detail"]
    assert len(receiver.received) == 1


def test_a_receiver_that_is_away_is_tried_again(made: Services) -> None:
    delivery_id = ping(made, "http://127.0.0.1:1/")
    worker.deliver(made, delivery_id)
    found = delivery(made, delivery_id)
    assert (found.state, found.attempts[0]["status"]) == (DeliveryState.WAITING, None)


def test_an_address_that_is_not_public_is_never_connected_to(tmp_path: Path, receiver: Receiver) -> None:
    strict = services(tmp_path, allow_private=False)
    delivery_id = ping(strict, receiver.url)
    try:
        worker.deliver(strict, delivery_id)
    finally:
        stage.close()
    assert receiver.received == []
    assert "127.0.0.1" in delivery(strict, delivery_id).attempts[0]["detail"]


def test_the_owner_is_told_how_a_version_fared(made: Services) -> None:
    ann = owner(made.database, "ann")
    with made.database.transaction() as tx:
        events = [HookEvent.QUALIFIED, HookEvent.REFUSED]
        hook = webhooks.create(tx, ann, "https://hooks.example/x", events, arena.NOW)
        upload = uploads.inspect(CODE, "bot.py")
        version = bots.submit_module(tx, ann, "b", upload, CODE, ["sutda"], arena.NOW)
    qualification.run(made, version.id)  # no sandbox was chosen in this process, so it is refused
    with made.database.transaction() as tx:
        (row,) = deliveries.page(tx, hook.id, limit=9)
    body: Any = json.loads(row.body)
    assert (body["event"], body["data"]["bot"], body["data"]["version"]) == ("version.refused", "ann/b", 1)
    assert body["data"]["reason"]
