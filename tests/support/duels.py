"""Small matches of the toy game between real bots, and proof that they leave nothing behind."""

import asyncio
import io
import os
import tempfile
import time
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache
from typing import TypeVar

import psutil
import pytest
from support.toy_game import TOY

from engine.limits import Limits
from engine.match import MatchResult, PlatformFault, play
from engine.rng import Stream
from store import uploads
from workers import loops
from workers.runtimes.addresses import AddressRules
from workers.runtimes.base import Bot, Player, Setting
from workers.runtimes.openers import Runtimes
from workers.runtimes.sandbox import Sandbox, back_ends

T = TypeVar("T")

# uvloop keeps two descriptors for the process from its first loop on: they are no leftovers of a test.
loops.run(asyncio.sleep(0))

# Tight, so that hostile bots cost little; generous where a busy machine could be mistaken for one.
LIMITS = Limits(
    start_ms=10_000,
    decision_ms=200,
    module_wall_ms=600,
    endpoint_wall_ms=500,
    bank_base_ms=5_000,
    memory_mb=256,
)
# Every back end; the fast tests have each wall and each way to start once.
BACK_ENDS = [
    pytest.param("bwrap+zygote", marks=[pytest.mark.needs("bubblewrap")]),
    "landlock",
    pytest.param("bwrap", marks=[pytest.mark.needs("bubblewrap"), pytest.mark.slow]),
    pytest.param("landlock+zygote", marks=[pytest.mark.slow]),
]
HONEST = """
class Bot:
    def __init__(self, game, seat, seats, options):
        self.turn = seat

    def act(self, observation):
        self.turn += 1
        return observation["legal"][self.turn % len(observation["legal"])]
"""


def setting(limits: Limits = LIMITS, rounds: int = 5) -> Setting:
    """The setting of a toy match of two seats."""
    seats, options = TOY.settle(2, {"rounds": rounds})
    return Setting(game=TOY, seats=seats, options=options, limits=limits)


def module(source: str) -> uploads.Upload:
    """An upload of one file."""
    return uploads.inspect(source.encode(), "bot.py")


def zipped(files: dict[str, bytes]) -> uploads.Upload:
    """An uploaded archive of these files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return uploads.inspect(out.getvalue(), "bot.zip")


@lru_cache
def sandbox(name: str) -> Sandbox:
    """The back end with this name."""
    return {found.name: found for found in back_ends(name.partition("+")[0], allow_unsafe=True)}[name]


@asynccontextmanager
async def runtimes(back_end: str = "landlock", *, allow_private: bool = True) -> AsyncIterator[Runtimes]:
    """Runtimes with one back end and an empty scratch folder that must be empty again at the end."""
    with tempfile.TemporaryDirectory(prefix="scratch-") as scratch:
        os.chmod(scratch, 0o755)
        rules = AddressRules(allow_private=allow_private)
        opened = Runtimes(sandbox=sandbox(back_end), rules=rules, scratch=scratch)
        opened.start()
        try:
            yield opened
        finally:
            await opened.close()
        assert os.listdir(scratch) == []


async def match(bots: Sequence[Bot], given: Setting, name: str = "m") -> MatchResult:
    """Play one match, seat by seat."""
    players = [bot.player(f"{name}-{seat}", seat) for seat, bot in enumerate(bots)]
    try:
        return await drive(given, players)
    finally:
        for player in players:
            await player.close()


async def drive(given: Setting, players: Sequence[Player]) -> MatchResult:
    """Play one match with these players."""
    playing = play(
        given.game,
        seats=given.seats,
        options=dict(given.options),
        seed=b"",
        max_faults=given.limits.max_faults,
    )
    try:
        ask = next(playing)
        while True:
            ask = playing.send(await players[ask.seat].act(ask))
    except StopIteration as stop:
        result: MatchResult = stop.value
        return result


async def matches(bots: Sequence[Bot], given: Setting, count: int = 1) -> list[MatchResult]:
    """Play `count` matches at once and close the bots."""
    try:
        return list(await asyncio.gather(*(match(bots, given, f"m{number}") for number in range(count))))
    finally:
        await asyncio.gather(*(bot.close() for bot in bots))


def house(opened: Runtimes, given: Setting, name: str = "first") -> Bot:
    """A house bot."""
    return opened.house(name, given, lambda match_id, seat: Stream(match_id))


def codes(result: MatchResult) -> list[str]:
    """The fault codes of a match, in order."""
    return [recorded.fault.code.value for recorded in result.faults]


def actions_of(result: MatchResult, seat: int) -> list[str]:
    """What one seat played."""
    return list(result.record.actions[seat :: result.record.seats])


@contextmanager
def nothing_left() -> Iterator[None]:
    """Assert that the block leaves no process and no descriptor behind."""
    processes, descriptors = _processes(), set(os.listdir("/proc/self/fd"))
    yield
    end = time.monotonic() + 5  # what was killed may take a moment to end
    while (left := _processes() - processes) and time.monotonic() < end:
        time.sleep(0.01)
    assert not left
    assert set(os.listdir("/proc/self/fd")) <= descriptors


def run(work: Callable[[], Awaitable[T]]) -> T:
    """Run `work` in an event loop of its own and assert that it leaves nothing behind.

    As in the arena, what the lateness of our own loop spoilt is played again.
    """

    async def main() -> T:
        return await work()

    for _ in range(2):
        try:
            with nothing_left():
                return loops.run(main())
        except PlatformFault as fault:
            if "late" not in str(fault):
                raise
    with nothing_left():
        return loops.run(main())


def _processes() -> set[int]:
    """The processes below this one; orphans of the sandbox are among them."""
    return {child.pid for child in psutil.Process().children(recursive=True)}
