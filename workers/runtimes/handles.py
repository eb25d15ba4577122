"""A bot's process seen from here: a child of ours, or one that the zygote forked; its kill and its end."""

import contextlib
import ctypes
import os
import select
import signal
import socket
import struct
import subprocess
from dataclasses import dataclass
from typing import Protocol

_SIGNAL_EXIT = 128
_PR_SET_CHILD_SUBREAPER = 36
_STATUS = struct.Struct("<i")
# How long a killed process may take to end, on a machine that does much else.
_END_SECONDS = 10.0


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


class Handle(Protocol):
    """A process that was started."""

    @property
    def ends(self) -> int:
        """Return a descriptor that becomes readable when the process is over."""

    def meet(self, bot_id: int) -> None:
        """Learn the process id of the bot itself, as it is seen from here."""

    def is_over(self) -> bool:
        """Return whether the process has ended; `ends` may tell a little later."""

    def kill(self) -> None:
        """Kill the process by a signal that nothing can ignore."""

    def exit(self) -> Exit | None:
        """Return how the process ended, None while it has not, or when it was lost with what started it."""

    def close(self) -> None:
        """Kill what still runs, wait for its end and close all descriptors. Closing twice changes nothing."""


class Started:
    """A child of this process: the bot's own, or (wrapped) one around it, which ends by itself after it."""

    def __init__(self, process: "subprocess.Popen[bytes]", *, is_wrapped: bool) -> None:
        self._process = process
        self._is_wrapped = is_wrapped
        self._ends = os.pidfd_open(process.pid)
        self._inner = -1

    @property
    def ends(self) -> int:
        """Return a descriptor that becomes readable when the process is over."""
        return self._ends

    def meet(self, bot_id: int) -> None:
        """Note whom to kill."""
        with contextlib.suppress(OSError):
            # Around a wrapped process is the first one of its namespace, with which all others die.
            self._inner = os.pidfd_open(_parent(bot_id) if self._is_wrapped else bot_id)

    def is_over(self) -> bool:
        """Return whether the process has ended."""
        return _is_readable(self._ends, 0)

    def kill(self) -> None:
        """Kill the process; what is around it then ends by itself."""
        if self._inner < 0:
            self._kill_group()
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._inner, signal.SIGKILL)

    def exit(self) -> Exit | None:
        """Return how the process ended, None while it has not."""
        code = self._process.poll()
        if code is None:
            return None
        if code < 0:
            return Exit(signal=-code, code=None)
        if self._is_wrapped and code > _SIGNAL_EXIT:
            return Exit(signal=code - _SIGNAL_EXIT, code=None)
        return Exit(signal=None, code=code)

    def close(self) -> None:
        """Kill, wait, and reap those whose own parent ended first, who are children of this process now."""
        if self._ends < 0:
            return
        self.kill()
        self._kill_group()
        self._process.wait()
        with contextlib.suppress(ChildProcessError):
            while True:
                os.waitpid(-self._process.pid, 0)
        for file in (self._ends, self._inner):
            if file >= 0:
                os.close(file)
        self._ends = -1

    def _kill_group(self) -> None:
        """Kill everything that was started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


class Forked:
    """A child of the zygote, which reaps it and says over the life line with which status it ended."""

    def __init__(self, life: socket.socket, pidfd: int) -> None:
        self._life = life
        self._pidfd = pidfd
        self._exit: Exit | None = None

    @property
    def ends(self) -> int:
        """Return a descriptor that becomes readable when the process is over, or the zygote is."""
        return self._life.fileno()

    def meet(self, bot_id: int) -> None:
        """Do nothing: whom to kill is known from the start."""

    def is_over(self) -> bool:
        """Return whether the process has ended, whatever the zygote has said so far."""
        return _is_readable(self._pidfd, 0)

    def kill(self) -> None:
        """Kill the process."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def exit(self) -> Exit | None:
        """Return how the process ended, None while it has not, or when the zygote died and it with it."""
        with contextlib.suppress(OSError):
            data = self._life.recv(_STATUS.size, socket.MSG_DONTWAIT)
            if data:
                code = os.waitstatus_to_exitcode(*_STATUS.unpack(data))
                self._exit = Exit(signal=-code, code=None) if code < 0 else Exit(signal=None, code=code)
        return self._exit

    def close(self) -> None:
        """Kill, wait until the zygote has reaped it, or is gone, and close the descriptors."""
        if self._pidfd < 0:
            return
        self.kill()
        _is_readable(self._life.fileno(), _END_SECONDS)
        self._life.close()
        os.close(self._pidfd)
        self._pidfd = -1


def adopt_orphans() -> None:
    """Become the parent of processes below this one whose own parent ends first, so that it can reap them.

    Bubblewrap ends before the first process of its namespace, a killed zygote before its bots, and not every
    container has an init that reaps.
    """
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _is_readable(file: int, seconds: float) -> bool:
    """Return whether there is something to read, waiting for it so long."""
    waiting = select.poll()
    waiting.register(file, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))


def _parent(process_id: int) -> int:
    """Return the id of a process's parent; raises OSError."""
    with open(f"/proc/{process_id}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[1])
