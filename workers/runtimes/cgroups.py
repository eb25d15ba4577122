"""A second fence around each bot's process where this machine allows it: control groups, version 1 or 2.

The limits of a single process already hold without it, since a bot cannot have a second one. A group also
counts what those cannot: the memory that is really used, threads under an identity that others share, and
the use of several processors at once.
"""

import contextlib
import itertools
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import FudabaError
from workers.runtimes.jail import Jail, Job
from workers.runtimes.sandbox import Sandbox

_PREFIX, _LEAF = "fudaba-", "fudaba-workers"
_CONTROLLERS = ("memory", "pids", "cpu")
_THREADS = 64
# One processor: so many microseconds of it in each so many.
_CPU_US = 100_000
# The limit of a process's address space is met first, and with a better message.
_SLACK_BYTES = 64 << 20
# A group is empty this long after it was made, at most.
_YOUNG_SECONDS = 60


class NoFence(FudabaError):
    """This process cannot make control groups."""

    code = "no_fence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """How a version of control groups spells limits: by controller, files and what to write, and the count of
    kills for want of memory."""

    name: str
    limits: Mapping[str, Mapping[str, str]]
    kills_file: str


_V1 = Version(
    name="cgroup v1",
    limits={
        "memory": {"memory.limit_in_bytes": "{memory}"},
        "pids": {"pids.max": f"{_THREADS}"},
        "cpu": {"cpu.cfs_period_us": f"{_CPU_US}", "cpu.cfs_quota_us": f"{_CPU_US}"},
    },
    kills_file="memory.oom_control",
)
_V2 = Version(
    name="cgroup v2",
    limits={
        "memory": {"memory.max": "{memory}"},
        "pids": {"pids.max": f"{_THREADS}"},
        "cpu": {"cpu.max": f"{_CPU_US} {_CPU_US}"},
    },
    kills_file="memory.events",
)


class Fence:
    """The groups of one bot: a folder for each controller, or the same one for all."""

    def __init__(self, version: Version, folders: Mapping[str, Path]) -> None:
        self._version = version
        self._folders = folders

    def add(self, process_id: int) -> None:
        """Put a process into the groups; raises OSError."""
        for folder in set(self._folders.values()):
            Path(folder, "cgroup.procs").write_text(str(process_id))

    def was_out_of_memory(self) -> bool:
        """Return whether the kernel killed the process because its group had no more memory."""
        with contextlib.suppress(OSError):
            lines = Path(self._folders["memory"], self._version.kills_file).read_text().splitlines()
            return any(line.startswith("oom_kill ") and line.split()[1] != "0" for line in lines)
        return False

    def remove(self) -> None:
        """Remove the groups once the process is over; what cannot be removed yet is left to a later sweep."""
        for folder in set(self._folders.values()):
            with contextlib.suppress(OSError):
                folder.rmdir()


class Fences:
    """Makes a fence for each bot, below the groups that this process was in."""

    def __init__(self, version: Version, bases: Mapping[str, Path]) -> None:
        self.name = version.name
        self._version = version
        self._bases = bases
        self._numbers = itertools.count()

    def make(self, memory_bytes: int) -> Fence:
        """Return a fence with its limits set; raises OSError."""
        name = f"{_PREFIX}{os.getpid()}-{next(self._numbers)}"
        fence = Fence(self._version, {kind: base / name for kind, base in self._bases.items()})
        try:
            for kind, base in self._bases.items():
                folder = base / name
                folder.mkdir(exist_ok=True)
                for file, value in self._version.limits[kind].items():
                    Path(folder, file).write_text(value.format(memory=memory_bytes + _SLACK_BYTES))
        except OSError:
            fence.remove()
            raise
        return fence

    def sweep(self) -> None:
        """Remove the empty groups that killed workers left."""
        for base in set(self._bases.values()):
            for folder in base.glob(f"{_PREFIX}*-*"):
                with contextlib.suppress(OSError):
                    if time.time() - folder.stat().st_mtime > _YOUNG_SECONDS:
                        folder.rmdir()


class Fenced:
    """A back end whose processes have a fence around them, too."""

    def __init__(self, inner: Sandbox, fences: Fences) -> None:
        self.name = inner.name
        self._inner = inner
        self._fences = fences

    def probe(self) -> str | None:
        """Return what the back end lacks."""
        return self._inner.probe()

    async def start(self, job: Job) -> Jail:
        """Start a process; it is put into its fence when it has greeted, before any code of the bot runs."""
        fence = self._fences.make(job.memory_mb << 20)
        try:
            jail = await self._inner.start(job)
        except BaseException:
            fence.remove()
            raise
        jail.fence = fence
        return jail

    def close(self) -> None:
        """End what the back end keeps."""
        self._inner.close()


def detect() -> Fences:
    """Return the fences that this process can make; raises NoFence with the reason.

    With version 2 a group that has processes cannot share out memory. When all of them are this process and
    those that it started, they move into a group below their own for it.
    """
    own = _own_groups()
    try:
        if all(kind in own for kind in _CONTROLLERS):
            fences = Fences(_V1, {kind: own[kind] for kind in _CONTROLLERS})
        elif "" in own:
            _share_out(own[""])
            fences = Fences(_V2, {kind: own[""] for kind in _CONTROLLERS})
        else:
            raise NoFence("no control groups are mounted")
        fences.sweep()
        fences.make(1 << 30).remove()
    except OSError as error:
        raise NoFence(f"control groups cannot be made here: {error}") from error
    return fences


def _own_groups() -> dict[str, Path]:
    """Return the folder of this process's group for each controller, and under "" the one of version 2."""
    with contextlib.suppress(OSError):
        mounts = {}
        for line in Path("/proc/self/mountinfo").read_text().splitlines():
            before, _, after = line.partition(" - ")
            root, place = before.split()[3:5]
            kind, _, options = after.split()[:3]
            if kind == "cgroup2":
                mounts[""] = (root, place)
            elif kind == "cgroup":
                mounts |= {name: (root, place) for name in options.split(",") if name in _CONTROLLERS}
        found = {}
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, names, path = line.split(":", 2)
            for name in names.split(","):
                if name in mounts:
                    root, place = mounts[name]
                    found[name] = Path(place, os.path.relpath(path, root))
        return found
    return {}


