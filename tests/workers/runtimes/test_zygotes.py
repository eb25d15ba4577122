"""Bots that are forked by a zygote: like those started on their own, and what happens when it dies."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest
from support.duels import LIMITS, house, match, matches, module, run, runtimes, sandbox, setting

from engine.match import MatchResult
from workers.runtimes.base import Bot
from workers.runtimes.zygotes import ZygoteSandbox

pytestmark = [pytest.mark.integration]
BACK_ENDS = [pytest.param("bwrap+zygote", marks=[pytest.mark.needs("bubblewrap")]), "landlock+zygote"]
ROOT = Path(__file__).parents[3]
TELL = """
import os
open_files = []
for file in range(64):
    try:
        os.fstat(file)
    except OSError:
        continue
    open_files.append(file)
def act(observation):
    return 0
"""


def logs(source: str, back_end: str, seats: int = 1) -> list[str]:
    """What each of some processes of a bot printed."""
    given = setting(LIMITS)

    async def work() -> list[str]:
        async with runtimes(back_end) as opened:
            bots = [opened.module(module(source), given) for _ in range(seats)]
            assert [await bot.start() for bot in bots] == [None] * seats
            for bot in bots:
                await matches([bot, house(opened, given)], given)
            return [bot.log.decode() for bot in bots]

    return run(work)


def limits_of_a_bot(back_end: str) -> list[str]:
    """The resource limits of a bot's process, but for its memory: what packages take is added to that."""

    async def work() -> list[str]:
        others = set(psutil.Process().children(recursive=True))
        async with runtimes(back_end) as opened:
            bot = opened.module(module(TELL), setting(LIMITS))
            assert await bot.start() is None
            below = set(psutil.Process().children(recursive=True)) - others
            (last,) = {process.pid for process in below} - {process.ppid() for process in below}
            limits = Path(f"/proc/{last}/limits").read_text().splitlines()
            await bot.close()
            return [line for line in limits if not line.startswith("Max address space")]

    return run(work)


def zygotes() -> list[psutil.Process]:
    """The interpreters below this process that forked a bot, or may."""
    below = psutil.Process().children(recursive=True)
    pythons = [process for process in below if "python" in process.name()]
    parents = {process.ppid() for process in pythons}
    return [process for process in pythons if process.pid in parents]


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_a_forked_bot_has_the_limits_and_descriptors_of_one_that_was_started(back_end: str) -> None:
    source = TELL + "print(len(open_files), os.getcwd(), dict(os.environ))\n"
    direct = back_end.partition("+")[0]
    assert logs(source, back_end) == logs(source, direct)
    assert limits_of_a_bot(back_end) == limits_of_a_bot(direct)


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_what_the_zygote_imported_is_not_counted_as_the_bots_memory(back_end: str) -> None:
    source = "taken = bytearray(200 << 20)\nprint(len(taken))\ndef act(o): return 0\n"
    assert logs(source, back_end) == [f"{200 << 20}\n"]


def test_bots_of_one_zygote_share_no_chance() -> None:
    source = "import random, numpy\nprint(random.random(), numpy.random.rand())\ndef act(o): return 0\n"
    drawn = {number for log in logs(source, "landlock+zygote", seats=3) for number in log.split()}
    assert len(drawn) == 6


def killed_midway(back_end: str) -> tuple[str, MatchResult]:
    """The error of a match whose zygote is killed, and the result of one that is started after it."""
    given = setting(LIMITS)
    sleeper = module("import time\nprint('here')\ndef act(o):\n    time.sleep(0.5)\n    return 0\n")

    async def work() -> tuple[str, MatchResult]:
        async with runtimes(back_end) as opened:

            def pair() -> Sequence[Bot]:
                return [opened.module(sleeper, given), house(opened, given)]

            first = pair()
            assert await first[0].start() is None
            (zygote,) = zygotes()
            zygote.kill()
            with pytest.raises(Exception, match="was lost together with what started it") as raised:
                await match(first, given)
            await first[0].close()
            (result,) = await matches(pair(), given)
            assert zygotes() != [zygote]
            return type(raised.value).__name__, result

    return run(work)


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_a_zygote_that_dies_is_replaced_and_nobody_is_blamed(back_end: str) -> None:
    error, result = killed_midway(back_end)
    assert error == "PlatformFault"
    assert result.faults == ()


