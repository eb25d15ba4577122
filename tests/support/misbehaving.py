"""Bots that pass their qualification and misbehave in real matches, which have more rounds."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

_MODULE = """
import os

def misbehave(observation):
    {deed}

def act(observation):
    if observation["rounds"] > 1:
        return misbehave(observation)
    return observation["legal"][0]
"""

# What a module does instead of answering, and the fault that it makes.
DEEDS = {
    "raise ValueError('boom')": "exception",
    "os._exit(3)": "crash",
    "return 'play:nothing'": "illegal",
    "return True": "bad_reply",
    "while True: pass": "timeout",
    "return bytearray(1 << 30)": "memory",
}


def module(deed: str) -> bytes:
    """Return the source of a module that does `deed` in real matches."""
    return _MODULE.format(deed=deed).encode()


class _Handler(BaseHTTPRequestHandler):
    """Answers well while `is_good`, with status 500 afterwards."""

    protocol_version = "HTTP/1.1"
    is_good: ClassVar[bool] = True

    def do_GET(self) -> None:
        self._reply(200, {"fudaba": 1, "name": "turncoat", "games": ["hana_awase"], "max_batch": 8})

    def do_POST(self) -> None:
        requests = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["requests"]
        if not self.is_good:
            self._reply(500, {"error": "down"})
            return
        actions = {request["id"]: request["observation"]["legal"][0] for request in requests}
        self._reply(200, {"actions": actions})

    def _reply(self, status: int, content: object) -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


class Turncoat:
    """An endpoint on loopback that answers well until it is told to fail."""

    def __init__(self, server: ThreadingHTTPServer, handler: type[_Handler]) -> None:
        self.url = f"http://127.0.0.1:{server.server_port}/"
        self._handler = handler

    def fail(self) -> None:
        """Answer every further request with status 500."""
        self._handler.is_good = False


@contextmanager
def turncoat() -> Iterator[Turncoat]:
    """Run the endpoint until the block ends."""
    handler = type("_OwnHandler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Turncoat(server, handler)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
