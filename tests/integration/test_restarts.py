"""Workers that are asked to stop: what they play is finished or handed back, and nobody waits for a lease."""

import random
from pathlib import Path

import pytest
from support import brokers, cups, fleet, strikes
from support.installation import wait_finished

from store.database import Database

EVENTS = [
    {"game": "hana_awase", "deals": 96},
    {"game": "hachinin_meri", "options": {"rounds": 2}, "deals": 12},
]
pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]


@pytest.mark.slow
@pytest.mark.parametrize("drain_seconds", ["0", "30"])
def test_a_rolling_restart_counts_no_death_and_waits_for_no_lease(tmp_path: Path, drain_seconds: str) -> None:
    """With a lease of an hour, a single batch that is not handed back would hold the cup up for so long."""
    database = Database(f"sqlite:///{tmp_path / 'fudaba.db'}")
    variables = {"FUDABA_LEASE_SECONDS": "3600", "FUDABA_DRAIN_SECONDS": drain_seconds}
    with (
        brokers.server(tmp_path) as broker,
        fleet.running(tmp_path, broker, database, **variables) as service,
        service.client() as client,
    ):
        service.start("first")
        service.start("second")
        service.wait_ready()
        cup = cups.start_cup(client, service.url, EVENTS)
        handed_back = 0
        for successor in ("third", "fourth"):
            attempt = strikes.in_play(database, random.Random(successor), 0.2)
            service.start(successor)
            worker = service.owner(attempt.pid)
            assert worker.terminate() < 30
            handed_back += service.logs(worker.name).count("batch_handed_back")
        wait_finished(client, cup)
        assert (handed_back > 0) == (drain_seconds == "0")
        repeated = strikes.repeated(database)
        assert sum(attempt - 1 for _, attempt, _, _ in repeated) == handed_back
        assert all(deaths == failures == 0 for _, _, deaths, failures in repeated)
