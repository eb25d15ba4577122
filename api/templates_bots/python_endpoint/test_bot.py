"""Plays the endpoint on this machine, as the arena does with a submission: `python -m unittest`."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import bot

PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
FUDABA = shutil.which("fudaba", path=PATH) or "fudaba"


class TheEndpoint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = Path(folder.name, "secret.txt")
        file.write_text("the secret of the test")
        os.environ["FUDABA_SECRET_FILE"] = str(file)
        server = bot.Server(("127.0.0.1", 0), bot.Handler)
        self.url = f"http://127.0.0.1:{server.server_port}/"
        threading.Thread(target=server.serve_forever).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)

    def try_out(self, secret):
        """Return the exit code of `fudaba bot test` and its report."""
        options = ["--secret", secret, "--max-batch", str(bot.MAX_BATCH), "--json"]
        done = subprocess.run([FUDABA, "bot", "test", self.url, *options], capture_output=True, check=False)
        return done.returncode, json.loads(done.stdout)

    def test_it_qualifies_in_every_game(self):
        code, report = self.try_out("the secret of the test")
        self.assertEqual((code, report["reason"]), (0, None))
        self.assertEqual([match["game"] for match in report["matches"]], bot.GAMES)

    def test_it_answers_nobody_but_the_arena(self):
        code, report = self.try_out("another secret")
        self.assertEqual((code, report["matches"][0]["faults"][0]["code"]), (1, "http_status"))


if __name__ == "__main__":
    unittest.main()
