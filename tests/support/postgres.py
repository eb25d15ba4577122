"""A PostgreSQL server of the tests' own, in a temporary folder on a unix socket."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


def binaries() -> Path | None:
    """Return the folder of the newest PostgreSQL server's programs; None when there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


@contextmanager
def server() -> Iterator[str]:
    """Run a server and yield the URL of its database `postgres`."""
    programs = binaries()
    assert programs is not None, "PostgreSQL is not installed; `make test` installs it"
    folder = Path(tempfile.mkdtemp(prefix="fudaba-pg-"))
    as_user = _as_ordinary_user(folder)
    data = folder / "data"
    _run(
        [*as_user, programs / "initdb", "-D", data, "-A", "trust", "-U", "fudaba", "-E", "UTF8", "--no-sync"]
    )
    settings = (
        "max_connections=100",
        "fsync=off",
        "full_page_writes=off",
        f"unix_socket_directories={folder}",
    )
    options = " ".join(f"-c {setting}" for setting in ("listen_addresses=''", *settings))
    _run([*as_user, programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start"])
    try:
        yield f"postgresql+psycopg://fudaba@/postgres?host={folder}"
    finally:
        _run([*as_user, programs / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop"])
        shutil.rmtree(folder, ignore_errors=True)


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
