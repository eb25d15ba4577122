"""Redis and PostgreSQL are killed, restarted and silent: play waits or goes on, and the cup ends the same."""

import random
import time
from pathlib import Path

import pytest
from support import cups, strikes
from support.brokers import Broker
from support.fleet import Fleet
from support.postgres import Server

from store.database import Database

AWAY_SECONDS = 30


def test_redis_is_killed_and_comes_back_empty(
    tmp_path: Path, broker: Broker, empty: Database, rng: random.Random, undisturbed: dict[str, str]
) -> None:
    with cups.under_way(tmp_path, broker, empty) as (service, cup):
        for seconds in (0, 3):
            strikes.strike(empty, rng, lambda _: broker.kill(forget=True))
            time.sleep(seconds)
            broker.start()
        cups.assert_ends_as(undisturbed, service, cup)


def test_redis_is_silent_for_half_a_minute(
    tmp_path: Path, broker: Broker, empty: Database, rng: random.Random, undisturbed: dict[str, str]
) -> None:
    with cups.under_way(tmp_path, broker, empty) as (service, cup):
        strikes.strike(empty, rng, lambda _: broker.freeze())
        time.sleep(AWAY_SECONDS)
        broker.thaw()
        cups.assert_ends_as(undisturbed, service, cup)


@pytest.fixture
def postgresql(server: Server) -> Database:
    """An empty PostgreSQL database, to be struck itself."""
    return Database(server.url)


@pytest.mark.needs("postgresql")
@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_postgresql_is_restarted(
    tmp_path: Path,
    broker: Broker,
    postgresql: Database,
    server: Server,
    rng: random.Random,
    undisturbed: dict[str, str],
    mode: str,
) -> None:
    with cups.under_way(tmp_path, broker, postgresql) as (service, cup):
        for seconds in (0, 3):
            strikes.in_play(postgresql, rng)
            server.stop(mode)
            time.sleep(seconds)
            server.start()
            postgresql.dispose()
        _assert_met(service)
        cups.assert_ends_as(undisturbed, service, cup)


@pytest.mark.needs("postgresql")
def test_postgresql_is_gone_for_half_a_minute(
    tmp_path: Path,
    broker: Broker,
    postgresql: Database,
    server: Server,
    rng: random.Random,
    undisturbed: dict[str, str],
) -> None:
    with cups.under_way(tmp_path, broker, postgresql) as (service, cup):
        attempt = strikes.in_play(postgresql, rng)
        server.stop()
        time.sleep(AWAY_SECONDS)
        server.start()
        postgresql.dispose()
        assert strikes.is_expired(postgresql, attempt)
        _assert_met(service)
        cups.assert_ends_as(undisturbed, service, cup)


@pytest.mark.needs("postgresql")
def test_postgresql_is_silent_for_half_a_minute(
    tmp_path: Path,
    broker: Broker,
    postgresql: Database,
    server: Server,
    rng: random.Random,
    undisturbed: dict[str, str],
) -> None:
    with cups.under_way(tmp_path, broker, postgresql) as (service, cup):
        attempt = strikes.in_play(postgresql, rng)
        server.freeze()
        time.sleep(AWAY_SECONDS)
        server.thaw()
        assert strikes.is_expired(postgresql, attempt)
        cups.assert_ends_as(undisturbed, service, cup)


def _assert_met(service: Fleet) -> None:
    """Check that a worker noticed that the database was away."""
    said = service.logs("w0")
    assert any(word in said for word in ("results_not_written", "lease_not_renewed", "OperationalError")), (
        said
    )
