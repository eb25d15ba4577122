"""Reads: they wait for no writer, and lists ask as often for many rows as for one."""

from collections.abc import Iterator

import pytest
from sqlalchemy import event as sql_event
from support import arena
from support.callers import Caller

from workers.services import Services


@pytest.fixture
def paths(services: Services, organiser: Caller) -> list[str]:
    tournament = f"/tournaments/{arena.started(services.database).id}"
    arena.play_all(services)
    bot = f"/bots/{organiser.submit({'name': 'b'}).json['id']}"
    match = f"/matches/{organiser.get(f'{tournament}/matches').json['items'][0]['id']}"
    hook = {"url": "https://93.184.215.14/", "events": ["tournament.finished"]}
    webhook = f"/webhooks/{organiser.post('/webhooks', hook).json['id']}"
    of_tournaments = ("entrants", "events", "standings", "crosstable", "matches", "editions", "audit")
    return [
        *("/accounts/me", "/tokens", "/invitations", "/bots", "/tournaments", "/webhooks", "/audit"),
        *(tournament, *(f"{tournament}/{below}" for below in of_tournaments)),
        *(bot, *(f"{bot}/{below}" for below in ("versions", "versions/1", "faults", "logs"))),
        *(f"{bot}/versions/1/source", f"{bot}/versions/1/qualification"),
        *(match, f"{match}/replay", webhook, f"{webhook}/deliveries"),
    ]


@pytest.fixture
def writer(services: Services, paths: list[str]) -> Iterator[None]:
    """Somebody who holds the lock of all writers as long as the test lasts."""
    with services.database.transaction() as tx:
        tx.connection()
        yield


def test_no_read_waits_for_a_writer(writer: None, paths: list[str], organiser: Caller) -> None:
    for path in paths:
        answer = organiser.get(path)
        assert answer.status_code == 200, (path, answer.text)


@pytest.fixture
def lists(services: Services, organiser: Caller, paths: list[str]) -> list[str]:
    """The paths of lists that have several rows."""
    bot = next(path for path in paths if path.startswith("/bots/"))
    for number in range(3):
        organiser.submit({"name": f"b{number}"})
        organiser.submit({"name": "b"}, b"def act(observation):\n    return %d\n" % number)
        organiser.post("/tokens", {})
        organiser.post("/invitations", {"uses": 1, "days": 1})
        organiser.post("/ladders", {"name": f"l{number}"})
        organiser.post("/webhooks", {"url": "https://93.184.215.14/", "events": ["tournament.finished"]})
        arena.draft(services.database)
    of_all = ("/tokens", "/invitations", "/bots", "/tournaments", "/webhooks", "/audit", "/ladders")
    return [*of_all, f"{bot}/versions", *(path for path in paths if path.endswith("/matches"))]


def test_no_list_asks_more_often_for_more_rows(
    services: Services, organiser: Caller, lists: list[str]
) -> None:
    statements: list[str] = []
    sql_event.listen(
        services.database.engine,
        "before_cursor_execute",
        lambda connection, cursor, statement, *rest: statements.append(statement),
    )
    for path in lists:
        asked = []
        for limit in (1, 3):
            statements.clear()
            rows = organiser.get(f"{path}?limit={limit}").json["items"]
            assert len(rows) == limit, path
            asked.append(len(statements))
        assert asked[0] == asked[1], path
