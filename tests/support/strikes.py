"""Striking a batch in mid-play at a random, logged moment, and what its attempt has come to."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog
from sqlalchemy import func, select

from store.database import Database
from store.models.matches import Batch, BatchState, Result

WAIT_SECONDS = 120
_LOOK_SECONDS = 0.02
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """An attempt at a batch that was being played: by which process, and for how long when it was struck."""

    batch_id: int
    number: int
    pid: int
    played_seconds: float

    def __str__(self) -> str:
        who = f"attempt {self.number} of batch {self.batch_id} by process {self.pid}"
        return f"{who}, {self.played_seconds:.3f} s after it was seen"


class NothingPlayed(AssertionError):
    """No batch was played for as long as one was waited for."""


def utc_now() -> datetime:
    """Return the present time."""
    return datetime.now(UTC)


def in_play(
    database: Database,
    rng: random.Random,
    longest_seconds: float = 1.0,
    clock: Callable[[], datetime] = utc_now,
    wait_seconds: float = WAIT_SECONDS,
) -> Attempt:
    """Wait for a batch that is played, then for a random while in which it is not finished.

    Raises NothingPlayed when there is none for so long.
    """
    deadline = time.monotonic() + wait_seconds
    passed_over = set(_played(database, clock()))  # of unknown age
    while time.monotonic() < deadline:
        fresh = [one for one in _played(database, clock()) if one not in passed_over]
        if not fresh:
            time.sleep(_LOOK_SECONDS)
            continue
        batch_id, number, pid = rng.choice(fresh)
        seconds = rng.uniform(0, longest_seconds)
        time.sleep(seconds)
        attempt = Attempt(batch_id=batch_id, number=number, pid=pid, played_seconds=seconds)
        if is_held(database, attempt):
            return attempt
        passed_over.update(fresh)
    raise NothingPlayed


def is_held(database: Database, attempt: Attempt) -> bool:
    """Return whether the batch is still as the attempt left it: open, with its lease."""
    with database.reading() as tx:
        batch = tx.get_one(Batch, attempt.batch_id)
        return (
            batch.state is BatchState.OPEN
            and batch.attempt == attempt.number
            and batch.lease_until is not None
        )


def is_expired(database: Database, attempt: Attempt) -> bool:
    """Return whether the lease of the attempt has run out."""
    with database.reading() as tx:
        lease = tx.get_one(Batch, attempt.batch_id).lease_until
        return lease is None or lease < datetime.now(UTC)


def wait_taken_over(database: Database, attempt: Attempt) -> float:
    """Wait until somebody else has claimed the batch and return how long that took."""
    began = time.monotonic()
    while time.monotonic() < began + WAIT_SECONDS:
        with database.reading() as tx:
            batch = tx.get_one(Batch, attempt.batch_id)
            if batch.attempt > attempt.number or batch.state is not BatchState.OPEN:
                assert batch.deaths > 0, "a lease was lost"
                return time.monotonic() - began
        time.sleep(_LOOK_SECONDS)
    raise AssertionError(f"nobody takes over: {attempt}")


def wait_done(database: Database, attempt: Attempt) -> float:
    """Wait until the batch is done and return how long that took."""
    began = time.monotonic()
    while time.monotonic() < began + WAIT_SECONDS:
        with database.reading() as tx:
            if tx.get_one(Batch, attempt.batch_id).state is BatchState.DONE:
                return time.monotonic() - began
        time.sleep(_LOOK_SECONDS)
    raise AssertionError(f"not done: {attempt}")


def written(database: Database) -> int:
    """Return how many matches have a result."""
    with database.reading() as tx:
        return tx.scalar(select(func.count()).select_from(Result)) or 0


def repeated(database: Database) -> list[tuple[int, int, int, int]]:
    """Return id, attempt, deaths and failures of every batch that was not finished by its first attempt."""
    with database.reading() as tx:
        rows = tx.scalars(select(Batch).where(Batch.attempt > 1).order_by(Batch.id))
        return [(row.id, row.attempt, row.deaths, row.failures) for row in rows]


def strike(
    database: Database,
    rng: random.Random,
    blow: Callable[[Attempt], object],
    clock: Callable[[], datetime] = utc_now,
) -> Attempt:
    """Deal blows to attempts in mid-play until one of them is lost by it; log and return that attempt."""
    for _ in range(20):
        attempt = in_play(database, rng, clock=clock)
        blow(attempt)
        if is_held(database, attempt):
            _log.info("struck", attempt=str(attempt))
            return attempt
    raise AssertionError("no blow met an attempt")


def _played(database: Database, now: datetime) -> list[tuple[int, int, int]]:
    """Return id, attempt and process of the batches whose lease runs."""
    query = select(Batch).where(Batch.state == BatchState.OPEN, Batch.lease_until > now)
    with database.reading() as tx:
        return [
            (row.id, row.attempt, int(str(row.owner).rsplit(":", 1)[1]))
            for row in tx.scalars(query.order_by(Batch.id))
        ]
