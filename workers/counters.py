"""Counters of all processes together: each adds up its own and puts the sums into Redis, now and then.

All of it may vanish with Redis; whoever reads counters knows how to deal with one that begins anew.
"""

import threading
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from redis import Redis
from redis.exceptions import RedisError

KEY = "fudaba:counters"
_SHORT = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_LONG = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 300.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """Something that is counted, by the values of its labels."""

    help: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    """Something that takes time, counted by upper bounds in seconds and by the values of its labels."""

    help: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = _SHORT


COUNTERS: Mapping[str, Counter] = {
    "fudaba_matches_total": Counter(help="Matches whose results were written.", labels=("game",)),
    "fudaba_decisions_total": Counter(help="Decisions of those matches.", labels=("game",)),
    "fudaba_forfeits_total": Counter(help="Seats that forfeited a match.", labels=("game",)),
    "fudaba_faults_total": Counter(help="Faults of bots in those matches.", labels=("code",)),
    "fudaba_platform_faults_total": Counter(help="Groups played again since we failed, not a bot."),
    "fudaba_batches_total": Counter(help="Attempts to play a batch, by how they ended.", labels=("end",)),
    "fudaba_batches_resent_total": Counter(help="Batches that the sweep sent again."),
    "fudaba_qualifications_total": Counter(help="Versions that were tried out.", labels=("verdict",)),
    "fudaba_deliveries_total": Counter(help="Attempts to tell a webhook.", labels=("end",)),
    "fudaba_sandbox_starts_total": Counter(
        help="Processes that were started for modules.", labels=("sandbox",)
    ),
    "fudaba_slow_total": Counter(help="Work that took longer than it should.", labels=("kind",)),
}
TIMERS: Mapping[str, Timer] = {
    "fudaba_request_seconds": Timer(
        help="How long requests to the API took.", labels=("method", "route", "status")
    ),
    "fudaba_batch_seconds": Timer(help="How long batches were played.", bounds=_LONG),
    "fudaba_endpoint_seconds": Timer(help="How long exchanges with endpoints took.", labels=("end",)),
}
Field = tuple[str, tuple[str, ...], str]  # name, values of the labels, and of a timer the part
OFTEN_SECONDS, AWAY_SECONDS = 2.0, 30.0
_flush_at = 0.0
_pending: dict[Field, float] = defaultdict(float)
_lock = threading.Lock()


def add(name: str, *labels: str, amount: float = 1) -> None:
    """Count something, in this process for the time being."""
    assert len(labels) == len(COUNTERS[name].labels), name
    with _lock:
        _pending[name, labels, ""] += amount


def observe(name: str, seconds: float, *labels: str) -> None:
    """Count how long something took, in this process for the time being."""
    timer = TIMERS[name]
    assert len(labels) == len(timer.labels), name
    place = bisect_left(timer.bounds, seconds)
    bound = str(timer.bounds[place]) if place < len(timer.bounds) else "+Inf"
    with _lock:
        _pending[name, labels, bound] += 1
        _pending[name, labels, "sum"] += seconds


def flush(redis: Redis) -> bool:
    """Put what this process has counted into Redis; false while it is away: all is kept for the next time."""
    with _lock:
        taken = dict(_pending)
        _pending.clear()
    if not taken:
        return True
    try:
        pipeline = redis.pipeline(transaction=True)
        for field, amount in taken.items():
            pipeline.hincrbyfloat(KEY, msgspec.json.encode(field).decode(), amount)
        pipeline.execute()
    except RedisError:
        with _lock:
            for field, amount in taken.items():
                _pending[field] += amount
        return False
    return True


def flush_at_times(redis: Redis) -> None:
    """Flush, unless that was done a moment ago or Redis was away a while ago."""
    global _flush_at
    with _lock:
        now = time.monotonic()
        if now < _flush_at:
            return
        _flush_at = now + AWAY_SECONDS
    if flush(redis):
        _flush_at = now + OFTEN_SECONDS


def read(redis: Redis) -> dict[Field, float]:
    """Return what all processes have counted; raises RedisError."""
    found = redis.hgetall(KEY)
    return {msgspec.json.decode(field, type=Field): float(amount) for field, amount in found.items()}
