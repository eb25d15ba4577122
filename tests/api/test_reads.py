"""Reads: they wait for no writer."""

from collections.abc import Iterator

import pytest
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
