"""The sandbox's inner wall: a process gives up files, limits, identity and system calls before it runs a bot.

Standard library only: this file runs inside the sandbox, where nothing of ours can be imported.
"""

import ctypes
import os
import resource
import signal
from collections.abc import Callable, Sequence
from typing import TypedDict

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
_CLONE_NEWUSER = 0x10000000
_OPEN_FILES = 32
_THREADS = 32
_STACK_BYTES = 8 << 20
# Only a backstop against a bot that nobody watches any more; the worker's own clocks are much tighter.
_CPU_SECONDS = 3_600

_libc = ctypes.CDLL(None, use_errno=True)


class Confinement(TypedDict):
    """What is taken from the process.

    `readable` are the paths that stay readable, None for no Landlock; `uid` is the identity to take on as
    root, None to keep it; `own_users` asks for a user namespace of its own, so that nobody shares its count
    of threads; `program` is the system call filter in hex, empty for none; `parent` is the process id that
    must be alive, 0 when something else sees to that; `folder` is where to stand.
    """

    memory_bytes: int
    readable: list[str] | None
    uid: int | None
    own_users: bool
    limit_threads: bool
    program: str
    parent: int
    folder: str


class Enclosure(TypedDict):
    """What is taken from a process that forks bots, but runs none; named as in Confinement."""

    readable: list[str] | None
    program: str
    parent: int


class _Program(ctypes.Structure):
    """The kernel's struct sock_fprog."""

    _fields_ = (("count", ctypes.c_ushort), ("code", ctypes.c_void_p))


def confine(
    wanted: Confinement, make_ruleset: Callable[[Sequence[str]], int], restrict: Callable[[int], None]
) -> None:
    """Confine this process for good; raises OSError when any part fails.

    `make_ruleset` and `restrict` are those of `landlock`.
    """
    if wanted["own_users"]:
        _checked(_libc.unshare(_CLONE_NEWUSER), "unshare users")
        _drop_capabilities()
    _set_limits(wanted["memory_bytes"], limit_threads=wanted["limit_threads"])
    _drop_identity(wanted["uid"])
    os.chdir(wanted["folder"])
    _close_in(wanted, make_ruleset, restrict)


def enclose(
    wanted: Enclosure, make_ruleset: Callable[[Sequence[str]], int], restrict: Callable[[int], None]
) -> None:
    """Confine this process, from which bots will be forked; raises OSError when any part fails."""
    _close_in(wanted, make_ruleset, restrict)


def _close_in(
    wanted: Confinement | Enclosure,
    make_ruleset: Callable[[Sequence[str]], int],
    restrict: Callable[[int], None],
) -> None:
    """Tie this process to its parent's life and give up files and system calls."""
    ruleset = None if wanted["readable"] is None else make_ruleset(wanted["readable"])
    # Changing the identity clears this signal, also when the outer wall had set it.
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if wanted["parent"] and os.getppid() != wanted["parent"]:
        raise ProcessLookupError("the process that started this one is gone")
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_DUMPABLE, 0)
    if ruleset is not None:
        restrict(ruleset)
    if wanted["program"]:
        _filter_calls(bytes.fromhex(wanted["program"]))


def _set_limits(memory_bytes: int, *, limit_threads: bool) -> None:
    """Set the resource limits, hard ones, so that they cannot be raised again."""
    limits = {
        resource.RLIMIT_AS: memory_bytes,
        resource.RLIMIT_CPU: _CPU_SECONDS,
        resource.RLIMIT_NOFILE: _OPEN_FILES,
        resource.RLIMIT_STACK: _STACK_BYTES,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if limit_threads:
        limits[resource.RLIMIT_NPROC] = _THREADS
    for kind, value in limits.items():
        _, hard = resource.getrlimit(kind)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (most, most))


def _drop_identity(uid: int | None) -> None:
    """Become `uid` for good, or, as root that has to stay root, give up every capability."""
    if os.geteuid() != 0:
        return
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        return
    _drop_capabilities()


def _drop_capabilities() -> None:
    """Give up every capability for good."""
    header = ctypes.create_string_buffer(_CAPABILITY_VERSION_3.to_bytes(4, "little") + bytes(4), 8)
    _checked(_libc.capset(header, bytes(24)), "capset")


def _filter_calls(program: bytes) -> None:
    """Put this process under a seccomp filter."""
    code = ctypes.create_string_buffer(program, len(program))
    argument = _Program(len(program) // 8, ctypes.addressof(code))
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(argument))


def _prctl(option: int, *arguments: object) -> None:
    """Call prctl; raises OSError."""
    values = [ctypes.c_ulong(value) if isinstance(value, int) else value for value in arguments]
    zeros = [ctypes.c_ulong(0)] * (4 - len(values))
    _checked(_libc.prctl(option, *values, *zeros), f"prctl {option}")


def _checked(result: int, what: str) -> None:
    """Raise OSError when a call failed."""
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
