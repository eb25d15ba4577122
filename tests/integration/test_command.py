"""A season by the command alone: from a new bot to a verified record, on a whole installation."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support import installation
from support.installation import Installation
from support.misbehaving import module

from api.client import Client

pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody with a home of their own, where `fudaba login` has kept who they are."""

    home: Path

    def run(self, *arguments: object, code: int = 0) -> str:
        """Run `fudaba` in its home; return what it prints when it ends with this exit code."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("FUDABA_")}
        env |= {"XDG_CONFIG_HOME": str(self.home), "HOME": str(self.home)}
        done = subprocess.run(
            [installation.FUDABA, *map(str, arguments)],
            cwd=self.home,
            env=env,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def json(self, *arguments: object, code: int = 0) -> Any:
        """Run `fudaba ... --json` and return what it prints."""
        return json.loads(self.run(*arguments, "--json", code=code))


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation on which endpoints may live on loopback."""
    variables = {"FUDABA_ALLOW_PRIVATE_ENDPOINTS": "true"}
    with installation.running(tmp_path_factory.mktemp("home"), **variables) as running:
        yield running


@pytest.fixture(scope="module")
def organiser(up: Installation, tmp_path_factory: pytest.TempPathFactory) -> Person:
    return logged_in(up, tmp_path_factory.mktemp("organiser"), up.token)


@pytest.fixture(scope="module")
def ann(up: Installation, tmp_path_factory: pytest.TempPathFactory) -> Person:
    with Client(up.url, up.token) as client:
        token = client.create_account("ann")["token"]
    return logged_in(up, tmp_path_factory.mktemp("ann"), token)


def logged_in(up: Installation, home: Path, token: str) -> Person:
    person = Person(home=home)
    person.run("login", "--url", up.url, "--token", token)
    return person


def without_times(report: Any) -> Any:
    """Return a report without what differs from run to run."""
    if isinstance(report, dict):
        timed = ("seconds", "mean_ms", "most_ms", "latency_ms", "log")
        return {name: without_times(value) for name, value in report.items() if name not in timed}
    return [without_times(each) for each in report] if isinstance(report, list) else report


def test_the_trial_at_home_is_the_report_of_the_service(ann: Person) -> None:
    ann.run("bot", "new", "python-module", "mine")
    at_home = ann.json("bot", "test", "mine/bot.py")
    sent = ann.json("bot", "submit", "mine/bot.py", "--name", "mine", "--wait")
    assert without_times(sent["qualification"]["report"]) == without_times(at_home)
    assert at_home["accepted"] and len(at_home["matches"]) == 6


def test_a_bot_that_fails_is_refused_alike_at_home_and_by_the_service(ann: Person) -> None:
    (ann.home / "bad.py").write_text("def act(observation):\n    raise ValueError('boom')\n")
    at_home = ann.json("bot", "test", "bad.py", "--game", "sutda", code=1)
    sent = ann.json("bot", "submit", "bad.py", "--game", "sutda", "--wait", code=1)
    assert sent["state"] == "refused"
    assert without_times(sent["qualification"]["report"]) == without_times(at_home)


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        ("python-endpoint", (sys.executable, "bot.py", "0")),
        pytest.param("javascript-endpoint", ("node", "bot.js", "0"), marks=pytest.mark.needs("node")),
    ],
)
def test_a_new_endpoint_qualifies_with_the_secret_that_it_is_given(
    ann: Person, kind: str, command: Sequence[str]
) -> None:
    ann.run("bot", "new", kind, kind)
    server = subprocess.Popen(command, cwd=ann.home / kind, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    with server, server.stdout:
        try:
            url = f"http://127.0.0.1:{server.stdout.readline().split()[-1]}/"
            options = ("--max-batch", "16", "--secret-file", f"{kind}/secret.txt")
            sent = ann.json("bot", "submit", url, "--name", kind, *options, "--wait")
            at_home = ann.json("bot", "test", url, "--secret", sent["secret"], "--max-batch", "16")
        finally:
            server.kill()
    assert sent["state"] == "qualified", sent
    assert without_times(sent["qualification"]["report"]) == without_times(at_home)
    assert sum(len(match["faults"]) for match in at_home["matches"]) == 0


def test_a_tournament_from_plan_to_verified_record(organiser: Person, ann: Person) -> None:
    (ann.home / "raises.py").write_bytes(module("raise ValueError('boom')"))
    ann.json("bot", "submit", "raises.py", "--game", "hana_awase", "--wait")
    organiser.json(
        *("tournament", "create", "cup", "--event", "hana_awase,deals=2,rounds=2"),
        *("--entrant", "house/greedy", "--entrant", "house/first"),
    )
    ann.json("tournament", "enter", "cup", "raises")
    assert "cup: running" in organiser.run("tournament", "start", "cup")
    assert "cup: finished, 6 of 6" in ann.run("tournament", "watch", "cup")
    csv = ann.run("tournament", "standings", "cup", "--csv").splitlines()
    assert len(csv) == 4
    assert ",ann/raises," in csv[-1]
    assert len(ann.json("tournament", "matches", "cup")["items"]) == 6
    assert "raise ValueError('boom')" in ann.run("bot", "faults", "raises", "--limit", "1")
    fault = ann.json("bot", "faults", "raises", "--limit", "1")["items"][0]
    assert fault["code"] == "exception"
    assert "the bot's code raised" in ann.run("bot", "faults", "raises")
    ann.run("tournament", "record", "cup", "cup.ndjson")
    assert ann.json("verify", "cup.ndjson")["matches"] == 6
