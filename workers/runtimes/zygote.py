"""Inside the sandbox: an interpreter that has imported what bots share, and forks a process for each bot.

Standard library only. It never sees anything of a bot: its process reads that itself, after the fork, and is
confined like one that was started on its own. What it is sent is one byte a bot with five descriptors:
requests, replies, greeting, log, and the life line, over which it answers with a pidfd of the new process
and, when that has ended, with the status that wait returns.
"""

import array
import fcntl
import gc
import importlib
import os
import resource
import select
import socket
import struct
import sys
import traceback
from collections.abc import Callable, Iterable
from typing import NoReturn

_STATUS = struct.Struct("<i")
_DESCRIPTORS = 5
# In a bot's process: 0 to 2 are the standard streams, then come requests, replies and the greeting.
_FIRST, _LAST, _SPARE = 3, 5, 64
_OPEN_FILES = 4096

BecomeBot = Callable[[int, int, int], NoReturn]


def warm_up(packages: Iterable[str]) -> None:
    """Import the packages that bots may use, so that each of them has them at no cost."""
    for name in packages:
        importlib.import_module(name)
    # What is there now is never looked at again, so that its memory stays shared with all bots.
    gc.collect()
    gc.freeze()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def serve(control: int, become_bot: BecomeBot) -> None:
    """Fork a process for each request, and say how each ends, until the other side is gone."""
    children: dict[int, tuple[int, socket.socket]] = {}
    waiting = select.poll()
    waiting.register(control, select.POLLIN)
    # All is named, since the filter lets nobody ask what kind of socket it is.
    asked = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, control)
    while True:
        for file, _ in waiting.poll():
            if file in children:
                waiting.unregister(file)
                _bury(file, *children.pop(file))
                continue
            given = _descriptors(asked)
            if len(given) != _DESCRIPTORS:
                return
            life = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, 0, given.pop())
            born = _give_birth(given, life, become_bot)
            if born is not None:
                process_id, pidfd = born
                children[pidfd] = (process_id, life)
                waiting.register(pidfd, select.POLLIN)


def _descriptors(asked: socket.socket) -> list[int]:
    """Return the descriptors of one request, none when nobody asks any more."""
    numbers = array.array("i")
    _, ancillary, _, _ = asked.recvmsg(1, socket.CMSG_SPACE(_DESCRIPTORS * numbers.itemsize))
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            numbers.frombytes(data)
    return list(numbers)


def _give_birth(given: list[int], life: socket.socket, become_bot: BecomeBot) -> tuple[int, int] | None:
    """Fork a bot's process; return its id and its pidfd, which the other side gets too."""
    try:
        process_id = os.fork()
        if process_id == 0:
            _grow_up(given, become_bot)
        pidfd = os.pidfd_open(process_id)
    except OSError as error:
        _tell(life, str(error).encode())
        life.close()
        return None
    finally:
        for file in given:
            os.close(file)
    _tell(life, b"born", pidfd)
    return process_id, pidfd


def _grow_up(given: list[int], become_bot: BecomeBot) -> NoReturn:
    """In a new process: keep only its own descriptors, under the numbers that they have everywhere."""
    try:
        aside = [_copied(file) for file in given]
        for number, file in enumerate(aside[:-1], start=_FIRST):
            os.dup2(file, number, inheritable=False)
        for number in (1, 2):
            os.dup2(aside[-1], number, inheritable=False)
        os.closerange(_LAST + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        random = sys.modules.get("numpy.random")
        if random is not None:
            random.seed()
        become_bot(_FIRST, _FIRST + 1, _FIRST + 2)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _copied(file: int) -> int:
    """Return a copy of a descriptor above all numbers that are given out anew."""
    return fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _SPARE)


def _bury(pidfd: int, process_id: int, life: socket.socket) -> None:
    """Say how a process ended."""
    _, status = os.waitpid(process_id, 0)
    os.close(pidfd)
    _tell(life, _STATUS.pack(status))
    life.close()


def _tell(life: socket.socket, text: bytes, *files: int) -> None:
    """Send a message, unless nobody listens any more."""
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
    try:
        life.sendmsg([text], rights, socket.MSG_DONTWAIT)
    except OSError:
        return
