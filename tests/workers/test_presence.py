"""Which workers are there: counted for a minute, without Redis none."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from support import arena, brokers, databases

from workers import presence
from workers.services import Services

pytestmark = pytest.mark.integration


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Services]:
    with brokers.server(tmp_path) as server:
        services = arena.install(databases.sqlite(tmp_path), REDIS_URL=server.url)
        yield services
        services.close()


def test_workers_are_counted_for_a_minute_each_once(made: Services) -> None:
    early, late = (
        replace(made, clock=lambda: arena.NOW),
        replace(made, clock=lambda: arena.NOW + timedelta(seconds=50)),
    )
    for name in ("one", "two", "two"):
        presence.note(early, name)
    presence.note(late, "one")
    assert presence.count(late) == 2
    assert set(presence.seen(late)) == {"one", "two"}
    assert presence.count(replace(made, clock=lambda: arena.NOW + timedelta(seconds=61))) == 1


def test_without_redis_nobody_is_counted(tmp_path: Path) -> None:
    services = arena.install(databases.sqlite(tmp_path))
    presence.note(services, "one")
    assert presence.count(services) == 0
    services.close()
