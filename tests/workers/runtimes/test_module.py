"""Sandboxed policy modules: what they get, what they may keep, and who is to blame when they end."""

import asyncio
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy
import psutil
import pytest
from support.duels import (
    BACK_ENDS,
    HONEST,
    LIMITS,
    codes,
    drive,
    house,
    match,
    matches,
    module,
    run,
    runtimes,
    setting,
    zipped,
)

from engine.limits import Limits
from engine.match import MatchResult
from store.uploads import Upload
from workers.runtimes.base import Bot

pytestmark = [pytest.mark.integration]

SLOWER = """
def act(observation):
    if not observation["history"]:
        sum(range(2_000_000))
    return observation["legal"][0]
"""


def play(
    upload: Upload, *, count: int = 1, limits: Limits = LIMITS, rounds: int = 5, back_end: str = "landlock"
) -> tuple[list[MatchResult], Bot]:
    """Play some matches at once of a module, in the first seat, against a house bot."""
    given = setting(limits, rounds=rounds)

    async def work() -> tuple[list[MatchResult], Bot]:
        async with runtimes(back_end) as opened:
            bot = opened.module(upload, given)
            return await matches([bot, house(opened, given)], given, count), bot

    return run(work)


def all_codes(results: Sequence[MatchResult]) -> list[str]:
    """The fault codes of all matches."""
    return [code for result in results for code in codes(result)]


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_a_zip_reads_its_data_imports_its_files_and_knows_its_place(back_end: str) -> None:
    source = b"""
import os, numpy, helper
WEIGHTS = numpy.load("data/weights.npy")
with open(os.path.join(os.path.dirname(__file__), "data", "name.txt")) as file:
    NAME = file.read()
def act(observation):
    assert NAME == "fine" and helper.ANSWER == 42
    try:
        open("data/name.txt", "w")
    except OSError:
        return int(numpy.argmax(WEIGHTS @ numpy.eye(3)))
"""
    array = io.BytesIO()
    numpy.save(array, numpy.array([0.1, 0.3, 0.2]))
    upload = zipped(
        {
            "bot.py": source,
            "helper.py": b"ANSWER = 42",
            "data/name.txt": b"fine",
            "data/weights.npy": array.getvalue(),
        }
    )
    (result,), _ = play(upload, back_end=back_end)
    assert codes(result) == []
    assert set(result.record.actions[::2]) == {"take:2"}


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_every_match_has_an_object_of_its_own_in_one_process(back_end: str) -> None:
    source = """
import os
MADE = []
class Bot:
    def __init__(self, game, seat, seats, options):
        assert (game, seat, seats, options) == ("toy", 0, 2, {"rounds": 5})
        MADE.append(self)
        self.turn = 0
        print("made", len(MADE), os.getpid())
    def act(self, observation):
        self.turn += 1
        assert len(observation["history"]) == 2 * self.turn - 2
        return 0
"""
    results, bot = play(module(source), count=70, back_end=back_end)
    assert all_codes(results) == [], [result.faults for result in results]
    made = [line.split() for line in bot.log.decode().splitlines()]
    assert [int(line[1]) for line in made] == list(range(1, 71))
    assert len({line[2] for line in made}) == 1


def test_the_observation_says_how_much_time_there_is() -> None:
    source = """
def act(observation):
    clock = observation["time"]
    assert clock["cap_ms"] == 200 and 4900 < clock["bank_ms"] < 5700 and clock["last_ms"] >= 0
    return observation["legal"][0]
"""
    (result,), bot = play(module(source))
    assert codes(result) == []
    assert bot.latencies.count == 5
    assert 0 < bot.latencies.total_us < 500_000


