"""What a whole tree of processes has used: CPU time, and memory that is its own."""

from collections.abc import Iterator
from contextlib import suppress

import psutil

_ROLES = (  # a word of the command line, and what the process is
    ("valkey-server", "broker"),
    ("gunicorn", "api"),
    ("zygote", "modules"),
    ("bwrap", "modules"),
    ("beat", "beat"),
    ("celery", "worker"),
    ("workers.main", "worker"),
)
_MB = 1 << 20


def cpu_seconds(root: psutil.Process) -> float:
    """Return the CPU seconds of a process and all below it, those that have ended and were waited for too."""
    return sum(sum(process.cpu_times()[:4]) for process in _tree(root))


def own_megabytes(root: psutil.Process) -> dict[str, list[float]]:
    """Return the memory of its own (USS) of each process below `root`, in MB, by what the process is."""
    found: dict[str, list[float]] = {}
    for process in _tree(root):
        with suppress(psutil.Error):
            command = " ".join(process.cmdline())
            role = next((role for word, role in _ROLES if word in command), "up")
            found.setdefault(role, []).append(process.memory_full_info().uss / _MB)
    return found


def _tree(root: psutil.Process) -> Iterator[psutil.Process]:
    for process in (root, *root.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            process.cpu_times()
            yield process
