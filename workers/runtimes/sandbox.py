"""The sandbox's back ends: bubblewrap around the inner wall, the inner wall alone, and none at all."""

import contextlib
import os
import secrets
import shutil
from functools import cached_property
from typing import Protocol

from engine.errors import FudabaError
from workers.runtimes import landlock, seccomp
from workers.runtimes.confine import Confinement, Enclosure
from workers.runtimes.handles import adopt_orphans
from workers.runtimes.jail import Jail, Job, Launch, Place, boot_command
from workers.runtimes.tree import Tree, interpreter_tree, is_reachable, parents
from workers.runtimes.zygotes import ZygoteSandbox

_FOLDER_INSIDE = "/bot"
# The range that systemd gives out to services for their life time: nobody else has these identities.
_FIRST_UID, _UIDS = 61184, 4096


class SandboxError(FudabaError):
    """A sandbox that does not exist or may not be used."""

    code = "bad_sandbox"


class Sandbox(Protocol):
    """A way to run untrusted code."""

    @property
    def name(self) -> str:
        """The name under which operators choose it."""

    def probe(self) -> str | None:
        """Return why it cannot be used on this machine, None when it seems that it can."""

    async def start(self, job: Job) -> Jail:
        """Start a process; call it in the main thread, with which the process ends. Raises OSError."""

    def close(self) -> None:
        """End what is kept running to start processes faster. Closing twice changes nothing."""


class LandlockSandbox:
    """Landlock, seccomp and resource limits: needs no privilege and no package."""

    name = "landlock"

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.packages = tree.packages

    def probe(self) -> str | None:
        """Return what is missing: a table of system calls, or Landlock."""
        if seccomp.machine() is None:
            return f"there is no table of system calls for {os.uname().machine}"
        if landlock.abi() == 0:
            return "the kernel has no Landlock (Linux 5.13 or newer with lsm=landlock is needed)"
        return None

    async def start(self, job: Job) -> Jail:
        """Start a process that sees the machine, but may read the interpreter and its own folder only."""
        place = self._place(job)
        place.confinement["parent"] = os.getpid()
        return Jail.start(job, Launch(command=boot_command(self._tree.executable), is_wrapped=False), place)

    def close(self) -> None:
        """Do nothing: nothing is kept."""

    def nest(self, scratch: str) -> tuple[Launch, Enclosure]:
        """Return how to start a zygote that may read what all its bots together may."""
        readable = [*self._tree.readable, *_existing(scratch)]
        launch = Launch(command=boot_command(self._tree.executable), is_wrapped=False)
        return launch, _enclosure(readable, parent=os.getpid())

    def hatch(self, job: Job) -> Place:
        """Return what a bot that the zygote forks finds around it; the zygote makes itself its parent."""
        place = self._place(job)
        place.confinement["memory_bytes"] += self._tree.packages_bytes
        place.confinement["parent"] = -1
        return place

    def _place(self, job: Job) -> Place:
        """Return what a bot finds around it: the machine, of which it may read next to nothing."""
        uid = _free_uid() if os.geteuid() == 0 and self._can_be_read_by_others(job) else None
        if job.folder is not None and uid is not None:
            _give(job.folder, uid)
        readable = [*self._tree.readable, *([] if job.folder is None else [job.folder])]
        return Place(
            confinement=_confinement(job, readable, uid, limit_threads=uid is not None, folder=job.folder),
            folder=job.folder,
            packages=self._tree.packages,
        )

    def _can_be_read_by_others(self, job: Job) -> bool:
        """Return whether the interpreter and the place of the job's private folder are open to everybody."""
        place = None if job.folder is None else os.path.dirname(job.folder)
        return self._tree.is_world_readable() and (place is None or is_reachable(place))


