"""What a whole tree of processes has used: CPU time, and memory that is its own, by what each process is."""

from collections.abc import Iterator, Mapping
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


def cpu_seconds(root: psutil.Process, before: Mapping[str, float] | None = None) -> dict[str, float]:
    """Return the CPU seconds of a process and all below it; less `before`, those until then.

    What a process had used that has ended since is among the times of the one that waited for it, which may
    be of another role: its own would be below nothing, which is settled so that the sum stays right.
    """
    found = {role: -seconds for role, seconds in (before or {}).items()}
    for role, process in _tree(root):
        found[role] = found.get(role, 0.0) + sum(process.cpu_times()[:4])
    return without_debts(found)


def without_debts(seconds: Mapping[str, float]) -> dict[str, float]:
    """Return times with the same sum of which none is negative; the greatest pay for those below nothing.

    Who waited for a process that has ended is not known any more; so that is near, not exact.
    """
    found = {role: max(0.0, of) for role, of in seconds.items()}
    debt = -sum(of for of in seconds.values() if of < 0)
    for role in sorted(found, key=lambda role: -found[role]):
        paid = min(found[role], debt)
        found[role] -= paid
        debt -= paid
    return found


def own_megabytes(root: psutil.Process) -> dict[str, list[float]]:
    """Return the memory of its own (USS) of each process from `root` on, in MB."""
    found: dict[str, list[float]] = {}
    for role, process in _tree(root):
        found.setdefault(role, []).append(process.memory_full_info().uss / _MB)
    return found


def _tree(root: psutil.Process) -> Iterator[tuple[str, psutil.Process]]:
    """Yield every process from `root` on with its role; that of `root` is "main". Who ends is left out."""
    for process in (root, *root.children(recursive=True)):
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            command = " ".join(process.cmdline())
            role = next((role for word, role in _ROLES if word in command), "main")
            yield "main" if process == root else role, process
