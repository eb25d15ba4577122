"""Kills and worker counts: whatever happens to processes and Redis, the outcome is the same."""

import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from support import cups, installation, strikes
from support.installation import Installation, gone, wait_finished
from support.strikes import Attempt

from api.client import Client
from store import checks
from store.database import Database

pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]

EVENTS = [
    {"game": "hana_awase", "deals": 24},
    {"game": "seiten", "deals": 6},
    {"game": "hachinin_meri", "options": {"rounds": 2}, "deals": 4},
]


def outcome(client: Client, tournament_id: str) -> dict[str, Any]:
    """Return all that must be the same however it was played: standings and every match."""
    kept = (
        "event",
        "number",
        "deal",
        "rotation",
        "entrants",
        "scores",
        "places",
        "points",
        "forfeits",
        "faults",
    )
    standings = client.standings(tournament_id)
    return {
        "overall": standings["overall"],
        "events": [event["rows"] for event in standings["events"]],
        "matches": [[match[key] for key in kept] for match in client.matches(tournament_id)],
    }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The outcome of the cup with one worker process and no accident."""
    calm = tmp_path_factory.mktemp("calm")
    with installation.running(calm, "--workers", "1") as up, Client(up.url, up.token) as client:
        tournament_id = cups.start_cup(client, up.url, EVENTS)
        state = wait_finished(client, tournament_id)
        assert state["played"] == state["matches"] == len(list(client.matches(tournament_id)))
        return outcome(client, tournament_id)


@contextmanager
def installed(home: Path) -> Iterator[tuple[Installation, Client, Database]]:
    """Run an installation with two workers that is soon over its losses; yield what it is struck through."""
    leases = {"FUDABA_LEASE_SECONDS": "3", "FUDABA_SWEEP_SECONDS": "1"}
    with (
        installation.running(home, "--workers", "2", **leases) as up,
        Client(up.url, up.token) as client,
    ):
        database = Database(f"sqlite:///{up.home / 'fudaba.db'}")
        yield up, client, database
        database.dispose()


def test_three_worker_processes_give_the_same_outcome_as_one(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    with installation.running(tmp_path, "--workers", "3") as up, Client(up.url, up.token) as client:
        tournament_id = cups.start_cup(client, up.url, EVENTS)
        wait_finished(client, tournament_id)
        assert outcome(client, tournament_id) == undisturbed


def test_killed_workers_and_an_emptied_redis_change_nothing(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    with installed(tmp_path) as (up, client, database):
        tournament_id = cups.start_cup(client, up.url, EVENTS)
        for number, strike in enumerate((_kill_child, _kill_worker, _kill_redis)):
            strike(up, strikes.in_play(database, random.Random(number), 0.2))
        wait_finished(client, tournament_id)
        assert outcome(client, tournament_id) == undisturbed
        assert strikes.repeated(database), "no attempt was lost"


@pytest.mark.slow
def test_a_worker_killed_during_a_rerun_changes_nothing(tmp_path: Path, undisturbed: dict[str, Any]) -> None:
    """The edition is that of the same re-run without an accident, and every match was played once more."""
    with installed(tmp_path) as (up, client, database):
        tournament_id = cups.start_cup(client, up.url, EVENTS)
        wait_finished(client, tournament_id)
        client.rerun(tournament_id, {"event": 0, "reason": "to be struck"})
        strikes.strike(database, random.Random(1), lambda attempt: _kill_child(up, attempt))
        wait_finished(client, tournament_id)
        assert strikes.repeated(database), "no attempt was lost"
        assert outcome(client, tournament_id) == undisturbed
        client.rerun(tournament_id, {"event": 0, "reason": "undisturbed"})
        wait_finished(client, tournament_id)
        _, struck, calm = (edition["sha256"] for edition in client.editions(tournament_id))
        assert struck == calm
        assert not list(checks.problems(database))


def _kill_child(up: Installation, attempt: Attempt) -> None:
    """Kill the worker process that plays this attempt; its bots must end with it."""
    victim = psutil.Process(attempt.pid)
    mine = victim.children(recursive=True)
    victim.kill()
    assert gone(mine)


def _kill_worker(up: Installation, attempt: Attempt) -> None:
    """Kill all worker processes at once."""
    for process in up.named("workers.main worker"):
        with suppress(psutil.NoSuchProcess):
            process.kill()


def _kill_redis(up: Installation, attempt: Attempt) -> None:
    """Kill Redis and remove what it has kept."""
    (server,) = up.named("valkey-server")
    server.kill()
    for file in (up.home / "appendonlydir").glob("*"):
        file.unlink()
