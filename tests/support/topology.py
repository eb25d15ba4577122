"""The services of docker-compose.yml on hosts of their own: network namespaces on one bridge. Takes root."""

import ctypes
import os
import pwd
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

import psutil
from support import compose, image, postgres
from support.image import Image

from workers import broker

T = TypeVar("T")
SUBNET = "10.213.84"
STOP_SECONDS = 40
_CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """Hosts that reach each other by name: a namespace and an address for each."""

    prefix: str
    folder: Path
    addresses: dict[str, str]

    def namespace(self, host: str) -> str:
        """Return the name of a host's network namespace."""
        return f"{self.prefix}-{host}"

    def call(self, host: str, work: Callable[[], T]) -> T:
        """Return what `work` returns when its connections are made from a host."""
        results: list[T] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                with open(f"/run/netns/{self.namespace(host)}") as namespace:
                    assert _libc.setns(namespace.fileno(), _CLONE_NEWNET) == 0, os.strerror(
                        ctypes.get_errno()
                    )
                results.append(work())
            except BaseException as error:  # given to the caller, who waits
                errors.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        if errors:
            raise errors[0]
        return results[0]


@contextmanager
def network(hosts: tuple[str, ...]) -> Iterator[Network]:
    """Make a bridge and a host for each name, until the block ends."""
    prefix = f"fudaba{token_hex(3)}"
    addresses = {host: f"{SUBNET}.{number}" for number, host in enumerate(hosts, start=10)}
    with ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        made = Network(prefix=prefix, folder=Path(folder), addresses=addresses)
        lines = ["127.0.0.1 localhost", *(f"{address} {host}" for host, address in addresses.items())]
        (made.folder / "hosts").write_text("\n".join(lines) + "\n")
        for name in ("switch", *hosts):
            _ip("netns", "add", made.namespace(name))
            stack.callback(_ip, "netns", "delete", made.namespace(name))
        switch = made.namespace("switch")
        _ip("-n", switch, "link", "add", "bridge", "type", "bridge")
        _ip("-n", switch, "link", "set", "bridge", "up")
        for host, address in addresses.items():
            port, own = f"p{address.rsplit('.', 1)[1]}", made.namespace(host)
            _ip("-n", switch, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", own)
            _ip("-n", switch, "link", "set", port, "master", "bridge", "up")
            _ip("-n", own, "address", "add", f"{address}/24", "dev", "eth0")
            for link in ("eth0", "lo"):
                _ip("-n", own, "link", "set", link, "up")
        yield made


@dataclass(slots=True)
class Topology:
    """The services of the compose file as processes, each as its container would be."""

    image: Image
    network: Network
    folder: Path
    services: dict[str, compose.Service] = field(default_factory=compose.services)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def run(self, name: str, command: list[str] | None = None) -> str:
        """Run a service, or another command in its place, to its good end; return what it printed."""
        with (self.folder / f"{name}.once.log").open("w+") as log:
            done = subprocess.run(
                self._command(name, command), stdout=log, stderr=subprocess.STDOUT, timeout=120
            )
            log.seek(0)
            printed = log.read()
        assert done.returncode == 0, f"{name}: {printed[-3000:]}"
        return printed

    def start(self, name: str) -> None:
        """Start a service."""
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                self._command(name), stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )

    def wait_for(self, name: str, check: Callable[[], bool], seconds: float = 60) -> None:
        """Return when `check` is true; the log of the service tells why not."""
        deadline = time.monotonic() + seconds
        while not check():
            assert self.processes[name].poll() is None, self.log(name)
            assert time.monotonic() < deadline, self.log(name)
            time.sleep(0.2)

    def wait_healthy(self, name: str) -> None:
        """Return when the health check of a service says so."""
        test = self.services[name]["healthcheck"]["test"]
        assert test[0] == "CMD"
        self.wait_for(name, lambda: not self._code(name, test[1:]))

    def log(self, name: str) -> str:
        """Return the end of what a service has printed."""
        return (self.folder / f"{name}.log").read_text(errors="replace")[-4000:]

    def stop(self) -> dict[str, int]:
        """Ask every service to stop, the last one first; return how each ended."""
        codes = {}
        for name, process in reversed(self.processes.items()):
            _signal_inside(process, signal.SIGTERM)
            codes[name] = process.wait(timeout=STOP_SECONDS)
        self.processes.clear()
        return codes

    def kill(self) -> None:
        """Kill whatever is left."""
        for process in self.processes.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.processes.clear()

    def _code(self, name: str, command: list[str]) -> int:
        return subprocess.run(self._command(name, command), capture_output=True, timeout=30).returncode

    def _command(self, name: str, command: list[str] | None = None) -> list[str]:
        service, server = self.services[name], _SERVERS.get(name)
        words = command or compose.command(service)
        variables = {key: str(value) for key, value in service.get("environment", {}).items()}
        user = int(str(service.get("user", self.image.user)).split(":")[0])
        binds = self._binds(name)
        writable = [one.split(":")[0] for one in service.get("tmpfs", ["/tmp"])]
        if server is not None:
            user, programs = server.user(), server.programs()
            words = words if command else [*server.entry_point, *words]
            binds["/opt/programs"] = (programs, False)
            variables |= {"PATH": f"/opt/programs:{self.image.variables['PATH']}", **server.variables}
            os.chown(binds[server.data][0], user, user)
        inside = image.sandbox(
            self.image, words, binds=binds, writable=writable, variables=variables, user=user
        )
        return ["ip", "netns", "exec", self.network.namespace(name), *inside]

    def _binds(self, name: str) -> dict[str, tuple[Path, bool]]:
        binds = {"/etc/hosts": (self.network.folder / "hosts", False)}
        for text in self.services[name].get("volumes", []):
            source, path = text.removesuffix(":ro").split(":")
            folder = self.folder / "volumes" / source
            folder.mkdir(parents=True, exist_ok=True)
            if path in image.folders():
                os.chown(folder, self.image.user, self.image.user)
            binds[path] = (folder, not text.endswith(":ro"))
        return binds


@dataclass(frozen=True, slots=True, kw_only=True)
class _Server:
    """A server whose image is of others: this machine's program, made ready as that image does."""

    user: Callable[[], int]
    programs: Callable[[], Path]
    data: str
    entry_point: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


_PREPARE_POSTGRES = """
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  chmod 700 "$PGDATA"
  initdb -U "$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" -A scram-sha-256 -E UTF8 --no-sync >/dev/null
  echo "listen_addresses = '*'" >> "$PGDATA/postgresql.conf"
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  echo "CREATE DATABASE $POSTGRES_DB" | postgres --single postgres >/dev/null
fi
exec "$@"
"""


def _postgres_programs() -> Path:
    found = postgres.binaries()
    assert found is not None
    return found


_SERVERS = {
    "redis": _Server(user=lambda: 999, programs=lambda: broker.find_server().parent, data="/data"),
    "postgres": _Server(
        user=lambda: pwd.getpwnam("postgres").pw_uid,
        programs=_postgres_programs,
        data="/var/lib/postgresql/data",
        entry_point=("sh", "-euc", _PREPARE_POSTGRES, "sh"),
        variables={"PGDATA": "/var/lib/postgresql/data"},
    ),
}


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr}"


def _signal_inside(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the command of a sandbox: the child of the init that bubblewrap starts."""
    (init,) = psutil.Process(process.pid).children()
    (command,) = init.children()
    command.send_signal(number)
