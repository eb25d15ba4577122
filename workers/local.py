"""A full round robin on this machine without the service: the same play, runtimes and limits."""

import asyncio
import hmac
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from dataclasses import dataclass
from hashlib import sha256

from engine.contract import Game
from engine.errors import FudabaError
from engine.limits import Limits
from engine.match import MatchResult, PlatformFault
from engine.match import play as play_match
from engine.options import Options
from engine.policies import house_stream
from engine.schedule import Schedule, Slot
from engine.seeds import deal_seed, entrants_hash
from store.plans import BLOCK_DEALS
from workers import loops
from workers.driving import drive
from workers.runtimes.base import Bot, Setting
from workers.runtimes.house import HouseBot, Streams

IN_FLIGHT = 64  # matches at the same time
MOST_BOTS = 24  # opened at the same time: each module is a process
GROUP_TRIES = 3

Open = Callable[[Setting], Bot]
Chair = tuple[int, int]  # an entrant, and which of its seats at the table: from 0, in order of play


class CannotPlay(FudabaError):
    """This machine cannot play the matches; the message says why."""

    code = "cannot_play"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """One who plays: a name of its own, and how to open its bot for one chair of a group."""

    name: str
    open: Open
    is_filler: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobin:
    """What is to be played, all settled: there are at least as many entrants as sides.

    All deals follow from `seed` alone, whoever plays, so that two runs can be compared deal by deal.
    """

    game: Game
    seats: int
    options: Options
    deals: int
    seed: str
    entrants: tuple[Entrant, ...]
    limits: Limits

    @property
    def sides(self) -> tuple[int, ...]:
        """The side of each seat."""
        return self.game.sides(self.seats, self.options)

    @property
    def schedule(self) -> Schedule:
        """Every table, deal and rotation; raises BadSchedule when that is too much."""
        return Schedule(
            entrants=len(self.entrants),
            sides=len(set(self.sides)),
            deals=self.deals,
            block_deals=min(self.deals, BLOCK_DEALS),
        )

    def seats_of(self, slot: Slot) -> tuple[int, ...]:
        """Return the number of the entrant at each seat."""
        return tuple(slot.entrants[side] for side in self.sides)

    def chairs(self, slot: Slot) -> list[Chair]:
        """Return who sits at each seat. The matches of a group have the same chairs, in changing order."""
        seats = self.seats_of(slot)
        return [(entrant, seats[:seat].count(entrant)) for seat, entrant in enumerate(seats)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedMatch:
    """A match with its place in the schedule and the number of the entrant at each seat."""

    slot: Slot
    entrants: tuple[int, ...]
    result: MatchResult


def _in_this_process(name: str, setting: Setting, streams: Streams) -> Bot:
    return HouseBot(name, setting.game, streams)


def open_house(name: str, make: Callable[[str, Setting, Streams], Bot] = _in_this_process) -> Open:
    """Return how to open a house bot; its random streams follow from the seed, apart from the deals."""
    return lambda setting: make(
        name, setting, lambda match_id, seat: house_stream(0, int(match_id, 16), seat)
    )


def play(
    event: RoundRobin,
    take: Callable[[PlayedMatch], None],
    *,
    finished: Callable[[], None] = lambda: None,
    around: Callable[[], AbstractAsyncContextManager[object]] = nullcontext,
) -> None:
    """Play all matches; `take` gets each in order of number, `finished` is called as they end in any order.

    `around` is what the bots need to be open in the event loop that they play in. Raises CannotPlay when a
    match could not be played because of this machine, not of a bot.
    """
    loops.run(_played(_Hall(event, take, finished), around()))


async def _played(hall: "_Hall", around: AbstractAsyncContextManager[object]) -> None:
    async with around:
        await hall.play_all()


class _Hall:
    """The groups of one event in play."""

    def __init__(
        self, event: RoundRobin, take: Callable[[PlayedMatch], None], finished: Callable[[], None]
    ) -> None:
        self._event = event
        self._schedule = event.schedule
        self._sides = event.sides
        self._secret = sha256(event.seed.encode()).digest()
        self._take = take
        self._finished = finished
        self._groups = self._all_groups()
        self._waiting: dict[int, list[PlayedMatch]] = {}
        self._next = 0

    async def play_all(self) -> None:
        """Play every group, several at a time."""
        group_size = self._schedule.group_matches(0)
        at_once = max(1, min(IN_FLIGHT // group_size, MOST_BOTS // self._event.seats))
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(at_once):
                    tasks.create_task(self._play_groups())
        except ExceptionGroup as group:
            raise _first(group) from group

    def _all_groups(self) -> Iterator[range]:
        """Yield the match numbers of each group of the same players, in order."""
        for block in range(self._schedule.blocks):
            numbers, size = self._schedule.block_range(block), self._schedule.group_matches(block)
            for first in range(numbers.start, numbers.stop, size):
                yield range(first, first + size)

    async def _play_groups(self) -> None:
        """Play groups until none is left; the iterator is shared by all who do so."""
        for numbers in self._groups:
            self._deliver(await self._play_group(numbers))

    def _deliver(self, matches: list[PlayedMatch]) -> None:
        """Hand on what is complete up to the first match that is still in play."""
        self._waiting[matches[0].slot.number] = matches
        while (ready := self._waiting.pop(self._next, None)) is not None:
            self._next += len(ready)
            for match in ready:
                self._take(match)

    async def _play_group(self, numbers: range) -> list[PlayedMatch]:
        """Play one group, again with new processes after a fault of this machine."""
        for left in range(GROUP_TRIES - 1, -1, -1):
            try:
                return await self._try_group(numbers)
            except ExceptionGroup as group:
                fault = _first(group)
                if not isinstance(fault, PlatformFault):
                    raise
                if not left:
                    raise CannotPlay(f"matches {numbers[0]} to {numbers[-1]}: {fault}") from fault
        raise AssertionError("the last try returns or raises")

    async def _try_group(self, numbers: range) -> list[PlayedMatch]:
        event = self._event
        setting = Setting(game=event.game, seats=event.seats, options=event.options, limits=event.limits)
        async with AsyncExitStack() as stack:
            bots: dict[Chair, Bot] = {}
            for entrant, place in event.chairs(self._schedule.slot(numbers[0])):
                bot = bots[entrant, place] = event.entrants[entrant].open(setting)
                stack.push_async_callback(bot.close)
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(self._play_match(number, bots)) for number in numbers]
        return [task.result() for task in running]

    async def _play_match(self, number: int, bots: Mapping[Chair, Bot]) -> PlayedMatch:
        event, slot = self._event, self._schedule.slot(number)
        match = play_match(
            event.game,
            seats=event.seats,
            options=dict(event.options),
            seed=deal_seed(self._secret, entrants_hash([]), 0, slot.deal_name(own=False)),
            max_faults=event.limits.max_faults,
        )
        players = [
            bots[chair].player(self._match_id(number, seat), seat)
            for seat, chair in enumerate(event.chairs(slot))
        ]
        result = await drive(match, players)
        self._finished()
        return PlayedMatch(slot=slot, entrants=event.seats_of(slot), result=result)

    def _match_id(self, number: int, seat: int) -> str:
        """Return the name under which a seat meets a match: hex digits that tell nothing."""
        return hmac.new(self._secret, f"match/{number}/{seat}".encode(), sha256).hexdigest()[:24]


def _first(error: BaseException) -> BaseException:
    """Return the first exception inside groups of them."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
