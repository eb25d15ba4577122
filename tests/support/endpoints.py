"""A bot's server on this machine, for tests that play against a URL."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar


class FirstLegal(BaseHTTPRequestHandler):
    """Answers every request with the first legal action, and keeps the headers it was asked with."""

    protocol_version = "HTTP/1.1"
    signatures: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self._send({"fudaba": 1, "name": "first", "games": ["seiten"], "max_batch": 16})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.signatures.append(self.headers["Fudaba-Signature"])
        self._send({"actions": {each["id"]: each["observation"]["legal"][0] for each in body["requests"]}})

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _send(self, answer: dict[str, Any]) -> None:
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def first_legal() -> Iterator[str]:
    """Run the server as long as the context lasts; yields its URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), FirstLegal) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/bot"
        finally:
            server.shutdown()
            thread.join()
