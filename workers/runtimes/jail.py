"""One process in a sandbox: its pipes, its end and how it ended."""

import contextlib
import ctypes
import json
import marshal
import os
import signal
import socket
import struct
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final, Self

from workers.runtimes.confine import Confinement

_PROGRAM: Final = ("landlock", "confine", "child")
_CREDENTIALS = struct.Struct("3i")
_SIGNAL_EXIT = 128
# Python: linux/posix-timers.h, the clock of a whole process by its id.
_CPUCLOCK_SCHED = 2
_PR_SET_CHILD_SUBREAPER = 36
_ENVIRONMENT: Final = {"LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to run: the text of bot.py, and the folder on disk in which a zip was unpacked, if it was one."""

    source: str
    folder: str | None
    memory_mb: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """How a process ended: by a signal, or with an exit code."""

    signal: int | None
    code: int | None

    def __str__(self) -> str:
        if self.signal is None:
            return f"exit code {self.code}"
        with contextlib.suppress(ValueError):
            return signal.Signals(self.signal).name
        return f"signal {self.signal}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a back end starts the interpreter: the command before it, descriptors for it, and the confinement.

    `folder` is where the process finds the job's folder, None when it has none; `is_wrapped` says that the
    process started is not the bot's own but one around it, which turns signals into exit codes.
    """

    command: Sequence[str]
    keep_open: Sequence[int] = ()
    confinement: Confinement
    folder: str | None
    packages: Mapping[str, str]
    is_wrapped: bool


@dataclass(slots=True)
class Jail:
    """A started process. `requests` and `replies` are its private pipes, `log` is its output; none of them
    blocks."""

    process: "subprocess.Popen[bytes]"
    requests: int
    replies: int
    log: int
    greeting: socket.socket
    setup: bytes
    is_wrapped: bool
    bot_id: int | None = None
    _inner: int = -1
    _schedule: int = -1
    _ends: int = -1

    @classmethod
    def start(cls, job: Job, launch: Launch) -> Self:
        """Start the process; what it must read first is in `setup`. Raises OSError."""
        requests_read, requests = os.pipe2(os.O_CLOEXEC)
        replies, replies_write = os.pipe2(os.O_CLOEXEC)
        log, log_write = os.pipe2(os.O_CLOEXEC)
        greeting, greeting_child = socket.socketpair()
        greeting.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        given = (requests_read, replies_write, greeting_child.fileno())
        try:
            process = subprocess.Popen(
                [*launch.command, *map(str, given)],
                stdin=subprocess.DEVNULL,
                stdout=log_write,
                stderr=log_write,
                pass_fds=(*given, *launch.keep_open),
                env=dict(_ENVIRONMENT),
                cwd="/",
                start_new_session=True,
            )
        except OSError:
            greeting.close()
            for file in (requests, replies, log):
                os.close(file)
            raise
        finally:
            greeting_child.close()
            for file in (requests_read, replies_write, log_write, *launch.keep_open):
                os.close(file)
        for file in (requests, replies, log):
            os.set_blocking(file, False)
        greeting.setblocking(False)
        jail = cls(process, requests, replies, log, greeting, _setup(job, launch), launch.is_wrapped)
        jail._ends = os.pidfd_open(process.pid)
        return jail

    @property
    def ends(self) -> int:
        """Return a descriptor that becomes readable when the process is over."""
        return self._ends

    def greeted(self) -> str:
        """Read the greeting: "confined", or why not, or empty when it ended without; notes the bot's
        process id.

        The kernel adds the id of the sender as it is seen from here, also out of another process namespace.
        """
        text, ancillary, _, _ = self.greeting.recvmsg(1024, socket.CMSG_SPACE(_CREDENTIALS.size))
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS and text:
                self.bot_id, _, _ = _CREDENTIALS.unpack(data)
                with contextlib.suppress(OSError):
                    # Around a wrapped process is the first one of its namespace, with which all others die.
                    self._inner = os.pidfd_open(_parent(self.bot_id) if self.is_wrapped else self.bot_id)
                    self._schedule = os.open(f"/proc/{self.bot_id}/schedstat", os.O_RDONLY)
        return text.decode("utf-8", "replace")

    @property
    def cpu_clock(self) -> int | None:
        """Return the id of the clock that counts the CPU time of the bot's process, once it has greeted."""
        return None if self.bot_id is None else (~self.bot_id << 3) | _CPUCLOCK_SCHED

    def queued_us(self) -> int:
        """Return for how long the bot's main thread was ready but waited for a processor."""
        try:
            return int(os.pread(self._schedule, 100, 0).split()[1]) // 1000
        except (OSError, IndexError):
            return 0  # It has ended, or this kernel does not count.

    def kill(self) -> None:
        """Kill the process by a signal that nothing can ignore; what is around it then ends by itself."""
        if self._inner < 0:
            self._kill_group()
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._inner, signal.SIGKILL)

    def _kill_group(self) -> None:
        """Kill everything that was started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def exit(self) -> Exit | None:
        """Return how the process ended, None while it has not."""
        code = self.process.poll()
        if code is None:
            return None
        if code < 0:
            return Exit(signal=-code, code=None)
        if self.is_wrapped and code > _SIGNAL_EXIT:
            return Exit(signal=code - _SIGNAL_EXIT, code=None)
        return Exit(signal=None, code=code)

    def close(self) -> None:
        """Kill what still runs, wait for its end and close all descriptors. Closing twice changes nothing."""
        if self._ends < 0:
            return
        self.kill()
        self._kill_group()
        self.process.wait()
        # Those whose own parent ended first are children of this process now.
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-self.process.pid, 0)
        for file in (self.requests, self.replies, self.log, self._ends, self._inner, self._schedule):
            if file >= 0:
                os.close(file)
        self.greeting.close()
        self._ends = -1


def adopt_orphans() -> None:
    """Become the parent of processes below this one whose own parent ends first, so that it can reap them.

    Bubblewrap ends before the first process of its namespace, and not every container has an init that reaps.
    """
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _parent(process_id: int) -> int:
    """Return the id of a process's parent; raises OSError."""
    with open(f"/proc/{process_id}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[1])


def boot_command(executable: str) -> list[str]:
    """Return the command that runs the first code of the sandbox in an isolated interpreter."""
    return [executable, "-I", "-S", "-B", "-X", "utf8", "-c", _source("boot")]


def _setup(job: Job, launch: Launch) -> bytes:
    """Return what the process reads first: its program, its confinement and the bot, with the length
    before it."""
    file = "bot.py" if launch.folder is None else f"{launch.folder}/bot.py"
    data = json.dumps(
        {
            "program": {name: _code(name) for name in _PROGRAM},
            "confinement": launch.confinement,
            "packages": dict(launch.packages),
            "folder": launch.folder,
            "source": job.source,
            "file": file,
        }
    ).encode()
    return struct.pack("<I", len(data)) + data


@lru_cache
def _code(name: str) -> str:
    """Return one of the files that run inside, compiled by this interpreter, which runs it too, in hex."""
    return marshal.dumps(compile(_source(name), f"<{name}>", "exec", dont_inherit=True)).hex()


@lru_cache
def _source(name: str) -> str:
    """Return the text of one of the files that run inside."""
    return resources.files("workers.runtimes").joinpath(f"{name}.py").read_text()
