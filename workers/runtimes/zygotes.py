"""Bots that start in milliseconds: a confined interpreter with numpy in it forks a process for each."""

import array
import asyncio
import contextlib
import os
import socket
import subprocess
from collections.abc import Sequence
from typing import Final, Protocol

from workers.runtimes.confine import Enclosure
from workers.runtimes.handles import Forked, Started, adopt_orphans
from workers.runtimes.jail import ENVIRONMENT, Jail, Job, Launch, Pipes, Place, code, packed, setup

_PROGRAM: Final = ("landlock", "confine", "child", "zygote")
# How long the interpreter may take to be there, numpy imported, on a machine that does much else.
_BOOT_SECONDS = 60.0
# How long it may take to fork, which takes it a few milliseconds.
_FORK_SECONDS = 20.0
_CONFINED = "confined"


class Nest(Protocol):
    """A back end from which a zygote can be started."""

    @property
    def name(self) -> str:
        """The name of the back end."""

    @property
    def packages(self) -> dict[str, str]:
        """What the zygote imports for its bots: packages by their folder."""

    def probe(self) -> str | None:
        """Return why the back end cannot be used on this machine, None when it seems that it can."""

    def nest(self, scratch: str) -> tuple[Launch, Enclosure]:
        """Return how to start a zygote whose bots may have folders in `scratch`, and what to take from it."""

    def hatch(self, job: Job) -> Place:
        """Return what a bot that the zygote forks finds around it."""


class ZygoteSandbox:
    """A back end that forks its processes from a zygote.

    The zygote is started when first needed, and again when it died. With it die its bots, which is nobody's
    fault.
    """

    def __init__(self, nest: Nest) -> None:
        self.name = f"{nest.name}+zygote"
        self._nest = nest
        self._zygote: _Zygote | None = None

    def probe(self) -> str | None:
        """Return what the back end lacks."""
        return self._nest.probe()

    async def start(self, job: Job) -> Jail:
        """Have a process forked; the zygote ends with the thread that calls this first. Raises OSError."""
        place = self._nest.hatch(job)
        pipes = Pipes()
        try:
            handle = await self._forked(job.scratch, pipes.theirs)
        except BaseException:
            pipes.close()
            raise
        pipes.give_away()
        return Jail(pipes, handle, setup(job, place))

    def close(self) -> None:
        """End the zygote, and with it all its bots. Closing twice changes nothing."""
        zygote, self._zygote = self._zygote, None
        if zygote is not None:
            zygote.close()

    async def _forked(self, scratch: str, given: Sequence[int]) -> Forked:
        """Return a process that has these descriptors; a zygote that proves to be dead is replaced once."""
        try:
            return await self._running(scratch).fork(given)
        except ConnectionError:
            return await self._running(scratch).fork(given)

    def _running(self, scratch: str) -> "_Zygote":
        """Return the zygote of this process for bots in `scratch`, started when there is none."""
        if self._zygote is not None and not self._zygote.serves(scratch):
            self.close()
        if self._zygote is None:
            launch, enclosure = self._nest.nest(scratch)
            self._zygote = _Zygote(launch, enclosure, self._nest.packages, scratch)
        return self._zygote


class _Zygote:
    """A zygote that was started by this process, in this event loop."""

    def __init__(self, launch: Launch, enclosure: Enclosure, packages: dict[str, str], scratch: str) -> None:
        adopt_orphans()
        self._scratch = scratch
        self._owner = os.getpid()
        self._is_closed = False
        self._control, control = socket.socketpair()
        # What it prints is read only when it fails: it runs no bot, so that is little.
        self._printed, printing = os.pipe2(os.O_CLOEXEC)
        try:
            process = subprocess.Popen(
                [*launch.command, str(control.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=printing,
                stderr=printing,
                pass_fds=(control.fileno(), *launch.keep_open),
                env=dict(ENVIRONMENT),
                cwd="/",
                start_new_session=True,
            )
        except OSError:
            self._control.close()
            os.close(self._printed)
            raise
        finally:
            control.close()
            os.close(printing)
            for file in launch.keep_open:
                os.close(file)
        self._handle = Started(process, is_wrapped=launch.is_wrapped)
        given = {"program": {name: code(name) for name in _PROGRAM}}
        self._control.sendall(packed({**given, "confinement": enclosure, "packages": packages}))
        self._ready = asyncio.ensure_future(self._boot())

    def serves(self, scratch: str) -> bool:
        """Return whether it lives, is this process's own, and its bots may have folders in `scratch`."""
        is_ours = self._owner == os.getpid()
        return is_ours and self._scratch == scratch and not self._is_closed and self._handle.exit() is None

    async def fork(self, given: Sequence[int]) -> Forked:
        """Return a process that has these descriptors; raises ConnectionError when the zygote is dead.

        It is closed then: its end may show at the connection before it shows at the process, and one that
        does not answer counts as dead.
        """
        await asyncio.shield(self._ready)
        try:
            return await self._fork(given)
        except ConnectionError:
            self.close()
            raise

    async def _fork(self, given: Sequence[int]) -> Forked:
        life, its_life = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with its_life:
                files = array.array("i", [*given, its_life.fileno()])
                self._control.sendmsg([b"\0"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
            async with asyncio.timeout(_FORK_SECONDS):
                await _readable(life.fileno())
            text, files_received, _, _ = socket.recv_fds(life, 1000, 1)
            if not text:
                raise ConnectionResetError("the zygote is gone")
            if not files_received:
                raise OSError(f"the zygote cannot fork: {text.decode('utf-8', 'replace')}")
        except TimeoutError as error:
            life.close()
            raise ConnectionResetError(f"the zygote did not fork within {_FORK_SECONDS:.0f} s") from error
        except BaseException:
            life.close()
            raise
        return Forked(life, files_received[0])

    def close(self) -> None:
        """End it and all that it forked; in a fork of the process that started it, only forget it."""
        if self._is_closed:
            return
        self._is_closed = True
        self._control.close()
        os.close(self._printed)
        if self._owner == os.getpid():
            self._ready.cancel()
            self._handle.close()

    async def _boot(self) -> None:
        """Wait until it is confined; raises OSError with what went wrong."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_BOOT_SECONDS):
                await _readable(self._control.fileno())
                said = self._control.recv(1000).decode("utf-8", "replace")
                if said == _CONFINED:
                    return
                # When it said nothing it has ended, and so has what it printed.
                why = said or os.read(self._printed, 1000).decode("utf-8", "replace") or "it ended at once"
                raise OSError(f"the zygote does not start: {why}")
        raise OSError(f"the zygote does not start: no sign of life within {_BOOT_SECONDS:.0f} s")


async def _readable(file: int) -> None:
    """Wait until there is something to read, or the other side is gone."""
    loop = asyncio.get_running_loop()
    arrived: asyncio.Future[None] = loop.create_future()
    loop.add_reader(file, _arrive, arrived)
    try:
        await arrived
    finally:
        loop.remove_reader(file)


def _arrive(arrived: asyncio.Future[None]) -> None:
    """Let something happen, unless it has."""
    if not arrived.done():
        arrived.set_result(None)
