"""A storm: everything fails at random, again and again, and every cup comes out the same."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest
import structlog
from support import cups, strikes
from support.brokers import Broker
from support.fleet import Fleet
from support.installation import wait_finished
from support.postgres import Server
from support.strikes import Attempt, NothingPlayed

from api.client import Client
from store.database import Database

PAUSE_SECONDS = (0.5, 4.0)
LULL_SECONDS = 5.0
SILENCE_SECONDS = (0.5, 8.0)
_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Storm:
    """Blows at one service, each at a random moment of a random attempt; every part comes back."""

    service: Fleet
    broker: Broker
    server: Server
    rng: random.Random
    dealt: dict[str, int] = field(default_factory=dict)

    def strike(self) -> None:
        """Deal one blow to an attempt in play; none when nothing is played, since the cup is over."""
        blow = self.rng.choice(self._blows())
        database = self.service.database
        try:
            attempt = strikes.in_play(database, self.rng, wait_seconds=LULL_SECONDS)
        except NothingPlayed:
            return
        blow(attempt)
        database.dispose()
        self.dealt[blow.__name__] = self.dealt.get(blow.__name__, 0) + 1
        _log.info("struck", blow=blow.__name__, attempt=str(attempt))

    def _blows(self) -> list[Callable[[Attempt], None]]:
        return [
            *(self.kill_child, self.kill_worker, self.kill_all_workers, self.freeze_child),
            *(self.stop_worker, self.empty_redis, self.silence_redis, self.kill_api, self.kill_beat),
            *(self.crash_postgresql, self.silence_postgresql),
        ]

    def kill_child(self, attempt: Attempt) -> None:
        psutil.Process(attempt.pid).kill()

    def kill_worker(self, attempt: Attempt) -> None:
        worker = self.service.owner(attempt.pid)
        worker.kill()
        worker.start()

    def kill_all_workers(self, attempt: Attempt) -> None:
        workers = self.service.workers()
        for worker in workers:
            worker.kill()
        for worker in workers:
            worker.start()

    def stop_worker(self, attempt: Attempt) -> None:
        worker = self.service.owner(attempt.pid)
        worker.terminate()
        worker.start()

    def freeze_child(self, attempt: Attempt) -> None:
        child = psutil.Process(attempt.pid)
        child.suspend()
        time.sleep(self.rng.uniform(*SILENCE_SECONDS))
        child.resume()

    def empty_redis(self, attempt: Attempt) -> None:
        self.broker.kill(forget=True)
        time.sleep(self.rng.uniform(0, 2))
        self.broker.start()

    def silence_redis(self, attempt: Attempt) -> None:
        self.broker.freeze()
        time.sleep(self.rng.uniform(*SILENCE_SECONDS))
        self.broker.thaw()

    def kill_api(self, attempt: Attempt) -> None:
        self.service.parts["api"].kill()
        self.service.parts["api"].start()
        self.service.wait_ready()

    def kill_beat(self, attempt: Attempt) -> None:
        self.service.parts["beat"].kill()
        self.service.parts["beat"].start()

    def crash_postgresql(self, attempt: Attempt) -> None:
        self.server.stop()
        time.sleep(self.rng.uniform(0, 2))
        self.server.start()

    def silence_postgresql(self, attempt: Attempt) -> None:
        self.server.freeze()
        time.sleep(self.rng.uniform(*SILENCE_SECONDS))
        self.server.thaw()


@pytest.mark.needs("postgresql")
def test_every_cup_of_a_storm_comes_out_the_same(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    broker: Broker,
    server: Server,
    rng: random.Random,
    undisturbed: dict[str, str],
) -> None:
    end = time.monotonic() + request.config.getoption("--storm-seconds")
    database = Database(server.url)
    with (
        cups.under_way(tmp_path, broker, database, workers=2) as (service, cup),
        service.client() as client,
    ):
        storm = Storm(service, broker, server, rng)
        (bot,) = (bot["id"] for bot in client.bots(owner="ann"))
        while True:
            while time.monotonic() < end and _is_running(client, cup):
                storm.strike()
                time.sleep(rng.uniform(*PAUSE_SECONDS))
            wait_finished(client, cup, 300)
            assert cups.fingerprint(database, cup) == undisturbed
            if time.monotonic() >= end:
                break
            cup = cups.start(client, bot, cups.EVENTS)
        repeated = strikes.repeated(database)
        _log.info("storm_over", dealt=storm.dealt, batches_repeated=len(repeated))
        assert any(deaths for _, _, deaths, _ in repeated), "no attempt was lost"


def _is_running(client: Client, cup: str) -> bool:
    return bool(client.tournament(cup)["state"] == "running")
