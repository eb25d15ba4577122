"""A bot that attacks its sandbox: every function returns an empty text when it was held, or what it got.

Runs inside the sandbox, like any uploaded bot; standard library and numpy only.
"""

import ctypes
import os
import socket
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

Attempt = Callable[[], object]

# ptrace, mount and unshare as (x86-64, aarch64); bpf and io_uring_setup.
_CALLS = {"x86_64": (101, 165, 272, 321, 425), "aarch64": (117, 40, 97, 280, 425)}
_MORE_THAN_ALLOWED_BYTES = 2 << 30


def act(observation: dict[str, Any]) -> str:
    """Run the attack that the observation names."""
    return ATTACKS[observation["attack"]](observation)


def be_honest(observation: dict[str, Any]) -> str:
    """Use what every bot may use; a sandbox in which nothing works holds everything."""
    import hashlib
    import json
    import random

    import numpy

    total = int(numpy.linalg.inv(numpy.eye(2)).sum())
    random.Random(1).shuffle([1, 2, 3])
    return "" if total == len(json.loads("[1, 2]")) and hashlib.sha256(b"").digest() else "wrong result"


def read_files(observation: dict[str, Any]) -> str:
    """Read a file of the worker's and the machine's."""
    paths = (observation["victim"], "/etc/passwd", "/proc/1/environ", "/proc/self/environ")
    return _first((path, partial(_read, path)) for path in paths)


def list_folders(observation: dict[str, Any]) -> str:
    """Look for files and processes."""
    folders = (os.path.dirname(observation["victim"]), "/etc", "/home", "/proc")
    return _first((path, partial(os.listdir, path)) for path in folders)


def write_files(observation: dict[str, Any]) -> str:
    """Leave something behind."""
    folders = ("", "/tmp/", "/dev/shm/", "/var/tmp/", os.path.dirname(observation["victim"]) + "/")
    return _first((folder, partial(open, folder + "canary", "wb")) for folder in folders)


def open_sockets(observation: dict[str, Any]) -> str:
    """Talk to somebody."""
    families = (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, getattr(socket, "AF_VSOCK", socket.AF_INET))
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM)
    return _first(
        (f"a socket of family {family}", partial(socket.socket, family, kind))
        for family in families
        for kind in kinds
    )


def start_processes(observation: dict[str, Any]) -> str:
    """Become more than one, or something else."""
    if hasattr(os, "fork"):
        try:
            child = os.fork()
        except OSError:
            child = -1
        if child == 0:
            os._exit(0)
        if child > 0:
            return "a child"
    return _first([("another program", partial(os.execv, "/bin/sh", ["sh", "-c", "exit"]))])


def signal_others(observation: dict[str, Any]) -> str:
    """Reach the worker and everybody else."""
    targets = (observation["worker"], os.getppid(), 1, -1)
    return _first((f"process {target}", partial(os.kill, target, 0)) for target in targets)


def call_the_kernel(observation: dict[str, Any]) -> str:
    """Make system calls that no bot needs."""
    libc = ctypes.CDLL(None, use_errno=True)
    for number in _CALLS.get(os.uname().machine, ()):
        ctypes.set_errno(0)
        libc.syscall(number, 0, 0, 0, 0, 0)
        if ctypes.get_errno() not in (1, 38):
            return f"system call {number} (errno {ctypes.get_errno()})"
    return ""


def take_memory(observation: dict[str, Any]) -> str:
    """Take more memory than there is for a bot."""
    try:
        taken = bytearray(_MORE_THAN_ALLOWED_BYTES)
    except MemoryError:
        return ""
    return f"{len(taken)} bytes"


def _read(path: str) -> bytes:
    """Return a byte of a file."""
    with open(path, "rb") as file:
        return file.read(1)


def _first(attempts: Iterable[tuple[str, Attempt]]) -> str:
    """Return the name of the first attempt that succeeds, empty when none does."""
    for name, attempt in attempts:
        try:
            attempt()
        except OSError:
            continue
        return name or "the present folder"
    return ""


ATTACKS: dict[str, Callable[[dict[str, Any]], str]] = {
    "be_honest": be_honest,
    "read_files": read_files,
    "list_folders": list_folders,
    "write_files": write_files,
    "open_sockets": open_sockets,
    "start_processes": start_processes,
    "signal_others": signal_others,
    "call_the_kernel": call_the_kernel,
    "take_memory": take_memory,
}
