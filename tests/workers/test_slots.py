"""Slots of an endpoint: never more in flight than declared, over all workers together, whatever dies."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from support import brokers
from support.brokers import Broker

from workers import slots
from workers.slots import SharedSlots

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with brokers.server(tmp_path_factory.mktemp("redis")) as running:
        yield running


@pytest.fixture
def redis(server: Broker) -> Iterator[Redis]:
    with server.client() as client:
        yield client


async def hold(some: SharedSlots, in_flight: list[int], seen: list[int]) -> None:
    async with some.slot():
        in_flight[0] += 1
        seen.append(in_flight[0])
        await asyncio.sleep(0.005)
        in_flight[0] -= 1


def test_all_workers_together_keep_the_limit(redis: Redis) -> None:
    async def work() -> list[int]:
        version_id = uuid4()
        workers = [SharedSlots(redis, version_id, 3) for _ in range(4)]
        in_flight, seen = [0], list[int]()
        await asyncio.gather(*(hold(workers[n % 4], in_flight, seen) for n in range(40)))
        return seen

    seen = asyncio.run(work())
    assert len(seen) == 40
    assert max(seen) == 3


def test_one_endpoint_does_not_take_the_slots_of_another(redis: Redis) -> None:
    async def work() -> None:
        first, second = SharedSlots(redis, uuid4(), 1), SharedSlots(redis, uuid4(), 1)
        async with first.slot(), asyncio.timeout(1), second.slot():
            pass

    asyncio.run(work())


def test_the_slot_of_a_killed_worker_is_free_in_time(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "HOLD_SECONDS", 1)

    async def work() -> None:
        version_id = uuid4()
        dead = SharedSlots(redis, version_id, 1)
        assert dead._try("a worker that was killed")
        assert not dead._try("another")
        async with asyncio.timeout(5), SharedSlots(redis, version_id, 1).slot():
            pass

    asyncio.run(work())


def test_while_redis_is_away_the_limit_holds_within_the_process(tmp_path: Path) -> None:
    async def work(redis: Redis) -> list[int]:
        some = SharedSlots(redis, uuid4(), 2)
        in_flight, seen = [0], list[int]()
        await asyncio.gather(*(hold(some, in_flight, seen) for _ in range(10)))
        return seen

    with Redis(port=1, socket_connect_timeout=1, retry=Retry(NoBackoff(), 0)) as nobody:
        seen = asyncio.run(work(nobody))
    assert len(seen) == 10
    assert max(seen) == 2
