"""What writers of results wait for each other: `PYTHONPATH=.:tests python tests/benchmarks/lock_waits.py`.

Processes claim batches of one tournament in a real PostgreSQL and write results for them, as workers do,
while its list of what every connection waits for is read up to a hundred times a second. First without any
play between, which no worker comes near, on one event and on six; then with the play of a usual batch, which
is slept.
"""

import argparse
import multiprocessing
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event as Signal
from pathlib import Path

import structlog
from sqlalchemy import create_engine, select, text
from support import brokers, simulation
from support.simulation import Clock, Fleet

from store.database import Database
from store.models.matches import Batch, BatchState
from store.models.tournaments import Event
from workers import advance, batch

CASES = ((1, 1, 0.0), (2, 1, 0.0), (4, 1, 0.0), (2, 6, 0.0), (4, 6, 0.0), (8, 1, 2.0), (8, 6, 2.0))
TITLES = ("writers", "events", "play s a batch", "matches a second", "waiting for a lock", "in a transaction")
_SAMPLE_SECONDS = 0.01
_WAITS = text(
    "SELECT count(*) FILTER (WHERE wait_event_type = 'Lock'), count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a writer writes, in which events, and how long the play of a batch takes."""

    database_url: str
    redis_url: str
    events: int
    play_seconds: float


def main() -> None:
    """Measure every case and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=15.0, help="for which each case is measured")
    given = parser.parse_args()
    print(f"| {' | '.join(TITLES)} |\n{'|---:' * len(TITLES)}|", flush=True)
    for writers, events, play_seconds in CASES:
        rate, locked, busy = _measured(writers, events, play_seconds, given.seconds)
        cells = (writers, events, play_seconds, round(rate), f"{locked:.1%}", f"{busy:.1%}")
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


def _measured(writers: int, events: int, play_seconds: float, seconds: float) -> tuple[float, float, float]:
    """Return matches a second, and the shares of the writers' time that locks and the database took."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fudaba-locks-")))
        broker = stack.enter_context(brokers.server(folder))
        database, _ = stack.enter_context(simulation.database("postgresql", folder))
        place = Place(
            database_url=database.engine.url.render_as_string(hide_password=False),
            redis_url=broker.url,
            events=events,
            play_seconds=play_seconds,
        )
        made = simulation.install(database, broker.url, Clock(), batch_seconds=2)
        for tournament_id in simulation.start(made, tournaments=1, owners=20, deals=100_000):
            advance.tournament(made, tournament_id)
        made.close()
        with _writing(place, writers) as matches:
            before, begun = matches.value, time.perf_counter()
            locked, active, samples = _sampled(place.database_url, seconds)
            rate = (matches.value - before) / (time.perf_counter() - begun)
        return rate, locked / samples / writers, active / samples / writers


@contextmanager
def _writing(place: Place, writers: int) -> Iterator["Synchronized[int]"]:
    """Run writers until the block ends; yield the number of matches written so far, once all write."""
    context = multiprocessing.get_context("spawn")
    matches, stop, started = context.Value("q", 0), context.Event(), context.Barrier(writers + 1)
    processes = [
        context.Process(target=_write, args=(place, number, started, stop, matches))
        for number in range(writers)
    ]
    for process in processes:
        process.start()
    started.wait(60)
    time.sleep(2 + place.play_seconds)
    try:
        yield matches
    finally:
        stop.set()
        for process in processes:
            process.join()


def _sampled(url: str, seconds: float) -> tuple[int, int, int]:
    """Return how many connections waited for a lock, and did anything, summed over so many looks."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    locked = active = samples = 0
    deadline = time.monotonic() + seconds
    with engine.connect() as connection:
        while time.monotonic() < deadline:
            waiting, busy = connection.execute(_WAITS).one()
            locked, active, samples = locked + waiting, active + busy, samples + 1
            time.sleep(_SAMPLE_SECONDS)
    engine.dispose()
    return locked, active, samples


def _write(
    place: Place, number: int, started: multiprocessing.Barrier, stop: Signal, matches: "Synchronized[int]"
) -> None:
    """Claim batches and write their results until told to stop."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    clock, chance = Clock(), random.Random(number)
    made = simulation.install(Database(place.database_url), place.redis_url, clock, batch_seconds=2)
    fleet = Fleet(made, clock, workers=1, match_seconds=0)
    started.wait(60)
    while not stop.is_set():
        waiting = _waiting(made.database, place.events)
        job = batch.claim(made, chance.choice(waiting)) if waiting else None
        if job is None:
            time.sleep(0.005)
            continue
        time.sleep(place.play_seconds)
        played = fleet.played(job)
        assert batch.write(made, job, played, [])
        with matches.get_lock():
            matches.value += len(played)
    made.close()


def _waiting(database: Database, events: int) -> list[int]:
    """Return the batches of the first events that nobody has begun."""
    query = (
        select(Batch.id)
        .join(Event, Event.id == Batch.event_id)
        .where(Batch.state == BatchState.OPEN, Batch.attempt == 0, Event.index < events)
    )
    with database.reading() as tx:
        return list(tx.scalars(query))


if __name__ == "__main__":
    main()
