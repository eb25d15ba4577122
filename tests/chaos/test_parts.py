"""The API, beat, the disk and the clock fail in mid-tournament: the cup comes out the same."""

import os
import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from sqlalchemy import text
from support import brokers, cups, strikes
from support.brokers import Broker
from support.clocks import Clock
from support.installation import gone
from support.strikes import Attempt

from api.client import ApiError
from store.database import Database

FULL_SECONDS = 15


@pytest.fixture
def sqlite(tmp_path: Path) -> Database:
    """An empty SQLite database."""
    return Database(f"sqlite:///{tmp_path / 'fudaba.db'}")


def test_the_api_is_killed_and_started_again(
    tmp_path: Path, broker: Broker, empty: Database, rng: random.Random, undisturbed: dict[str, str]
) -> None:
    with cups.under_way(tmp_path, broker, empty) as (service, cup):
        before = strikes.in_play(empty, rng)
        service.parts["api"].kill()
        assert strikes.wait_done(empty, before) > 0
        service.start("api")
        service.wait_ready()
        cups.assert_ends_as(undisturbed, service, cup)


def test_beat_is_killed_and_then_runs_twice(
    tmp_path: Path, broker: Broker, empty: Database, rng: random.Random, undisturbed: dict[str, str]
) -> None:
    with cups.under_way(tmp_path, broker, empty) as (service, cup):
        service.parts["beat"].kill()
        # The whole worker: for a child alone its parent speaks, who may do so after the lease has ended.
        attempt = strikes.strike(empty, rng, lambda attempt: service.owner(attempt.pid).kill())
        service.start("successor")
        time.sleep(6)
        assert strikes.is_held(empty, attempt), "nobody looks for what is lost"
        assert strikes.is_expired(empty, attempt)
        for name in ("beat-1", "beat-2"):
            service.start(name)
        assert strikes.wait_taken_over(empty, attempt) < 60
        cups.assert_ends_as(undisturbed, service, cup)


def test_tables_of_another_version_stop_play_until_they_fit_again(
    tmp_path: Path, broker: Broker, empty: Database, rng: random.Random, undisturbed: dict[str, str]
) -> None:
    """As when somebody migrates in mid-tournament and the processes of the old version still run."""
    with cups.under_way(tmp_path, broker, empty) as (service, cup):
        strikes.in_play(empty, rng)
        own = _change_revision(empty, "later")
        time.sleep(2)  # what was being written then is written
        with pytest.raises(ApiError, match="later"), service.client() as client:
            client.ready()
        before = strikes.written(empty)
        time.sleep(8)
        assert strikes.written(empty) == before
        assert "the tables are at revision later" in service.logs("w0")
        _change_revision(empty, own)
        cups.assert_ends_as(undisturbed, service, cup)
        assert strikes.repeated(empty), "no attempt was lost"


def _change_revision(database: Database, revision: str) -> str:
    """Let the tables be of another revision; return the one that they were of."""
    with database.transaction() as tx:
        found = str(tx.scalar(text("SELECT version_num FROM alembic_version")))
        tx.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
    return found


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, of 48 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m,mode=700", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.needs("root")
def test_the_disk_of_the_data_folder_is_full_for_a_while(
    tmp_path: Path, small_disk: Path, rng: random.Random, undisturbed: dict[str, str]
) -> None:
    database = Database(f"sqlite:///{small_disk / 'fudaba.db'}")
    home = {"FUDABA_HOME": str(small_disk)}
    with (
        brokers.server(small_disk) as broker,
        cups.under_way(tmp_path, broker, database, **home) as (service, cup),
    ):
        attempt = strikes.in_play(database, rng)
        ballast = small_disk / "ballast"
        _fill(ballast)
        time.sleep(FULL_SECONDS)
        assert strikes.is_expired(database, attempt)
        assert "disk is full" in service.logs("w0")
        ballast.unlink()
        assert service.restart_dead() == [], "all parts outlive it, though Redis takes no writes either"
        cups.assert_ends_as(undisturbed, service, cup)
        assert any(deaths for _, _, deaths, _ in strikes.repeated(database)), "no attempt was lost"


def _fill(path: Path) -> None:
    """Write until nothing more fits."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        while True:
            os.write(descriptor, bytes(4096))
    except OSError:
        os.close(descriptor)


def _kill_child(attempt: Attempt) -> None:
    child = psutil.Process(attempt.pid)
    child.kill()
    assert gone([child])


def test_the_clock_jumps_forward_and_far_back(
    tmp_path: Path, broker: Broker, sqlite: Database, rng: random.Random, undisturbed: dict[str, str]
) -> None:
    clock = Clock(tmp_path / "clock")
    clock.set(0)
    with cups.under_way(tmp_path, broker, sqlite, **clock.variables()) as (service, cup):
        for hours in (2, -3):
            strikes.in_play(sqlite, rng, clock=clock.now)
            clock.set(hours * 3600)
            victim = strikes.strike(sqlite, rng, _kill_child, clock.now)
            assert strikes.wait_taken_over(sqlite, victim) < 60
        cups.assert_ends_as(undisturbed, service, cup)