def test_a_zygote_that_does_not_answer_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.runtimes.zygotes._FORK_SECONDS", 2.0)
    given = setting(LIMITS)

    async def work() -> None:
        async with runtimes("landlock+zygote") as opened:
            first, second = (opened.module(module(TELL), given) for _ in range(2))
            assert await first.start() is None
            (stopped,) = zygotes()
            stopped.suspend()
            assert await second.start() is None
            assert stopped not in psutil.Process().children(recursive=True)
            await first.close()
            await second.close()

    run(work)


def test_a_zygote_that_cannot_be_started_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    found = sandbox("landlock+zygote")
    assert isinstance(found, ZygoteSandbox)
    monkeypatch.setitem(found._nest.packages, "numpy", "/nowhere")
    given = setting(LIMITS)

    async def work() -> str:
        async with runtimes("landlock+zygote") as opened:
            bots = [opened.module(module(TELL), given), house(opened, given)]
            with pytest.raises(Exception, match="no process can be started") as raised:
                await matches(bots, given)
            return str(raised.value)

    assert "FileNotFoundError" in run(work)


_THREADS = """
import threading, time
threading.stack_size(1 << 16)
def start(count):
    for number in range(count):
        try:
            threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
        except RuntimeError:
            return number
    return count
print(start({count}))
def act(observation): return 0
"""
_WORKER = """
import os, sys
if os.geteuid() == 0:
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
sys.path[:0] = {paths!r}
from support.duels import LIMITS, module, runtimes, setting, zipped
from workers import loops
READER = b"print(open('name.txt').read())\\ndef act(o): return 0"
async def main():
    async with runtimes("bwrap+zygote") as opened:
        uploads = [*map(module, {sources!r}), zipped({{"bot.py": READER, "name.txt": b"fine"}})]
        bots = [opened.module(upload, setting(LIMITS)) for upload in uploads]
        for bot in bots:
            assert await bot.start() is None
        print([bot.log.decode().strip() for bot in bots])
        for bot in bots:
            await bot.close()
loops.run(main())
"""


@pytest.mark.slow
@pytest.mark.needs("bubblewrap")
def test_for_an_ordinary_user_too_threads_of_one_bot_leave_room_for_others_and_zips_are_read(
    everything_readable: list[str],
) -> None:
    sources = [_THREADS.format(count=count) for count in (100, 4)]
    code = _WORKER.format(paths=[str(ROOT), str(ROOT / "tests")], sources=sources)
    command = [*everything_readable, sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    first, second, third = done.stdout.strip("[]\n").replace("'", "").split(", ")
    assert 0 < int(first) < 40
    assert (second, third) == ("4", "fine")


def test_a_worker_that_forks_leaves_the_zygote_to_the_process_that_started_it() -> None:
    given = setting(LIMITS)

    async def work() -> int:
        async with runtimes("landlock+zygote") as opened:
            bot = opened.module(module(TELL), given)
            assert await bot.start() is None
            child = os.fork()
            if child == 0:
                assert opened.sandbox is not None
                opened.sandbox.close()
                os._exit(0)
            os.waitpid(child, 0)
            await matches([bot, house(opened, given)], given)
            return len(bot.log)

    assert run(work) == 0


def test_the_zygote_ends_with_its_worker(tmp_path: Path) -> None:
    code = f"""
import sys, time
sys.path[:0] = {[str(ROOT), str(ROOT / "tests")]!r}
from support.duels import module, runtimes, setting
from workers import loops
async def main():
    async with runtimes("landlock+zygote") as opened:
        bots = [opened.module(module("def act(o): return 0"), setting()) for _ in range(3)]
        for bot in bots:
            assert await bot.start() is None
        print("started", flush=True)
        time.sleep(100)
loops.run(main())
"""
    worker = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert worker.stdout is not None
    with worker.stdout:
        assert worker.stdout.readline() == b"started\n"
        below = psutil.Process(worker.pid).children(recursive=True)
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
    assert len(below) == 4
    _, alive = psutil.wait_procs(below, timeout=5)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
