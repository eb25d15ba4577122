"""Plays the bot on this machine, in the arena's own sandbox with its limits: `python -m unittest`."""

import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import bot

BOT = Path(__file__).with_name("bot.py")
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
FUDABA = shutil.which("fudaba", path=PATH) or "fudaba"


def fudaba(*arguments):
    """Return the exit code of a `fudaba` command and the JSON object that it printed."""
    done = subprocess.run([FUDABA, *arguments, "--json"], stdout=subprocess.PIPE, check=False)
    return done.returncode, json.loads(done.stdout)


class TheBot(unittest.TestCase):
    def test_it_takes_something_when_it_can(self):
        observation = {"legal": ["play:2-k1", "play:3-k1"], "ba": ["3-rib"]}
        self.assertEqual(bot.act(observation), "play:3-k1")

    def test_it_qualifies_in_every_game(self):
        code, report = fudaba("bot", "test", str(BOT))
        self.assertEqual((code, report["reason"]), (0, None))

    def test_it_plays_without_a_fault(self):
        code, result = fudaba("play", "hana_awase", str(BOT), "random", "random", "--deals", "4")
        self.assertEqual((code, result["faults"]), (0, []))


if __name__ == "__main__":
    unittest.main()
