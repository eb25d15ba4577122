"""The play of one match in an event loop: asks go to players, answers come back, others get their turn."""

import asyncio
from collections.abc import Callable, Sequence

from engine.match import MatchResult, Play
from workers.runtimes.base import Player

_TURN = 256  # decisions that a match of house bots may take before others get their turn


def no_progress() -> None:
    """Take note of nothing."""


async def drive(
    match: Play, players: Sequence[Player], progress: Callable[[], None] = no_progress
) -> MatchResult:
    """Return the result of a match whose every decision is made by the seat's player; then close them all.

    `progress` is called after every decision; what it raises ends the match.
    """
    turns = 0
    try:
        ask = next(match)
        while True:
            answer = await players[ask.seat].act(ask)
            progress()
            turns += 1
            if not turns % _TURN:
                await asyncio.sleep(0)
            ask = match.send(answer)
    except StopIteration as stop:
        result: MatchResult = stop.value
        return result
    finally:
        for player in players:
            await player.close()
