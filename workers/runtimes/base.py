"""What every bot runtime promises: a Bot for one seat of a group, a Player for each match in it."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Protocol

from engine.contract import Game, Seat
from engine.limits import Limits
from engine.options import Options
from engine.policies import Answer, Ask, Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a group of matches is played under: the game, its settled options and seats, and the limits."""

    game: Game
    seats: int
    options: Options
    limits: Limits


@dataclass(slots=True)
class Latencies:
    """The time that a bot was charged for its decisions, in microseconds of its own clock (CPU or wall)."""

    count: int = 0
    total_us: int = 0
    most_us: int = 0

    def add(self, used_us: int) -> None:
        """Count one decision."""
        self.count += 1
        self.total_us += used_us
        if used_us > self.most_us:
            self.most_us = used_us


class LogTail:
    """The last bytes that a bot wrote, and how many it wrote in all."""

    def __init__(self, keep_bytes: int) -> None:
        self._keep = keep_bytes
        self._kept = bytearray()
        self.written_bytes = 0

    def add(self, data: bytes) -> None:
        """Append `data`, forgetting the oldest bytes beyond what is kept."""
        self.written_bytes += len(data)
        self._kept += data
        if len(self._kept) > 2 * self._keep:
            del self._kept[: -self._keep]

    def tail(self) -> bytes:
        """Return the last bytes written, at most as many as are kept."""
        return bytes(self._kept[-self._keep :])


class Player(Protocol):
    """One seat's bot in one match."""

    @property
    def spent_us(self) -> Mapping[int, int]:
        """What each decision took, in microseconds by step; nothing where nobody counts it."""

    def act(self, ask: Ask) -> Awaitable[Answer]:
        """Return what becomes the bot's answer, or the fault that it made; never raises for an error of the
        bot."""

    async def close(self) -> None:
        """Forget the match: its object in the bot and its clock. Closing twice changes nothing."""


class Bot(Protocol):
    """One bot at one seat of one group of matches; it may play many of them at once."""

    @property
    def latencies(self) -> Latencies:
        """The times charged so far, over all matches."""

    @property
    def log(self) -> bytes:
        """The tail of what the bot wrote (a module) or of the log of its calls (an endpoint)."""

    def player(self, match_id: str, seat: Seat) -> Player:
        """Return the player of a match that begins; `match_id` is opaque and new for this bot."""

    async def start(self) -> Fault | None:
        """Start ahead of the first decision; return the fault that every decision would get, if any."""

    async def close(self) -> None:
        """End all that runs for the bot; nothing is left behind. Closing twice changes nothing."""
