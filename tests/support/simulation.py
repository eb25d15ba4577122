"""A fleet of workers in simulated time: real messages, claims, results and sweeps; only play takes no time.

Every message goes through a real Redis as Celery sends it, every batch through the real database by the code
that workers run. What a match brings is a real match, played once for each event.
"""

import heapq
import itertools
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import psutil
from kombu import Queue
from support import arena, databases, postgres

from engine import games
from engine.match import MatchResult, play, run
from engine.policies import RandomPolicy
from engine.rng import Stream
from store import batches
from store import tournaments as store_tournaments
from store.database import Database
from store.results import Played
from workers import advance, batch, dispatch, presence, services, sweep
from workers.batch import Job
from workers.celery_app import QUEUE
from workers.services import Services

Cpu = Callable[[], float]
TEMPLATES = 8
SPREAD = 0.3  # of the logarithm of a batch's play time
SWEEP_SECONDS = 2.0
RENEW_SECONDS = 5.0


@dataclass(slots=True)
class Clock:
    """The simulated time, in seconds since the beginning."""

    seconds: float = 0.0

    def now(self) -> datetime:
        """Return the time as the services read it."""
        return arena.NOW + timedelta(seconds=self.seconds)


@dataclass(slots=True)
class Costs:
    """CPU seconds of this process by what they were spent on."""

    seconds: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        """Count the block as spent on `what`."""
        begun = time.process_time()
        try:
            yield
        finally:
            self.seconds[what] += time.process_time() - begun


@dataclass(slots=True)
class Fleet:
    """Workers that play for `match_seconds` a match; each has one batch at a time."""

    services: Services
    clock: Clock
    workers: int
    match_seconds: float
    costs: Costs = field(default_factory=Costs)
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    matches: int = 0
    batches: int = 0
    busy_seconds: float = 0.0
    _finishing: list[tuple[float, int, Any]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _swept_at: float = 0.0
    _renewed_at: float = 0.0
    _templates: dict[UUID, list[MatchResult]] = field(default_factory=dict)

    def run(self, enough: int, checkpoint: Callable[[], None], every: int) -> None:
        """Play until there are `enough` matches or nothing is left.

        `checkpoint` is told when all workers have begun, and then every so many matches.
        """
        told = 0
        with self.services.celery.connection() as connection, connection.channel() as channel:
            queue = Queue(QUEUE)(channel)
            queue.declare()
            while self.matches < enough:
                self._take(queue)
                if self.matches >= told:
                    checkpoint()
                    told += every
                if self._finishing:
                    self._finish_next()
                elif not self._is_refilled(queue):
                    return

    def _take(self, queue: Any) -> None:
        """Give a message to every worker that is free, as long as there are messages."""
        while len(self._finishing) < self.workers:
            with self.costs.of("messages"):
                message = queue.get()
            if message is None:
                return
            self._begin(message)

    def _begin(self, message: Any) -> None:
        (argument,), _, _ = message.payload
        name = message.headers["task"]
        if name == "fudaba.advance_tournament":
            with self.costs.of("opening"):
                advance.tournament(self.services, UUID(argument))
            message.ack()
            return
        assert name == "fudaba.play_batch", name
        with self.costs.of("claims"):
            job = batch.claim(self.services, argument)
        if job is None:
            message.ack()
            return
        seconds = self.match_seconds * job.claim.count * self.chance.lognormvariate(0, SPREAD)
        heapq.heappush(self._finishing, (self.clock.seconds + seconds, next(self._numbers), (job, message)))

    def _finish_next(self) -> None:
        """Go on to the next moment at which a worker is done, and write what it has played."""
        moment, _, (job, message) = heapq.heappop(self._finishing)
        self.busy_seconds += (moment - self.clock.seconds) * (len(self._finishing) + 1)
        self.clock.seconds = moment
        if moment - self._swept_at >= SWEEP_SECONDS:
            self._sweep()
        if moment - self._renewed_at >= RENEW_SECONDS:
            self._renew()
        played = self.played(job)
        with self.costs.of("results"):
            assert batch.write(self.services, job, played, [])
        with self.costs.of("messages"):
            message.ack()
        self.matches += len(played)
        self.batches += 1

    def _renew(self) -> None:
        """Keep the leases of all that play."""
        self._renewed_at, made = self.clock.seconds, self.services
        for _, _, (job, _) in self._finishing:
            with self.costs.of("renewals"), made.database.transaction() as tx:
                lease = made.settings.lease_seconds
                assert batches.renew(tx, job.claim, now=made.clock(), lease_seconds=lease)

    def _is_refilled(self, queue: Any) -> bool:
        """Sweep while all workers wait; return whether there is work again."""
        self.clock.seconds += SWEEP_SECONDS + sweep.RESEND_SECONDS
        self._sweep()
        return bool(queue.channel.client.llen(QUEUE))

    def announce(self) -> None:
        """Have all workers be seen."""
        for number in range(self.workers):
            presence.note(self.services, f"simulated:{number}")

    def _sweep(self) -> None:
        self._swept_at = self.clock.seconds
        self.announce()
        with self.costs.of("sweeps"):
            sweep.run(self.services)

    def played(self, job: Job) -> list[Played]:
        """Return results for all matches of a batch."""
        if job.event.id not in self._templates:
            self._templates[job.event.id] = list(_matches(job))
        templates = self._templates[job.event.id]
        return [Played(number=number, result=templates[number % TEMPLATES]) for number in job.claim.numbers]


def _matches(job: Job) -> Iterator[MatchResult]:
    """Play a few real matches of an event."""
    game = games.get(job.event.game)
    for number in range(TEMPLATES):
        policy = RandomPolicy(game, Stream(f"simulation/{number}"))
        match = play(game, seats=job.event.seats, options=job.event.options, seed=bytes([number]) * 32)
        yield run(match, policy.act)


def install(database: Database, redis_url: str, clock: Clock, *, batch_seconds: int) -> Services:
    """Return services on this database and broker, with the simulated time."""
    given = {"REDIS_URL": redis_url, "FUDABA_BATCH_SECONDS": str(batch_seconds)}
    made = replace(arena.install(database, **given), clock=clock.now)
    services.install(made)
    return made


def start(made: Services, *, tournaments: int, owners: int, deals: int) -> list[UUID]:
    """Start tournaments of all six games between so many entrants and ask for their first batches."""
    started = []
    entrants = tuple(arena.crowd(made.database, owners))
    events = [{"game": game.id, "deals": deals, "schedule": "balanced"} for game in games.all_games()]
    for number in range(tournaments):
        draft = arena.draft(made.database, *events, name=f"cup {number}", entrants=entrants)
        with made.database.transaction() as tx:
            store_tournaments.start(tx, draft.id, made.clock(), made.settings.batch_seconds)
            tx.after_commit(dispatch.tournament, draft.id)
        started.append(draft.id)
    return started


@contextmanager
def database(kind: str, folder: Path) -> Iterator[tuple[Database, Cpu]]:
    """Yield an empty database and the CPU seconds of its server; SQLite has none but this process."""
    if kind == "sqlite":
        yield databases.sqlite(folder), lambda: 0.0
        return
    with postgres.running() as server:
        yield databases.postgresql(server.url), lambda: sum(map(_cpu, server.processes()))


def cpu_of(pids: list[int]) -> Cpu:
    """Return what tells how many CPU seconds these processes have used."""
    processes = [psutil.Process(pid) for pid in pids]
    return lambda: sum(map(_cpu, processes))


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)