def test_what_was_printed_is_kept_also_when_the_process_ends() -> None:
    (result,), bot = play(module("import os\ndef act(o):\n    print('last words')\n    os._exit(3)\n"))
    assert codes(result) == ["crash"] * 3
    assert bot.log == b"last words\n" * 3
    evidence = result.faults[0].fault.evidence
    assert (evidence["exit_code"], evidence["signal"], evidence["phase"]) == (3, None, "the decision")


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_a_crash_is_reported_with_its_signal(back_end: str) -> None:
    source = "import ctypes\ndef act(o): ctypes.string_at(0)\n"
    (result,), _ = play(module(source), back_end=back_end)
    assert result.faults[0].fault.evidence["signal"] == signal.SIGSEGV
    assert "SIGSEGV" in result.faults[0].fault.detail


def test_each_end_of_a_process_is_one_fault_and_the_other_matches_play_on() -> None:
    source = """
print("started")
class Bot:
    MADE = 0
    def __init__(self, *arguments):
        Bot.MADE += 1
        self.is_slow = Bot.MADE == 5
    def act(self, observation):
        if self.is_slow and len(observation["history"]) == 4:
            while True: pass
        return 0
"""
    results, bot = play(module(source), count=12, limits=replace(LIMITS, max_faults=10))
    faults = [recorded for result in results for recorded in result.faults]
    assert set(all_codes(results)) == {"timeout"}
    assert {recorded.step for recorded in faults} == {4}
    assert len(faults) == bot.log.count(b"started") - 1 < 12


def test_a_slow_decision_is_charged_to_its_own_match_alone() -> None:
    source = """
import time
class Bot:
    MADE = 0
    def __init__(self, *arguments):
        Bot.MADE += 1
        self.is_slow = Bot.MADE == 3
    def act(self, observation):
        bank, turn = observation["time"]["bank_ms"], len(observation["history"]) // 2
        assert bank <= 2010 - 50 * turn if self.is_slow else bank > 1980, (bank, turn)
        end = time.thread_time() + (0.06 if self.is_slow else 0)
        while time.thread_time() < end: pass
        return 0
"""
    limits = replace(LIMITS, bank_base_ms=2000, bank_per_decision_ms=1)
    results, _ = play(module(source), count=8, limits=limits)
    assert all_codes(results) == [], [result.faults for result in results]


def test_what_every_decision_took_is_kept_by_its_step() -> None:
    given = setting(LIMITS, rounds=2)
    slow = module(SLOWER)

    async def work() -> tuple[MatchResult, Mapping[int, int], Mapping[int, int]]:
        async with runtimes("landlock") as opened:
            bot, other = opened.module(slow, given), house(opened, given)
            players = [bot.player("m", 0), other.player("m", 1)]
            result = await drive(given, players)
            await bot.close()
            return result, players[0].spent_us, players[1].spent_us

    result, spent_us, others = run(work)
    assert codes(result) == []
    assert others == {}
    assert spent_us and set(spent_us) <= set(range(len(result.record.actions)))
    assert max(spent_us.values()) > 10_000 > min(spent_us.values())


def test_the_bank_ends_a_bot_that_is_always_slow() -> None:
    source = """
import time
def act(observation):
    end = time.process_time() + 0.12
    while time.process_time() < end: pass
    return 0
"""
    limits = replace(LIMITS, bank_base_ms=200, bank_per_decision_ms=50)
    (result,), _ = play(module(source), limits=limits, rounds=8)
    assert codes(result) == ["timeout"] * 3
    assert result.faults[0].step == 4
    assert result.faults[0].fault.evidence["limit_ms"] < 200


def test_sleeping_is_not_charged_but_ends_at_the_wall_clock() -> None:
    source = "import time\ndef act(o):\n    time.sleep(0.3)\n    return 0\n"
    (result,), bot = play(module(source), rounds=2)
    assert codes(result) == []
    assert bot.latencies.most_us < 100_000


@pytest.mark.slow
def test_a_machine_without_a_free_processor_is_not_the_bots_fault() -> None:
    source = """
import time
def act(observation):
    end = time.thread_time() + 0.15
    while time.thread_time() < end: pass
    return 0
"""
    hogs = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4 * (os.cpu_count() or 1))
    ]
    try:
        (result,), _ = play(
            module(source), rounds=3, limits=replace(LIMITS, decision_ms=500, module_wall_ms=400)
        )
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    assert codes(result) == []


