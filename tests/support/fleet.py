"""A service of separate processes, as on several machines: Redis, API, beat and workers, to be struck."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from support.brokers import Broker
from support.installation import TOKEN, VARIABLES, gone

from api.client import ApiError, Client, Unreachable
from store import accounts, schema
from store.database import Database
from workers.services import utc_now

READY_SECONDS = 60
_CELERY = (sys.executable, "-m", "celery", "-A", "workers.main")
_WORKER = ("worker", "-c", "2", "--without-gossip", "--without-mingle", "-O", "fair")


@dataclass(slots=True)
class Part:
    """One process of the service with all that it starts; its output is kept in a file."""

    name: str
    command: Sequence[str]
    environment: dict[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, in a session of its own."""
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdout=output, stderr=output, start_new_session=True
            )

    def tree(self) -> list[psutil.Process]:
        """Return the process and every process that it has started; empty when it is gone."""
        if self.process is None or self.process.poll() is not None:
            return []
        parent = psutil.Process(self.process.pid)
        return [parent, *parent.children(recursive=True)]

    def kill(self) -> None:
        """Kill it and its children at once with -9; their bots must end by themselves."""
        everything = self.tree()
        children = [one for one in everything[1:] if one.ppid() == everything[0].pid]
        for process in [*everything[:1], *children]:
            _kill(process)
        if self.process is not None:
            self.process.wait()
        assert gone(everything)

    def terminate(self, seconds: float = 60) -> float:
        """Ask it to stop, wait for its end, and return how long that took; nothing may be left of it."""
        assert self.process is not None
        everything, began = self.tree(), time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=seconds)
        assert gone(everything)
        return time.monotonic() - began


@dataclass(slots=True)
class Fleet:
    """The parts of one service; what is not started by a method of it, runs already."""

    folder: Path
    broker: Broker
    database: Database
    environment: dict[str, str]
    url: str
    parts: dict[str, Part] = field(default_factory=dict)

    def start(self, name: str, **variables: str) -> Part:
        """Start a part: `api`, a name that begins with `beat`, or any other name for a worker."""
        part = Part(name, self._command(name), {**self.environment, **variables}, self.folder / f"{name}.log")
        part.start()
        self.parts[name] = part
        return part

    def restart_dead(self) -> list[str]:
        """Start again, as whatever supervises them does, the parts that have ended; return their names."""
        dead = [part for part in self.parts.values() if not part.tree()]
        for part in dead:
            part.start()
        return [part.name for part in dead]

    def workers(self) -> list[Part]:
        """Return the workers that run."""
        return [
            part for name, part in self.parts.items() if not name.startswith(("api", "beat")) and part.tree()
        ]

    def owner(self, pid: int) -> Part:
        """Return the worker that a process belongs to."""
        return next(part for part in self.workers() if any(process.pid == pid for process in part.tree()))

    def client(self) -> Client:
        """Return a client of the API with the organiser's token."""
        return Client(self.url, TOKEN)

    def wait_ready(self) -> None:
        """Return once the API says that it is ready."""
        deadline = time.monotonic() + READY_SECONDS
        with self.client() as client:
            while True:
                try:
                    client.ready()
                    return
                except (ApiError, Unreachable) as error:
                    assert time.monotonic() < deadline, f"not ready: {error}\n{self.logs()}"
                    time.sleep(0.1)

    def logs(self, *names: str) -> str:
        """Return what the parts of these names have printed; by default of all."""
        paths = [self.folder / f"{name}.log" for name in names] or sorted(self.folder.glob("*.log"))
        return "".join(f"== {path.name}\n{path.read_text(errors='replace')}" for path in paths)

    def stop(self) -> None:
        """Kill whatever still runs."""
        for part in self.parts.values():
            for process in part.tree():
                _kill(process)
            if part.process is not None:
                part.process.wait()
        self.database.dispose()

    def _command(self, name: str) -> tuple[str, ...]:
        if name.startswith("api"):
            address = self.url.removeprefix("http://")
            threads = ("--worker-class", "gthread", "--threads", "4", "--no-control-socket")
            return (sys.executable, "-m", "gunicorn", "api.wsgi:application", "--bind", address, *threads)
        if name.startswith("beat"):
            return (*_CELERY, "beat", "--pidfile", "")
        return (*_CELERY, *_WORKER, "-n", f"{name}@%h")


@contextmanager
def running(folder: Path, broker: Broker, database: Database, **variables: str) -> Iterator[Fleet]:
    """Migrate a database and yield a fleet on it with an API, a beat and no worker yet."""
    schema.upgrade(database)
    with database.transaction() as tx:
        accounts.ensure_organiser(tx, TOKEN, utc_now())
        accounts.ensure_house_bots(tx, utc_now())
    url = f"http://127.0.0.1:{_free_port()}"
    fleet = Fleet(folder, broker, database, _environment(folder, broker, database, variables), url)
    try:
        for name in ("api", "beat"):
            fleet.start(name)
        yield fleet
    finally:
        fleet.stop()


def _environment(
    folder: Path, broker: Broker, database: Database, variables: dict[str, str]
) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    return {
        **kept,
        "FUDABA_HOME": str(folder),
        "FUDABA_DATABASE_URL": database.url,
        "REDIS_URL": broker.url,
        "PYTHONUNBUFFERED": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": str(Path(__file__).parents[2]),
        **variables,
    }


def _kill(process: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):  # it may have ended since it was listed
        process.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
