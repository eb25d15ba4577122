"""Which workers are there, kept in Redis for a minute at a time; all of it may vanish."""

import os
import socket
from collections.abc import Mapping

import msgspec
from redis.exceptions import RedisError

from workers.services import Services

_PREFIX = "fudaba:worker:"
_SEEN = "fudaba:workers"  # when each was seen, so that counting them costs the same for any number
_KEEP_SECONDS = 60
_facts: dict[str, str] = {}


def describe(facts: Mapping[str, str]) -> None:
    """Set what this worker says of itself: its sandbox and, when there is none, the reason."""
    _facts.update(facts)


def beat(services: Services) -> None:
    """Say that this worker process is alive; nothing happens when Redis is away."""
    note(services, f"{socket.gethostname()}:{os.getpid()}")


def note(services: Services, worker: str) -> None:
    """Say that a worker process is alive; nothing happens when Redis is away."""
    pipeline = services.redis.pipeline(transaction=False)
    pipeline.set(f"{_PREFIX}{worker}", msgspec.json.encode(_facts), ex=_KEEP_SECONDS)
    pipeline.zadd(_SEEN, {worker: services.clock().timestamp()})
    try:
        pipeline.execute()
    except RedisError:
        return


def count(services: Services) -> int:
    """Return how many worker processes were seen in the last minute; 0 when Redis is away."""
    pipeline = services.redis.pipeline(transaction=False)
    pipeline.zremrangebyscore(_SEEN, "-inf", services.clock().timestamp() - _KEEP_SECONDS)
    pipeline.zcard(_SEEN)
    try:
        return int(pipeline.execute()[-1])
    except RedisError:
        return 0


def seen(services: Services) -> dict[str, dict[str, str]]:
    """Return what each worker process seen in the last minute says of itself; raises RedisError."""
    keys = list(services.redis.scan_iter(match=f"{_PREFIX}*", count=1000))
    values = services.redis.mget(keys) if keys else []
    return {
        key.decode().removeprefix(_PREFIX): msgspec.json.decode(value, type=dict[str, str])
        for key, value in zip(keys, values, strict=True)
        if value is not None
    }
