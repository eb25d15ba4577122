"""An endpoint bot on the standard library alone: `python endpoint_bot.py PORT SECRET_FILE`.

It answers the handshake (GET), checks the signature of each request (POST) and plays the first legal action.
"""

import hashlib
import hmac
import json
import pathlib
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

GAMES = ["seiten", "sakura", "sutda", "hachinin_meri", "hana_awase", "minhwatu"]
HELLO = {"fudaba": 1, "name": "endpoint sample", "games": GAMES, "max_batch": 16}
OLDEST_SECONDS = 300


def act(observation):
    """Return an action text of `observation["legal"]`. This is the place for your own play."""
    return observation["legal"][0]


def secret():
    """Return the secret that the arena gave at registration; it is read anew so that it can be rotated."""
    return pathlib.Path(sys.argv[2]).read_bytes().strip()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # Keeps connections open between requests.
    disable_nagle_algorithm = True

    def do_GET(self):
        self.reply(200, HELLO)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.is_signed(body):
            return self.reply(401, {"error": "the signature is missing, wrong or too old"})
        requests = json.loads(body)["requests"]
        return self.reply(200, {"actions": {each["id"]: act(each["observation"]) for each in requests}})

    def is_signed(self, body):
        """Return whether the arena has sent this body within the last minutes."""
        timestamp = self.headers.get("Fudaba-Timestamp", "0")
        digest = hmac.new(secret(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        is_recent = abs(time.time() - int(timestamp)) < OLDEST_SECONDS
        return is_recent and hmac.compare_digest(self.headers.get("Fudaba-Signature", ""), "v1=" + digest)

    def reply(self, status, content):
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format, *arguments):
        """Say nothing about single requests."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
