"""Whether this worker is asked to stop: one number in memory that it shares with its children."""

import asyncio
import mmap
import struct
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_LOOK_SECONDS = 0.2
_TIME = struct.Struct("d")  # of the monotonic clock, which is the same in all processes of a machine
_shared: list[mmap.mmap] = []


class AskedToStop(Exception):
    """The worker is asked to stop: what it was doing is given back, and counts as if never begun."""


def prepare() -> None:
    """Make the shared number: before the children are forked, so that all of them see it."""
    _shared[:] = [mmap.mmap(-1, _TIME.size)]


def begin() -> None:
    """Note that the worker is asked to stop from now on; only the first time counts."""
    if _shared and not has_begun():
        _TIME.pack_into(_shared[0], 0, time.monotonic())


def has_begun() -> bool:
    """Return whether the worker is asked to stop."""
    return bool(_shared) and _TIME.unpack_from(_shared[0])[0] > 0


def is_over(seconds: float) -> bool:
    """Return whether it is `seconds` since the worker was asked to stop."""
    return has_begun() and time.monotonic() >= _TIME.unpack_from(_shared[0])[0] + seconds


async def finish_or_stop(work: Coroutine[Any, Any, T], seconds: float) -> T:
    """Return what `work` returns; once the time for stopping is over, cancel it and raise AskedToStop."""
    task = asyncio.ensure_future(work)
    while not (await asyncio.wait([task], timeout=_LOOK_SECONDS))[0]:
        if is_over(seconds):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            raise AskedToStop
    return task.result()