class BwrapSandbox:
    """Bubblewrap: namespaces of its own, an almost empty read-only tree, then all that `landlock` has."""

    name = "bwrap"

    def __init__(self, tree: Tree, inner: LandlockSandbox) -> None:
        self._tree = tree
        self._inner = inner
        self.packages = tree.packages

    def probe(self) -> str | None:
        """Return what is missing: bubblewrap itself, or what the inner wall needs."""
        if shutil.which("bwrap") is None:
            return "bubblewrap is not installed (the package is called bubblewrap)"
        return self._inner.probe()

    async def start(self, job: Job) -> Jail:
        """Start a process that has nothing but the interpreter and its own folder, and no network."""
        machine = seccomp.machine()
        assert machine is not None
        uid = _free_uid() if os.geteuid() == 0 else None
        folder = None if job.folder is None else _FOLDER_INSIDE
        readable = [*self._tree.readable, *([] if folder is None else [folder])]
        bind = [] if job.folder is None else ["--perms", "0555", "--dir", _FOLDER_INSIDE]
        bind += [] if job.folder is None else ["--ro-bind", job.folder, _FOLDER_INSIDE]
        closed = [] if os.geteuid() == 0 else ["--disable-userns"]
        launch = self._launch([*closed, *bind], seccomp.startup_program(machine))
        confinement = _confinement(job, readable, uid, limit_threads=True, folder=folder)
        return Jail.start(
            job, launch, Place(confinement=confinement, folder=folder, packages=self._tree.packages)
        )

    def close(self) -> None:
        """Do nothing: nothing is kept."""

    def nest(self, scratch: str) -> tuple[Launch, Enclosure]:
        """Return how to start a zygote that has the interpreter and the place of its bots' folders.

        Each bot then gives up all folders but its own.
        """
        machine = seccomp.machine()
        assert machine is not None
        bind = []
        for place in _existing(scratch):
            for folder in parents(place):
                bind += ["--perms", "0555", "--dir", folder]
            bind += ["--ro-bind", place, place]
        launch = self._launch(bind, seccomp.zygote_program(machine))
        return launch, _enclosure([*self._tree.readable, *_existing(scratch)], parent=0)

    def hatch(self, job: Job) -> Place:
        """Return what a bot that the zygote forks finds around it."""
        uid = _free_uid() if os.geteuid() == 0 else None
        if job.folder is not None and uid is not None:
            _give(job.folder, uid)
        readable = [*self._tree.readable, *([] if job.folder is None else [job.folder])]
        confinement = _confinement(job, readable, uid, limit_threads=True, folder=job.folder)
        confinement["memory_bytes"] += self._tree.packages_bytes
        # As root each bot has an identity of its own, which does the same.
        confinement["own_users"] = uid is None
        confinement["parent"] = -1
        return Place(confinement=confinement, folder=job.folder, packages=self._tree.packages)

    def _launch(self, more: list[str], program: bytes) -> Launch:
        """Return the command of the interpreter behind the outer wall, with `more` arguments and a filter."""
        adopt_orphans()
        filter_file = os.memfd_create("seccomp", os.MFD_CLOEXEC)
        os.write(filter_file, program)
        os.lseek(filter_file, 0, os.SEEK_SET)
        command = [*self._outer_wall, *more]
        command += ["--remount-ro", "/", "--chdir", "/", "--seccomp", str(filter_file), "--"]
        command += boot_command(self._tree.executable)
        return Launch(command=command, keep_open=(filter_file,), is_wrapped=True)

    @cached_property
    def _outer_wall(self) -> list[str]:
        """Return the part of the command that is the same for every bot."""
        paths = self._tree.readable
        command = [shutil.which("bwrap") or "bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net"]
        command += ["--unshare-uts", "--unshare-cgroup-try", "--hostname", "bot", "--die-with-parent"]
        command += ["--cap-drop", "ALL"]
        if os.geteuid() == 0:
            # The inner wall changes to an identity that is nobody's outside too; in a user namespace it
            # could not.
            command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        else:
            command += ["--unshare-user", "--uid", "65534", "--gid", "65534"]
        # Folders that bubblewrap makes by itself are closed to everybody but root.
        for folder in sorted({folder for path in paths for folder in parents(path)}):
            command += ["--perms", "0555", "--dir", folder]
        for path in paths:
            command += ["--ro-bind", path, path]
        return command


class UnsafeSandbox:
    """No sandbox: only for bots that the operator trusts like the worker itself."""

    name = "none"

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def probe(self) -> str | None:
        """Return None: nothing is needed."""
        return None

    async def start(self, job: Job) -> Jail:
        """Start a process with resource limits only."""
        confinement = _confinement(job, None, None, limit_threads=False, folder=job.folder)
        confinement["program"] = ""
        launch = Launch(command=boot_command(self._tree.executable), is_wrapped=False)
        return Jail.start(
            job, launch, Place(confinement=confinement, folder=job.folder, packages=self._tree.packages)
        )

    def close(self) -> None:
        """Do nothing: nothing is kept."""


def back_ends(choice: str, *, allow_unsafe: bool) -> tuple[Sandbox, ...]:
    """Return the back ends to try for a setting (auto, bwrap, landlock or none), the best first.

    Each is tried with a zygote first, then without. Raises SandboxError for another setting, and for none
    without `allow_unsafe`.
    """
    tree = interpreter_tree()
    inner = LandlockSandbox(tree)
    outer = BwrapSandbox(tree, inner)
    known: dict[str, tuple[Sandbox, ...]] = {
        "bwrap": (ZygoteSandbox(outer), outer),
        "landlock": (ZygoteSandbox(inner), inner),
    }
    if choice == "auto":
        return tuple(sandbox for group in known.values() for sandbox in group)
    if choice in known:
        return known[choice]
    if choice != "none":
        raise SandboxError(f"sandbox is {choice!r}; allowed: auto, {', '.join(known)}, none")
    if not allow_unsafe:
        raise SandboxError(
            "sandbox none runs uploaded bots without any; it has to be allowed by a second setting"
        )
    return (UnsafeSandbox(tree),)


def _confinement(
    job: Job, readable: list[str] | None, uid: int | None, *, limit_threads: bool, folder: str | None
) -> Confinement:
    """Return the inner wall for a job."""
    machine = seccomp.machine()
    return Confinement(
        memory_bytes=job.memory_mb << 20,
        readable=readable,
        uid=uid,
        own_users=False,
        limit_threads=limit_threads,
        program="" if machine is None else seccomp.bot_program(machine).hex(),
        parent=0,
        folder=folder or "/",
    )


def _enclosure(readable: list[str], *, parent: int) -> Enclosure:
    """Return the inner wall for a zygote."""
    machine = seccomp.machine()
    assert machine is not None
    program = seccomp.zygote_program(machine).hex()
    return Enclosure(readable=readable, program=program, parent=parent)


def _existing(scratch: str) -> list[str]:
    """Return the place of bots' folders, if there is one."""
    return [os.path.realpath(scratch)] if scratch else []


def _free_uid() -> int:
    """Return an identity that no other process has, most likely."""
    return _FIRST_UID + secrets.randbelow(_UIDS)


def _give(folder: str, uid: int) -> None:
    """Hand a private folder to the identity that is to read it."""
    for place, _, _ in os.walk(os.path.dirname(folder)):
        with contextlib.suppress(FileNotFoundError):
            os.chown(place, uid, uid)
