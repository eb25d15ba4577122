"""House bots as a runtime: policies of the engine, in this process and without a clock."""

from collections.abc import Callable
from typing import Final

from engine.contract import Game, Seat
from engine.policies import Answer, Ask, Fault, Policy, house_policy
from engine.rng import Stream
from workers.runtimes.base import Latencies

Streams = Callable[[str, Seat], Stream]


class HousePlayer:
    """A house policy in one match."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    async def act(self, ask: Ask) -> Answer:
        """Return what the policy picks."""
        return self._policy.act(ask)

    async def close(self) -> None:
        """Do nothing: a house policy holds nothing."""


class HouseBot:
    """A house bot; `streams` maps a match and a seat to the random stream that it plays with."""

    log: Final = b""

    def __init__(self, name: str, game: Game, streams: Streams) -> None:
        self._name = name
        self._game = game
        self._streams = streams
        self.latencies: Final = Latencies()

    def player(self, match_id: str, seat: Seat) -> HousePlayer:
        """Return the policy for one match; raises UnknownPolicy."""
        return HousePlayer(house_policy(self._name, self._game, self._streams(match_id, seat)))

    async def start(self) -> Fault | None:
        """Do nothing: there is nothing to start."""
        return None

    async def close(self) -> None:
        """Do nothing: there is nothing to end."""
