"""Stopping: a worker's work is finished or given up, as its time allows."""

import asyncio
from collections.abc import Iterator

import pytest

from workers import drain
from workers.drain import AskedToStop


@pytest.fixture(autouse=True)
def _shared() -> Iterator[None]:
    drain.prepare()
    yield
    drain.prepare()


async def _answer(seconds: float) -> int:
    await asyncio.sleep(seconds)
    return 7


def test_work_is_finished_while_nobody_asks_to_stop() -> None:
    assert not drain.has_begun()
    assert asyncio.run(drain.finish_or_stop(_answer(0), 0)) == 7


def test_work_that_takes_too_long_is_given_up_once_the_worker_is_asked_to_stop() -> None:
    drain.begin()
    assert drain.has_begun()
    with pytest.raises(AskedToStop):
        asyncio.run(drain.finish_or_stop(_answer(60), 0))


def test_work_that_ends_in_time_is_finished_although_the_worker_is_asked_to_stop() -> None:
    drain.begin()
    assert asyncio.run(drain.finish_or_stop(_answer(0.3), 30)) == 7


def test_an_error_of_the_work_is_raised_as_it_is() -> None:
    async def fail() -> None:
        raise LookupError("no card")

    with pytest.raises(LookupError, match="no card"):
        asyncio.run(drain.finish_or_stop(fail(), 0))
