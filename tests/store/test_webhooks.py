"""Webhooks: who is told of what, and how often a delivery is tried."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select
from support import arena
from support.arena import NOW
from support.owners import owner

from store import controls, deliveries, tournaments, webhooks
from store.database import Database
from store.deliveries import Outcome
from store.errors import Conflict, NotFound
from store.models.accounts import Account
from store.models.tournaments import Tournament
from store.models.webhooks import Delivery, DeliveryState, HookEvent, Webhook

ALL = [event for event in HookEvent if event is not HookEvent.PING]


@pytest.fixture
def ann(database: Database) -> Account:
    return owner(database, "ann")


def hook(database: Database, by: Account, *events: HookEvent) -> Webhook:
    with database.transaction() as tx:
        return webhooks.create(tx, by, "https://hooks.example/x", events or ALL, NOW)


def told(database: Database, webhook: Webhook) -> list[Any]:
    """Return the bodies of what a webhook is told, the first one first."""
    with database.transaction() as tx:
        rows = deliveries.page(tx, webhook.id, limit=99)
        return [json.loads(row.body) for row in rows]


def waiting(database: Database, webhook: Webhook) -> UUID:
    with database.transaction() as tx:
        return deliveries.add(tx, webhook.id, HookEvent.PING, {}, NOW).id


def outcome(status: int | None, **more: Any) -> Outcome:
    return Outcome(status=status, detail="", used_ms=5, **more)


def attempt(database: Database, delivery_id: UUID, result: Outcome, later: timedelta) -> Delivery:
    with database.transaction() as tx:
        claimed = deliveries.claim(tx, delivery_id, NOW + later)
        assert claimed is not None
        assert deliveries.finish(tx, delivery_id, claimed.attempt, result, NOW + later)
    with database.transaction() as tx:
        return tx.get_one(Delivery, delivery_id)


def test_the_life_of_a_tournament_is_told_to_all_who_want_to_know(database: Database, ann: Account) -> None:
    made = arena.install(database)
    everything, finished = hook(database, ann), hook(database, ann, HookEvent.FINISHED)
    tournament = arena.started(database)
    with database.transaction() as tx:
        controls.pause(tx, tournament.id, NOW)
        controls.resume(tx, tournament.id, NOW)
    arena.play_all(made)
    cancelled = arena.draft(database)
    with database.transaction() as tx:
        tournaments.cancel(tx, cancelled.id, NOW)
    assert sorted(body["event"] for body in told(database, everything)) == [
        "tournament.cancelled",
        "tournament.finished",
        "tournament.paused",
        "tournament.resumed",
        "tournament.started",
    ]
    (body,) = told(database, finished)
    assert body["data"] == {"tournament_id": str(tournament.id), "name": "cup", "state": "finished"}


def test_a_season_of_a_ladder_is_no_tournament(database: Database, ann: Account) -> None:
    arena.install(database)
    everything = hook(database, ann)
    draft = arena.draft(database)
    with database.transaction() as tx:
        tx.get_one(Tournament, draft.id).is_season = True
    with database.transaction() as tx:
        tournaments.cancel(tx, draft.id, NOW)
    assert told(database, everything) == []


def test_what_is_ones_own_is_told_to_nobody_else(database: Database, ann: Account) -> None:
    own, others = hook(database, ann), hook(database, owner(database, "bea"))
    with database.transaction() as tx:
        deliveries.emit(tx, HookEvent.BENCHED, {"bot": "ann/b"}, NOW, owner_id=ann.id)
    assert [body["event"] for body in told(database, own)] == ["bot.benched"]
    assert told(database, others) == []


def test_what_is_rolled_back_is_not_told(database: Database, ann: Account) -> None:
    webhook = hook(database, ann)
    with pytest.raises(ZeroDivisionError), database.transaction() as tx:
        deliveries.emit(tx, HookEvent.STARTED, {}, NOW)
        raise ZeroDivisionError
    assert told(database, webhook) == []


def test_a_webhook_that_is_off_is_told_nothing(database: Database, ann: Account) -> None:
    webhook = hook(database, ann)
    with database.transaction() as tx:
        owned = webhooks.owned(tx, webhook.id, ann)
        webhooks.change(tx, owned, url=None, events=None, is_off=True)
        assert deliveries.emit(tx, HookEvent.STARTED, {}, NOW) == []


def test_a_delivery_is_claimed_once_until_its_lease_ends(database: Database, ann: Account) -> None:
    delivery_id = waiting(database, hook(database, ann))
    found = []
    for seconds in (-1, 0, 30, 60):
        with database.transaction() as tx:
            claimed = deliveries.claim(tx, delivery_id, NOW + timedelta(seconds=seconds))
            found.append(claimed and claimed.attempt)
    assert found == [None, 1, None, 2]
    with database.transaction() as tx:
        assert not deliveries.finish(tx, delivery_id, 1, outcome(200), NOW)
        assert deliveries.finish(tx, delivery_id, 2, outcome(200), NOW)
        assert deliveries.claim(tx, delivery_id, NOW + timedelta(days=1)) is None


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (200, DeliveryState.DELIVERED),
        (204, DeliveryState.DELIVERED),
        (302, DeliveryState.FAILED),
        (400, DeliveryState.FAILED),
        (404, DeliveryState.FAILED),
        (408, DeliveryState.WAITING),
        (410, DeliveryState.FAILED),
        (429, DeliveryState.WAITING),
        (500, DeliveryState.WAITING),
        (503, DeliveryState.WAITING),
        (None, DeliveryState.WAITING),
    ],
)
def test_a_status_decides_whether_it_is_tried_again(
    database: Database, ann: Account, status: int | None, state: DeliveryState
) -> None:
    delivery = attempt(database, waiting(database, hook(database, ann)), outcome(status), timedelta(0))
    assert delivery.state is state
    assert (delivery.done_at is None) is (state is DeliveryState.WAITING)
    assert [one["status"] for one in delivery.attempts] == [status]


def test_pauses_grow_until_it_is_given_up(database: Database, ann: Account) -> None:
    delivery_id = waiting(database, hook(database, ann))
    later, pauses = timedelta(0), []
    while (delivery := attempt(database, delivery_id, outcome(500), later)).state is DeliveryState.WAITING:
        pauses.append((delivery.next_at - (NOW + later)).total_seconds())
        later = delivery.next_at - NOW
    assert pauses == [10, 40, 160, 640, 2560, 10240, 21600]
    assert (delivery.state, len(delivery.attempts)) == (DeliveryState.FAILED, 8)


def test_a_receiver_may_ask_for_a_longer_pause(database: Database, ann: Account) -> None:
    webhook = hook(database, ann)
    for asked, expected in ((120, 120), (1, 10), (10**9, 21600)):
        result = outcome(429, retry_after_seconds=asked)
        delivery = attempt(database, waiting(database, webhook), result, timedelta(0))
        assert (delivery.next_at - NOW).total_seconds() == expected


def test_what_is_due_is_found_once(database: Database, ann: Account) -> None:
    webhook = hook(database, ann)
    first, second = waiting(database, webhook), waiting(database, webhook)
    with database.transaction() as tx:
        deliveries.claim(tx, second, NOW)
    minute = timedelta(seconds=60)
    found = []
    for later in (-minute, minute * 0, minute / 2, minute):
        with database.transaction() as tx:
            now = NOW + later
            found.append(deliveries.due(tx, now=now, sent_before=now - minute, limit=9))
    assert found[:3] == [[], [first], []]
    assert set(found[3]) == {first, second}


def test_a_deleted_webhook_takes_its_deliveries_along(database: Database, ann: Account) -> None:
    webhook, kept = hook(database, ann), hook(database, ann)
    for one in (webhook, kept):
        waiting(database, one)
    with database.transaction() as tx:
        webhooks.remove(tx, webhooks.owned(tx, webhook.id, ann))
    with database.transaction() as tx:
        assert [row.webhook_id for row in tx.scalars(select(Delivery))] == [kept.id]
        with pytest.raises(NotFound):
            webhooks.shown(tx, webhook.id, ann)


def test_an_account_has_so_many(database: Database, ann: Account) -> None:
    for _ in range(webhooks.MOST_OF_ONE):
        hook(database, ann)
    with pytest.raises(Conflict):
        hook(database, ann)
    hook(database, owner(database, "bea"))
