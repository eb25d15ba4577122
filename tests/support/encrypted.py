"""PostgreSQL and Redis as they are reached over a network: by TLS and a password alone."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import create_engine, text
from support import postgres
from support.certificates import Certified

PASSWORD = "a-password-of-the-tests"
_RULES = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n"


@contextmanager
def postgresql(certified: Certified) -> Iterator[str]:
    """Run a server that takes only TLS and a password; yield its URL without a way to check it."""
    folder, port = Path(tempfile.mkdtemp(prefix="fudaba-pg-")), free_port()
    settings = (f"port={port}", "listen_addresses=127.0.0.1", "ssl=on", "ssl_min_protocol_version=TLSv1.2")
    server = postgres.Server(folder, settings)
    data = folder / "data"
    owner = data.stat()
    for source, name in ((certified.certificate, "server.crt"), (certified.key, "server.key")):
        shutil.copyfile(source, data / name)
        (data / name).chmod(0o600)
        os.chown(data / name, owner.st_uid, owner.st_gid)
    (data / "pg_hba.conf").write_text(_RULES)
    server.start()
    try:
        engine = create_engine(f"{server.url}&port={port}", isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"ALTER USER fudaba PASSWORD '{PASSWORD}'"))
            connection.execute(text("CREATE DATABASE fudaba"))
        engine.dispose()
        yield f"postgresql://fudaba:{PASSWORD}@localhost:{port}/fudaba"
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def redis_program() -> str | None:
    """Return a Redis that knows TLS: Debian's is one program with its checks and looks at its own name."""
    return shutil.which("redis-server") or shutil.which("redis-check-rdb")


@contextmanager
def redis(certified: Certified, folder: Path) -> Iterator[str]:
    """Run a server that takes only TLS and a password; yield its URL without a way to check it."""
    port, program = free_port(), redis_program()
    assert program is not None
    command = [
        *("redis-server", "--port", "0", "--tls-port", str(port), "--bind", "127.0.0.1"),
        *("--tls-cert-file", str(certified.certificate), "--tls-key-file", str(certified.key)),
        *("--tls-ca-cert-file", str(certified.authority), "--tls-auth-clients", "no"),
        *("--requirepass", PASSWORD, "--save", "", "--dir", str(folder)),
    ]
    process = subprocess.Popen(command, executable=program, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 10
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        yield f"rediss://:{PASSWORD}@localhost:{port}/0"
    finally:
        process.kill()
        process.wait()


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
