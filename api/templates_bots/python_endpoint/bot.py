"""An endpoint on the standard library alone: `python bot.py [PORT]`; port 8080 when left out, 0 for any.

The secret that signs all requests is the content of `secret.txt` beside this file, or of the file that
FUDABA_SECRET_FILE names. `fudaba bot submit URL --secret-file secret.txt` writes it.
"""

import hashlib
import hmac
import json
import os
import sys
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

GAMES = ["seiten", "sakura", "sutda", "hachinin_meri", "hana_awase", "minhwatu"]
MAX_BATCH = 16
HELLO = {"fudaba": 1, "name": "my endpoint", "games": GAMES, "max_batch": MAX_BATCH}
MOST_BYTES = 16 << 20
OLDEST_SECONDS = 300


def act(observation):
    """Return one of the texts in `observation["legal"]`, the first of the best. Put your own play here."""
    return max(observation["legal"], key=lambda action: worth(action, observation))


def worth(action, observation):
    """Return how good an action looks, for example "play:3-k1+3-rib", "bid:20" or "pass"."""
    if action in ("give_up", "open"):
        return -1
    flower = action.partition(":")[2].partition("-")[0]
    middle = observation.get("ba") or observation.get("table") or []
    takes = "+" in action or any(card.partition("-")[0] == flower for card in middle)
    return 1 if takes else 0


def actions(requests):
    """Return an action for each request; one that raises is left out, which is a fault for it alone."""
    found = {}
    for request in requests:
        try:
            found[request["id"]] = act(request["observation"])
        except Exception:
            traceback.print_exc()
    return found


def secret():
    """Return the secret, empty while there is none; it is read anew each time, so that it can be rotated.

    The arena asks a new endpoint again for ten minutes when it answers 401, until it has its secret.
    """
    path = Path(os.environ.get("FUDABA_SECRET_FILE", Path(__file__).with_name("secret.txt")))
    return path.read_bytes().strip() if path.exists() else b""


def is_from_the_arena(headers, body):
    """Return whether the arena has signed this body within the last minutes."""
    key = secret()
    timestamp = headers.get("Fudaba-Timestamp", "")
    given = headers.get("Fudaba-Signature", "")
    message = timestamp.encode() + b"." + body
    expected = "v1=" + hmac.new(key, message, hashlib.sha256).hexdigest()
    is_signed = key != b"" and hmac.compare_digest(given.encode(), expected.encode())
    return is_signed and abs(time.time() - int(timestamp)) < OLDEST_SECONDS


class Handler(BaseHTTPRequestHandler):
    """Answers the handshake (GET) and decides (POST)."""

    protocol_version = "HTTP/1.1"  # Keeps connections open between requests.
    disable_nagle_algorithm = True

    def do_GET(self):
        self.reply(200, HELLO)

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if not 0 <= length <= MOST_BYTES:
            self.close_connection = True
            return self.reply(413, {"error": "the body is too large"})
        body = self.rfile.read(length)
        if not is_from_the_arena(self.headers, body):
            return self.reply(401, {"error": "the signature is missing, wrong or too old"})
        return self.reply(200, {"actions": actions(json.loads(body)["requests"])})

    def reply(self, status, content):
        """Send a JSON object."""
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format, *arguments):
        """Say nothing about single requests."""


class Server(ThreadingHTTPServer):
    """Serves every connection in a thread; one that the other side has cut off is nothing to report."""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def main():
    """Serve until the end, on all addresses of this machine."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
    with Server(("", port), Handler) as server:
        print(f"listening on port {server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