def _share_out(group: Path) -> None:
    """Let groups below this one of version 2 have limits; raises NoFence and OSError."""
    missing = set(_CONTROLLERS) - set(Path(group, "cgroup.controllers").read_text().split())
    if missing:
        raise NoFence(f"the worker's control group has no {', '.join(sorted(missing))}")
    shared = Path(group, "cgroup.subtree_control")
    if set(_CONTROLLERS) <= set(shared.read_text().split()):
        return
    _move_aside(group)
    shared.write_text(" ".join(f"+{name}" for name in _CONTROLLERS))


def _move_aside(group: Path) -> None:
    """Move the processes of a group into one below it; raises NoFence when some are not ours."""
    if not (group / "cgroup.type").exists():
        return  # The first group of all may have both.
    processes = [int(line) for line in Path(group, "cgroup.procs").read_text().split()]
    strangers = [number for number in processes if not _descends_from(number, os.getpid())]
    if strangers:
        raise NoFence(f"the worker's control group is shared with process {strangers[0]}, among others")
    leaf = group / _LEAF
    leaf.mkdir(exist_ok=True)
    for number in processes:
        Path(leaf, "cgroup.procs").write_text(str(number))


def _descends_from(process_id: int, ancestor: int) -> bool:
    """Return whether a process is another one or was started by it; raises OSError."""
    while process_id > 1 and process_id != ancestor:
        process_id = int(Path(f"/proc/{process_id}/stat").read_bytes().rpartition(b")")[2].split()[1])
    return process_id == ancestor
