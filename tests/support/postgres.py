"""A PostgreSQL server of the tests' own, in a temporary folder on a unix socket."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

_SETTINGS = ("max_connections=100", "fsync=off", "full_page_writes=off", "listen_addresses=''")


def binaries() -> Path | None:
    """Return the folder of the newest PostgreSQL server's programs; None when there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


class Server:
    """A server that can be stopped, also without a last word, and started again on the same data."""

    def __init__(self, folder: Path, settings: Sequence[str] = ()) -> None:
        programs = binaries()
        assert programs is not None, "PostgreSQL is not installed; `make test` installs it"
        self._programs = programs
        self._folder = folder
        self._settings = (*_SETTINGS, f"unix_socket_directories={folder}", *settings)
        self._as_user = _as_ordinary_user(folder)
        self.url = f"postgresql+psycopg://fudaba@/postgres?host={folder}"
        self._run("initdb", "-A", "trust", "-U", "fudaba", "-E", "UTF8", "--no-sync")

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = " ".join(f"-c {setting}" for setting in self._settings)
        self._run("pg_ctl", "-w", "-l", self._folder / "log", "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it: `immediate` as a crash does, `fast` by ending all connections first."""
        self._run("pg_ctl", "-w", "-m", mode, "stop")

    def freeze(self) -> None:
        """Let it answer nobody, as when the network is down: its connections stay open, in silence."""
        for process in self.processes():
            process.suspend()

    def thaw(self) -> None:
        """Let it go on after `freeze`."""
        for process in self.processes():
            process.resume()

    def processes(self) -> list[psutil.Process]:
        """Return the processes that it consists of."""
        pid = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])
        postmaster = psutil.Process(pid)
        return [postmaster, *postmaster.children(recursive=True)]

    def _run(self, program: str, *arguments: str | Path) -> None:
        data = self._folder / "data"
        _run([*self._as_user, self._programs / program, "-D", data, *arguments])


@contextmanager
def running() -> Iterator[Server]:
    """Run a server until the block ends."""
    folder = Path(tempfile.mkdtemp(prefix="fudaba-pg-"))
    server = Server(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def server() -> Iterator[str]:
    """Run a server and yield the URL of its database `postgres`."""
    with running() as made:
        yield made.url


def _as_ordinary_user(folder: Path) -> list[str]:
    """Return the words in front of a command so that it does not run as root, which PostgreSQL refuses."""
    if os.geteuid() != 0:
        return []
    user = pwd.getpwnam("postgres")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


def _run(command: Sequence[str | Path]) -> None:
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd="/", timeout=60
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")
