"""The house bot `search`: the same choices as the engine's, made in a process of its own."""

import asyncio
import os
import signal

import pytest
from support.duels import run, runtimes

from engine import games, search
from engine.contract import Game
from engine.match import MatchResult, PlatformFault, play
from engine.policies import Ask
from engine.rng import Stream
from workers.qualify import shortest
from workers.runtimes.base import Player, Setting
from workers.runtimes.openers import Runtimes
from workers.runtimes.searcher import SearcherEnded

pytestmark = [pytest.mark.integration]


async def searched(opened: Runtimes, game: Game) -> MatchResult:
    """A short match in which the first seat searches and the others play the first action."""
    seats, options = shortest(game)
    setting = Setting(game=game, seats=seats, options=options, limits=None)  # type: ignore[arg-type]
    bots = [opened.house(name, setting, lambda name, seat: Stream(name)) for name in ("search", "first")]
    players: list[Player] = [bots[min(seat, 1)].player("m", seat) for seat in range(seats)]
    match = play(game, seats=seats, options=dict(options), seed=b"x" * 32)
    try:
        ask = next(match)
        while True:
            ask = match.send(await players[ask.seat].act(ask))
    except StopIteration as stop:
        result: MatchResult = stop.value
        return result


@pytest.mark.parametrize("game", games.all_games(), ids=lambda game: game.id)
def test_the_process_chooses_what_the_engine_would(game: Game) -> None:
    async def work() -> MatchResult:
        async with runtimes() as opened:
            return await searched(opened, game)

    result = run(work)
    stream = Stream("m")
    seats, options = shortest(game)

    def here(ask: Ask) -> int:
        if ask.seat:
            return 0
        return ask.legal.index(search.choose(game, ask.state, ask.seat, stream))

    match = play(game, seats=seats, options=dict(options), seed=b"x" * 32)
    try:
        ask = next(match)
        while True:
            ask = match.send(here(ask))
    except StopIteration as stop:
        assert stop.value == result


def test_a_search_whose_process_is_killed_is_a_platform_fault_and_the_next_one_works() -> None:
    game = games.get("minhwatu")

    async def work() -> MatchResult:
        async with runtimes() as opened:
            searcher = opened.searcher
            running = asyncio.create_task(searched(opened, game))
            while searcher._process is None:
                await asyncio.sleep(0.005)
            os.kill(searcher._process.pid, signal.SIGKILL)
            with pytest.raises(PlatformFault, match="ended"):
                await running
            return await searched(opened, game)

    assert run(work).faults == ()


def test_closing_while_it_searches_leaves_nobody_waiting() -> None:
    game = games.get("minhwatu")

    async def work() -> None:
        async with runtimes() as opened:
            state = game.new_match(seed=b"x" * 32)
            waiting = asyncio.create_task(opened.searcher.choose(game, state, 0, Stream("x")))
            while opened.searcher._process is None:
                await asyncio.sleep(0.005)
            await opened.searcher.close()
            with pytest.raises(SearcherEnded):
                await waiting

    run(work)
