"""How many exchanges with one endpoint are in flight, held over all workers together in Redis."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from uuid import UUID

from redis import Redis
from redis.exceptions import RedisError

from workers.runtimes.line import LocalSlots

HOLD_SECONDS = 60  # longer than any exchange; a slot whose worker was killed is free after it
AWAY_SECONDS = 5  # a Redis that did not answer is not asked again for so long
_WAIT_SECONDS = (0.002, 0.05)

# A sorted set per endpoint: holder -> the time at which its slot is free whatever happens.
_TAKE = """
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[4])
redis.call('EXPIRE', KEYS[1], 2 * ARGV[5])
return 1
"""


class SharedSlots:
    """The slots of one endpoint; while Redis is away they hold within this process alone."""

    def __init__(self, redis: Redis, version_id: UUID, count: int) -> None:
        self._redis = redis
        self._key = f"fudaba:slots:{version_id}"
        self._count = count
        self._local = LocalSlots(count)
        self._take = redis.register_script(_TAKE)
        self._away_until = 0.0

    def slot(self) -> AbstractAsyncContextManager[None]:
        """Return a context that waits for a free slot and holds it."""
        return self._held()

    @asynccontextmanager
    async def _held(self) -> AsyncIterator[None]:
        async with self._local.slot():
            holder = secrets.token_hex(8)
            await self._wait(holder)
            try:
                yield
            finally:
                self._free(holder)

    async def _wait(self, holder: str) -> None:
        """Return once the slot is taken, or at once when Redis is away."""
        pause, longest = _WAIT_SECONDS
        while not self._try(holder):
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)

    def _try(self, holder: str) -> bool:
        now = time.time()
        if time.monotonic() < self._away_until:
            return True
        try:
            taken = self._take([self._key], [now, self._count, now + HOLD_SECONDS, holder, HOLD_SECONDS])
        except RedisError:
            self._away_until = time.monotonic() + AWAY_SECONDS
            return True
        return bool(taken)

    def _free(self, holder: str) -> None:
        if time.monotonic() < self._away_until:
            return
        try:
            self._redis.zrem(self._key, holder)
        except RedisError:
            return
