"""A tournament under way in a whole installation: controlled, listened to, told of, left by somebody."""

import http.client
import io
import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from support import installation
from support.installation import Installation, wait_finished
from support.receivers import Receiver, receiving

from api.client import Client
from engine import verify
from store.settings import Settings
from workers import wire

pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]
LISTENERS = 200
SAMPLE = Path(__file__).parents[2] / "api" / "samples" / "plain_bot.py"
LONG = {"game": "hana_awase", "options": {"rounds": 3}, "deals": 60}
PLAN = {"name": "cup", "entrants": ["house/random", "house/first", "house/greedy"], "events": [LONG]}


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    home = tmp_path_factory.mktemp("home")
    with installation.running(home, FUDABA_ALLOW_PRIVATE_ENDPOINTS="true") as running:
        yield running


@pytest.fixture
def client(up: Installation) -> Iterator[Client]:
    with Client(up.url, up.token) as client:
        yield client


def wait_told(receiver: Receiver, count: int, seconds: float = 30) -> list[str]:
    """Return the events that the receiver was told, in order, once there are so many."""
    deadline = time.monotonic() + seconds
    while len(receiver.received) < count:
        assert time.monotonic() < deadline, receiver.received
        time.sleep(0.05)
    return [headers["Fudaba-Event"] for headers, _ in receiver.received]


def test_webhooks_are_told_what_organisers_do(client: Client) -> None:
    with receiving() as receiver:
        hook = client.create_webhook(receiver.url, [f"tournament.{what}" for what in ("started", "paused")])
        draft = client.create_tournament({**PLAN, "events": [{**LONG, "deals": 6000}]})["id"]
        client.start(draft)
        assert wait_told(receiver, 1) == ["tournament.started"]
        client.pause(draft)
        wait_told(receiver, 2)
        client.test_webhook(hook["id"])
        assert wait_told(receiver, 3) == ["tournament.started", "tournament.paused", "ping"]
        for headers, body in receiver.received:
            expected = wire.signature(hook["secret"].encode(), headers["Fudaba-Timestamp"], body)
            assert headers["Fudaba-Signature"] == expected
        client.delete_webhook(hook["id"])
    client.cancel(draft)


def test_a_paused_tournament_stands_still_and_goes_on(client: Client) -> None:
    draft = client.create_tournament(PLAN)["id"]
    client.start(draft)
    client.pause(draft)
    played = -1
    while (now := client.tournament(draft)["played"]) != played:  # what was begun comes to its end
        played = now
        time.sleep(1.5)
    assert client.tournament(draft)["state"] == "paused"
    client.resume(draft)
    found = wait_finished(client, draft)
    assert found["played"] == found["matches"]
    assert [row["action"] for row in client.audit(draft)] == [
        f"tournament.{action}" for action in ("resume", "pause", "start", "create")
    ]


def test_listeners_beyond_the_cap_are_asked_to_poll_and_starve_nobody(
    up: Installation, client: Client
) -> None:
    draft = client.create_tournament(PLAN)["id"]
    client.start(draft)
    client.pause(draft)
    place, path = urlsplit(up.url), f"/api/v1/tournaments/{draft}/stream"
    with ExitStack() as open_connections:
        statuses: Counter[int] = Counter()
        for _ in range(LISTENERS):
            connection = http.client.HTTPConnection(place.netloc, timeout=30)
            open_connections.callback(connection.close)
            connection.request("GET", path)
            answer = connection.getresponse()
            statuses[answer.status] += 1
            if answer.status == 503:
                assert json.loads(answer.read())["code"] == "too_many_listeners"
        most = Settings.from_env({}).stream_listeners
        assert statuses == {200: most, 503: LISTENERS - most}
        waits = []
        for _ in range(20):
            began = time.monotonic()
            client.tournament(draft)
            waits.append(time.monotonic() - began)
        assert sorted(waits)[10] < 0.5
    client.resume(draft)
    heard = list(client.progress(draft))  # the listeners are gone, or it polls
    assert (heard[-1]["state"], heard[-1]["played"]) == ("finished", heard[-1]["matches"])


@pytest.mark.parametrize("rule", ["forfeit", "drop"])
def test_the_record_of_a_tournament_that_somebody_left_verifies(client: Client, rule: str) -> None:
    names = [client.submit_module(f"left-{rule}", "bot.py", SAMPLE.read_bytes())]
    found = client.wait_qualified(names[0]["id"], names[0]["version"])
    assert found["state"] == "qualified", found
    draft = client.create_tournament({**PLAN, "entrants": [*PLAN["entrants"], names[0]["id"]]})["id"]
    client.start(draft)
    client.withdraw(draft, 3, rule)
    finished = wait_finished(client, draft)
    assert client.withdrawals(draft)[0]["rule"] == rule
    assert finished["played"] + finished["dropped"] == finished["matches"]
    body = io.BytesIO()
    client.record(draft, body)
    summary = verify.check(body.getvalue().splitlines(keepends=True))
    assert summary.matches == finished["played"]
