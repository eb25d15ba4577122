"""Workers are killed and frozen in mid-batch: others take over, and the cup comes out the same."""

import random
from pathlib import Path

import psutil
import structlog
from support import cups, strikes
from support.brokers import Broker
from support.strikes import Attempt

from store.database import Database

TAKEN_OVER_SECONDS = 60
_log = structlog.get_logger(__name__)


def test_a_child_is_killed(
    tmp_path: Path, broker: Broker, empty: Database, rng: random.Random, undisturbed: dict[str, str]
) -> None:
    with cups.under_way(tmp_path, broker, empty) as (service, cup):
        for _ in range(2):
            attempt = strikes.strike(empty, rng, lambda attempt: psutil.Process(attempt.pid).kill())
            assert strikes.wait_taken_over(empty, attempt) < TAKEN_OVER_SECONDS
        cups.assert_ends_as(undisturbed, service, cup)


def test_a_whole_worker_is_killed_and_the_other_takes_over_with_the_usual_lease(
    tmp_path: Path, broker: Broker, empty: Database, rng: random.Random, undisturbed: dict[str, str]
) -> None:
    usual = {"FUDABA_LEASE_SECONDS": "30", "FUDABA_SWEEP_SECONDS": "2"}
    with cups.under_way(tmp_path, broker, empty, workers=2, **usual) as (service, cup):

        def kill(attempt: Attempt) -> None:
            worker = service.owner(attempt.pid)
            worker.kill()
            if not strikes.is_held(empty, attempt):  # it was done just before; there must be two again
                worker.start()

        attempt = strikes.strike(empty, rng, kill)
        seconds = strikes.wait_taken_over(empty, attempt)
        _log.info("taken_over", attempt=str(attempt), seconds=seconds)
        assert seconds < TAKEN_OVER_SECONDS
        cups.assert_ends_as(undisturbed, service, cup)


def test_all_workers_are_killed_and_others_started(
    tmp_path: Path, broker: Broker, empty: Database, rng: random.Random, undisturbed: dict[str, str]
) -> None:
    with cups.under_way(tmp_path, broker, empty, workers=2) as (service, cup):

        def kill_all(_: Attempt) -> None:
            names = [worker.name for worker in service.workers()]
            for worker in service.workers():
                worker.kill()
            for name in names:
                service.start(f"{name}+")

        attempt = strikes.strike(empty, rng, kill_all)
        assert strikes.wait_taken_over(empty, attempt) < TAKEN_OVER_SECONDS
        cups.assert_ends_as(undisturbed, service, cup)


def test_a_child_is_frozen_past_its_lease_and_then_woken(
    tmp_path: Path, broker: Broker, empty: Database, rng: random.Random, undisturbed: dict[str, str]
) -> None:
    with cups.under_way(tmp_path, broker, empty) as (service, cup):
        attempt = strikes.strike(empty, rng, lambda attempt: psutil.Process(attempt.pid).suspend())
        assert strikes.wait_taken_over(empty, attempt) < TAKEN_OVER_SECONDS
        psutil.Process(attempt.pid).resume()
        cups.assert_ends_as(undisturbed, service, cup)
        assert "batch_lease_lost" in service.logs("w0")


def test_a_whole_worker_is_frozen_past_its_leases_and_then_woken(
    tmp_path: Path, broker: Broker, empty: Database, rng: random.Random, undisturbed: dict[str, str]
) -> None:
    with cups.under_way(tmp_path, broker, empty, workers=2) as (service, cup):
        frozen: list[psutil.Process] = []

        def freeze(attempt: Attempt) -> None:
            for process in service.owner(attempt.pid).tree():
                process.suspend()
                frozen.append(process)

        attempt = strikes.strike(empty, rng, freeze)
        assert strikes.wait_taken_over(empty, attempt) < TAKEN_OVER_SECONDS
        for process in frozen:
            process.resume()
        cups.assert_ends_as(undisturbed, service, cup)
