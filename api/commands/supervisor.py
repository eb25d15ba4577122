"""Child processes of `fudaba up`: started in order, restarted when they die, stopped without leaving any."""

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)
STOP_SECONDS = 10.0  # beyond the time that workers take to drain
RESTART_SECONDS = 1.0


@dataclass(slots=True)
class Child:
    """One process to keep running; its output goes to a file of its own."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    pass_fds: tuple[int, ...] = ()
    is_needed_by_others: bool = False
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    restarts: int = 0

    def start(self) -> None:
        """Start the process in a session of its own; it ends when this one does."""
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                pass_fds=self.pass_fds,
                preexec_fn=end_with_parent,
            )
        self.started_at = time.monotonic()

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self.process is not None and self.process.poll() is None

    def last_line(self) -> str:
        """Return the last line of its log."""
        lines = self.log.read_text(errors="replace").splitlines()
        return next((line for line in reversed(lines) if line.strip()), "nothing")

    def signal(self, number: signal.Signals, *, group: bool = False) -> None:
        """Send a signal to the process, or to all of its session; one that has ended is left alone."""
        if self.process is None:
            return
        try:
            if group:
                os.killpg(self.process.pid, number)
            else:
                self.process.send_signal(number)
        except ProcessLookupError:
            return

    def await_end(self, seconds: float | None = None) -> None:
        """Return when the process has ended, or after so many seconds."""
        if self.process is not None:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(None if seconds is None else max(0.0, seconds))


@dataclass(slots=True)
class Supervisor:
    """Children in order of start; they are stopped side by side, those that others need after the others."""

    children: list[Child] = field(default_factory=list)
    stop_seconds: float = STOP_SECONDS

    def add(self, child: Child) -> None:
        """Start a child and keep it running from now on."""
        child.start()
        self.children.append(child)

    def restart_dead(self) -> list[str]:
        """Start again the children that have ended, each at most once a second; return their names."""
        dead = [
            child
            for child in self.children
            if not child.is_running and time.monotonic() - child.started_at > RESTART_SECONDS
        ]
        for child in dead:
            child.signal(signal.SIGKILL, group=True)  # what the dead one left in its session
            child.restarts += 1
            child.start()
        return [child.name for child in dead]

    def ends(self) -> list[str]:
        """Return of every child that has ended how often it did, and what its log says last."""
        return [
            f"{child.name} has ended {child.restarts} times; {child.log} ends with: {child.last_line()}"
            for child in self.children
            if child.restarts
        ]

    def stop(self) -> None:
        """Stop all children: politely, then for good, each with all of its session."""
        for is_needed in (False, True):
            self._stop([child for child in self.children if child.is_needed_by_others is is_needed])
        self.children.clear()

    def _stop(self, children: Sequence[Child]) -> None:
        """Stop these children side by side."""
        for child in children:
            child.signal(signal.SIGTERM)
        deadline = time.monotonic() + self.stop_seconds
        for child in children:
            child.await_end(deadline - time.monotonic())
            child.signal(signal.SIGKILL, group=True)
        for child in children:
            child.await_end()


def end_with_parent() -> None:
    """Have the kernel end this process when its parent ends, whatever ends it."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
