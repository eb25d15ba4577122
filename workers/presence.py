"""Which workers are there, kept in Redis for a minute at a time; all of it may vanish."""

import os
import socket
from collections.abc import Mapping

import msgspec
from redis.exceptions import RedisError

from workers.services import Services

_PREFIX = "fudaba:worker:"
_KEEP_SECONDS = 60
_facts: dict[str, str] = {}


def describe(facts: Mapping[str, str]) -> None:
    """Set what this worker says of itself: its sandbox and, when there is none, the reason."""
    _facts.update(facts)


def beat(services: Services) -> None:
    """Say that this worker process is alive; nothing happens when Redis is away."""
    key = f"{_PREFIX}{socket.gethostname()}:{os.getpid()}"
    try:
        services.redis.set(key, msgspec.json.encode(_facts), ex=_KEEP_SECONDS)
    except RedisError:
        return


def seen(services: Services) -> dict[str, dict[str, str]]:
    """Return what each worker process seen in the last minute says of itself; raises RedisError."""
    keys = list(services.redis.scan_iter(match=f"{_PREFIX}*", count=1000))
    values = services.redis.mget(keys) if keys else []
    return {
        key.decode().removeprefix(_PREFIX): msgspec.json.decode(value, type=dict[str, str])
        for key, value in zip(keys, values, strict=True)
        if value is not None
    }