def test_a_bot_that_keeps_dying_is_not_started_for_ever() -> None:
    source = "import os\nprint('started')\ndef act(o): os._exit(1)\n"
    results, bot = play(module(source), count=6)
    assert all_codes(results) == ["crash"] * 18
    assert bot.log.count(b"started") == 5


def test_a_bot_that_dies_now_and_then_is_started_again() -> None:
    source = """
import os
turns = []
def act(observation):
    turns.append(0)
    if len(turns) == 3: os._exit(1)
    return 0
"""
    (result,), _ = play(module(source), rounds=9, limits=replace(LIMITS, max_faults=9))
    assert codes(result) == ["crash"] * 3
    assert [recorded.step for recorded in result.faults] == [4, 10, 16]


def test_a_start_that_fails_is_tried_once_and_its_reason_is_kept() -> None:
    source = "print('trying')\nraise RuntimeError('no weights')\ndef act(o): return 0\n"
    results, bot = play(module(source), count=4)
    assert all_codes(results) == ["exception"] * 12
    assert bot.log == b"trying\n"
    fault = results[0].faults[0].fault
    assert fault.detail == "RuntimeError: no weights"
    assert 'File "bot.py", line 2' in fault.evidence["traceback"]
    assert fault.evidence["phase"] == "the import of bot.py"


def test_deciding_again_after_the_bot_was_closed_is_a_fault_of_ours() -> None:
    given = setting()

    async def work() -> list[str]:
        async with runtimes() as opened:
            bot = opened.module(module(HONEST), given)
            assert await bot.start() is None
            waiting = asyncio.create_task(match([bot, house(opened, given)], given))
            await asyncio.sleep(0)
            await bot.close()
            await bot.close()
            (error,) = await asyncio.gather(waiting, return_exceptions=True)
            return [type(error).__name__]

    assert run(work) == ["PlatformFault"]


def test_closing_in_the_middle_of_a_start_leaves_nothing() -> None:
    given = setting()

    async def work() -> None:
        async with runtimes() as opened:
            bot = opened.module(module("import time; time.sleep(9)\ndef act(o): return 0\n"), given)
            starting = asyncio.create_task(match([bot, house(opened, given)], given))
            await asyncio.sleep(0.3)
            await bot.close()
            await asyncio.gather(starting, return_exceptions=True)

    run(work)


_WORKER = """
import sys
sys.path[:0] = {paths!r}
from support.duels import house, match, module, runtimes, setting, zipped
from workers import loops
from engine.limits import Limits
SOURCE = "import time\\ndef act(o):\\n    while {busy}: pass\\n    time.sleep(1000)\\n"
async def main():
    given = setting(Limits(decision_ms=60_000, module_wall_ms=100_000))
    async with runtimes({back_end!r}) as opened:
        bot = opened.module(module(SOURCE), given)
        assert await bot.start() is None
        print("started", flush=True)
        await match([bot, house(opened, given)], given)
loops.run(main())
"""


@pytest.mark.parametrize("busy", [True, False])
@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_no_bot_outlives_a_worker_that_is_killed(back_end: str, busy: bool) -> None:
    root = Path(__file__).parents[3]
    code = _WORKER.format(paths=[str(root), str(root / "tests")], back_end=back_end, busy=busy)
    before = set(psutil.pids())
    worker = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert worker.stdout is not None
    with worker.stdout:
        assert worker.stdout.readline() == b"started\n"
        below = psutil.Process(worker.pid).children(recursive=True)
        assert below and before.isdisjoint(child.pid for child in below)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
    assert _all_end(below)


def _all_end(processes: Sequence[psutil.Process], seconds: float = 5.0) -> bool:
    """Whether all processes have ended, or do so soon."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(_is_alive(process) for process in processes):
            return True
        time.sleep(0.02)
    return False


def _is_alive(process: psutil.Process) -> bool:
    """Whether a process runs still; a zombie does not."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
