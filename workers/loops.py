"""The event loop of this process: one, in its main thread, made when first needed (after the fork)."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_loops: list[asyncio.AbstractEventLoop] = []


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end in this process's loop, which stays open for connections that are kept."""
    if not _loops:
        _loops.append(asyncio.new_event_loop())
        asyncio.set_event_loop(_loops[0])
    return _loops[0].run_until_complete(work)
