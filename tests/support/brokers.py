"""A real Redis (Valkey) of the tests' own, on a unix socket in a folder."""

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis
from redis.exceptions import RedisError

from workers import broker
from workers.celery_app import redis_url


class Broker:
    """A server that can be killed and started again, with or without what it kept."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._embedded = broker.embedded(folder)
        self.url = self._embedded.url
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The process that it is."""
        assert self._process is not None
        return self._process.pid

    def client(self) -> Redis:
        """Return a client of it."""
        return Redis.from_url(redis_url(self.url), socket_timeout=2, socket_connect_timeout=2)

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._process = subprocess.Popen(self._embedded.command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 10
        with self.client() as client:
            while True:
                try:
                    client.ping()
                    return
                except RedisError:
                    assert time.monotonic() < deadline, "the server does not answer"
                    time.sleep(0.01)

    def freeze(self) -> None:
        """Let it answer nobody, as when the network is down: its connections stay open, in silence."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on after `freeze`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def kill(self, *, forget: bool = False) -> None:
        """Kill it with -9; with `forget` also remove what it kept."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        for file in (self._folder / "appendonlydir").glob("*") if forget else ():
            file.unlink()


@contextmanager
def server(folder: Path) -> Iterator[Broker]:
    """Run a server in `folder` until the block ends."""
    made = Broker(folder)
    made.start()
    try:
        yield made
    finally:
        made.kill()
