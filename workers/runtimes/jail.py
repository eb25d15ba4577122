"""One bot's process in a sandbox: its pipes, the setup that it reads first, its clocks and its end."""

import contextlib
import json
import marshal
import os
import socket
import struct
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final, Protocol, Self

from workers.runtimes.confine import Confinement
from workers.runtimes.handles import Exit, Handle, Started

_PROGRAM: Final = ("landlock", "confine", "child")
_CREDENTIALS = struct.Struct("3i")
# Python: linux/posix-timers.h, the clock of a whole process by its id.
_CPUCLOCK_SCHED = 2
ENVIRONMENT: Final = {"LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to run: the text of bot.py, and the folder on disk in which a zip was unpacked, if it was one.

    `scratch` is the place of all such folders.
    """

    source: str
    folder: str | None
    scratch: str
    memory_mb: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a bot finds around it: its confinement, its folder, and the packages to import by their folder."""

    confinement: Confinement
    folder: str | None
    packages: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a back end starts the interpreter: the command before it, and descriptors for it.

    `is_wrapped` says that the process started is not the interpreter's own but one around it, which turns
    signals into exit codes.
    """

    command: Sequence[str]
    keep_open: Sequence[int] = ()
    is_wrapped: bool


class Pipes:
    """The channels of one bot's process: `ours` do not block; `theirs` are given away."""

    def __init__(self) -> None:
        requests_read, self.requests = os.pipe2(os.O_CLOEXEC)
        self.replies, replies_write = os.pipe2(os.O_CLOEXEC)
        self.log, log_write = os.pipe2(os.O_CLOEXEC)
        self.greeting, greeting = socket.socketpair()
        self.greeting.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.greeting.setblocking(False)
        self.theirs = [requests_read, replies_write, greeting.detach(), log_write]
        for file in (self.requests, self.replies, self.log):
            os.set_blocking(file, False)

    def give_away(self) -> None:
        """Close the other side's ends here, once it has them."""
        for file in self.theirs:
            os.close(file)
        self.theirs.clear()

    def close(self) -> None:
        """Close everything."""
        self.give_away()
        for file in (self.requests, self.replies, self.log):
            os.close(file)
        self.greeting.close()


class Fence(Protocol):
    """A second limit around the process, kept by the machine."""

    def add(self, process_id: int) -> None:
        """Put the process behind it; raises OSError."""

    def was_out_of_memory(self) -> bool:
        """Return whether it ended the process for want of memory."""

    def remove(self) -> None:
        """Remove it once the process is over."""


class Jail:
    """A started process: what it reads first is `setup`, and `go` once its greeting was seen."""

    go: Final = b"\0"

    def __init__(self, pipes: Pipes, handle: Handle, setup: bytes) -> None:
        self.pipes = pipes
        self.setup = setup
        self.bot_id: int | None = None
        self.fence: Fence | None = None
        self._handle = handle
        self._schedule = -1
        self._is_closed = False

    @classmethod
    def start(cls, job: Job, launch: Launch, place: Place) -> Self:
        """Start a process that is a child of this one; raises OSError."""
        pipes = Pipes()
        requests, replies, greeting, log = pipes.theirs
        given = (requests, replies, greeting)
        try:
            process = subprocess.Popen(
                [*launch.command, *map(str, given)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(*given, *launch.keep_open),
                env=dict(ENVIRONMENT),
                cwd="/",
                start_new_session=True,
            )
        except OSError:
            pipes.close()
            raise
        finally:
            for file in launch.keep_open:
                os.close(file)
        pipes.give_away()
        handle = Started(process, is_wrapped=launch.is_wrapped)
        return cls(pipes, handle, setup(job, place, program=_PROGRAM))

    @property
    def ends(self) -> int:
        """Return a descriptor that becomes readable when the process is over."""
        return self._handle.ends

    def greeted(self) -> str:
        """Read the greeting: "confined", or why not, or empty when it ended without; notes the bot's
        process id.

        The kernel adds the id of the sender as it is seen from here, also out of another process namespace.
        """
        text, ancillary, _, _ = self.pipes.greeting.recvmsg(1024, socket.CMSG_SPACE(_CREDENTIALS.size))
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS and text:
                self.bot_id, _, _ = _CREDENTIALS.unpack(data)
                self._handle.meet(self.bot_id)
                with contextlib.suppress(OSError):
                    self._schedule = os.open(f"/proc/{self.bot_id}/schedstat", os.O_RDONLY)
                try:
                    if self.fence is not None:
                        self.fence.add(self.bot_id)
                except OSError as error:
                    return f"no control group takes it: {error}"
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

    def is_over(self) -> bool:
        """Return whether the process has ended; `ends` may tell a little later."""
        return self._handle.is_over()

    def kill(self) -> None:
        """Kill the process by a signal that nothing can ignore."""
        self._handle.kill()

    def exit(self) -> Exit | None:
        """Return how the process ended, None while it has not, or when it was lost with what started it."""
        return self._handle.exit()

    def close(self) -> None:
        """Kill what still runs, wait for its end and close all descriptors. Closing twice changes nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        # A process that waits for its setup ends when nobody is there to send it.
        self.pipes.close()
        self._handle.close()
        if self._schedule >= 0:
            os.close(self._schedule)
        if self.fence is not None:
            self.fence.remove()


def boot_command(executable: str) -> list[str]:
    """Return the command that runs the first code of the sandbox in an isolated interpreter."""
    return [executable, "-I", "-S", "-B", "-X", "utf8", "-c", _source("boot")]


def setup(job: Job, place: Place, *, program: Sequence[str] = ()) -> bytes:
    """Return what the process reads first: its program, its confinement and the bot.

    A process that a zygote forked has its program already.
    """
    file = "bot.py" if place.folder is None else f"{place.folder}/bot.py"
    return packed(
        {
            "program": {name: code(name) for name in program},
            "confinement": place.confinement,
            "packages": dict(place.packages),
            "folder": place.folder,
            "source": job.source,
            "file": file,
        }
    )


def packed(setup: Mapping[str, object]) -> bytes:
    """Return an object as the first code of the sandbox reads it, with its length before it."""
    data = json.dumps(setup).encode()
    return struct.pack("<I", len(data)) + data


@lru_cache
def code(name: str) -> str:
    """Return one of the files that run inside, compiled by this interpreter, which runs it too, in hex."""
    return marshal.dumps(compile(_source(name), f"<{name}>", "exec", dont_inherit=True)).hex()


@lru_cache
def _source(name: str) -> str:
    """Return the text of one of the files that run inside."""
    return resources.files("workers.runtimes").joinpath(f"{name}.py").read_text()
