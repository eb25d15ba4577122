"""House bots as a runtime: policies of the engine, without a clock; all but `search` in this process."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.contract import Game, Seat
from engine.policies import SEARCH, Answer, Ask, Fault, FaultCode, Policy, house_policy
from engine.rng import Stream
from workers.runtimes.base import Latencies
from workers.runtimes.searcher import Searcher, SearcherEnded

Streams = Callable[[str, Seat], Stream]


_UNCOUNTED: Mapping[int, int] = {}


class HousePlayer:
    """A house policy in one match."""

    spent_us = _UNCOUNTED

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    async def act(self, ask: Ask) -> Answer:
        """Return what the policy picks."""
        return self._policy.act(ask)

    async def close(self) -> None:
        """Do nothing: a house policy holds nothing."""


class SearchPlayer:
    """The house bot `search` in one match; a process of its own thinks for it."""

    spent_us = _UNCOUNTED

    def __init__(self, game: Game, stream: Stream, searcher: Searcher) -> None:
        self._game = game
        self._stream = stream
        self._searcher = searcher

    async def act(self, ask: Ask) -> Answer:
        """Return the index of the action that the search chooses."""
        try:
            found = await self._searcher.choose(self._game, ask.state, ask.seat, self._stream)
        except SearcherEnded as error:
            return Fault(code=FaultCode.PLATFORM, detail=str(error))
        action, self._stream = found
        return ask.legal.index(action)

    async def close(self) -> None:
        """Do nothing: the process serves other matches too."""


class HouseBot:
    """A house bot; `streams` maps a match and a seat to the random stream that it plays with."""

    log: Final = b""

    def __init__(self, name: str, game: Game, streams: Streams, searcher: Searcher | None = None) -> None:
        self._name = name
        self._searcher = searcher
        self._game = game
        self._streams = streams
        self.latencies: Final = Latencies()

    def player(self, match_id: str, seat: Seat) -> HousePlayer | SearchPlayer:
        """Return the policy for one match; raises UnknownPolicy."""
        stream = self._streams(match_id, seat)
        if self._name == SEARCH and self._searcher is not None:
            return SearchPlayer(self._game, stream, self._searcher)
        return HousePlayer(house_policy(self._name, self._game, stream))

    async def start(self) -> Fault | None:
        """Do nothing: there is nothing to start."""
        return None

    async def close(self) -> None:
        """Do nothing: there is nothing to end."""
