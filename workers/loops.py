"""The event loop in which bots are asked: uvloop, which takes less CPU than that of asyncio."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import uvloop

T = TypeVar("T")


def new_loop() -> asyncio.AbstractEventLoop:
    """Return a loop that nobody runs yet."""
    return uvloop.new_event_loop()


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in a loop of its own, which is closed at its end."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(work)
