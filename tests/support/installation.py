"""A whole installation as its operator runs it: `fudaba up` in a process of its own."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from api.client import Client
from store.settings import SETTINGS

FUDABA = str(Path(sys.executable).with_name("fudaba"))
READY_SECONDS = 60
TOKEN = "the-organisers-token-of-the-tests-0123456789"
VARIABLES = {name for setting in SETTINGS.values() for name in (setting.variable, f"{setting.variable}_FILE")}


@dataclass(slots=True)
class Installation:
    """A running `fudaba up`."""

    process: subprocess.Popen[str]
    home: Path
    url: str
    token: str = TOKEN

    def descendants(self) -> list[psutil.Process]:
        """Return every process that it has started, directly or not."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def named(self, word: str) -> list[psutil.Process]:
        """Return its processes whose command line has this word."""
        return [process for process in self.descendants() if word in " ".join(_command(process))]

    def stop(self) -> int:
        """Ask it to stop and return its exit code; everything that it started must be gone then."""
        started = self.descendants()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=60)
        assert gone(started)
        return code


def gone(processes: list[psutil.Process], seconds: float = 5) -> bool:
    """Wait until none of the processes runs (an unreaped one does not); names those that do."""
    deadline = time.monotonic() + seconds
    while alive := [process for process in processes if _runs(process)]:
        assert time.monotonic() < deadline, f"left running: {[_command(process) for process in alive]}"
        time.sleep(0.02)
    return True


def _runs(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def wait_finished(client: Client, tournament_id: str, seconds: float = 240) -> dict[str, Any]:
    """Return a tournament once it is finished."""
    deadline = time.monotonic() + seconds
    while (state := client.tournament(tournament_id))["state"] != "finished":
        assert time.monotonic() < deadline, f"not finished: {state}"
        time.sleep(0.2)
    return state


@contextmanager
def running(home: Path, *arguments: str, **variables: str) -> Iterator[Installation]:
    """Run `fudaba up` on a data folder and a free port, until the block ends."""
    env = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    env |= {"FUDABA_ORGANISER_TOKEN": TOKEN, "PYTHONUNBUFFERED": "1", **variables}
    command = [FUDABA, "up", "--home", str(home), "--port", "0", *arguments]
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    installation = Installation(process, home, "")
    try:
        installation.url = _wait_until_ready(process, home)
        yield installation
        if process.poll() is None:
            assert installation.stop() == 0
    finally:
        if process.poll() is None:
            for child in installation.descendants():
                child.kill()
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _wait_until_ready(process: subprocess.Popen[str], home: Path) -> str:
    """Return the URL that it prints when it is ready."""
    assert process.stdout is not None
    printed = ""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if not select.select([process.stdout], [], [], 0.5)[0]:
            continue
        line = process.stdout.readline()
        printed += line
        if line.startswith("ready "):
            return line.split()[1]
        if not line:
            break
    logs = "".join(f"== {log.name}\n{log.read_text()[-3000:]}" for log in sorted(home.glob("logs/*")))
    raise AssertionError(f"fudaba up is not ready: {printed}\n{logs}")


def _command(process: psutil.Process) -> list[str]:
    try:
        command: list[str] = process.cmdline()
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return []
    return command
