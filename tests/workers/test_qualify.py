"""Qualification: who is accepted, who is refused and why, and that the samples we give away qualify."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from support.bot_server import HELLO, Answer, bot_server, first_legal
from support.duels import LIMITS, module, run, runtimes

from engine import games
from engine.contract import Game
from engine.errors import UnknownGame
from engine.limits import Limits
from store import uploads
from workers.qualify import Candidate, Report, qualify, shortest
from workers.runtimes.line import Endpoint
from workers.runtimes.sandbox import SandboxError

SAMPLES = Path(__file__).parents[2] / "api" / "samples"
ALL_GAMES = [game.id for game in games.all_games()]
GOOD = "def act(observation):\n    return 0\n"


def qualified(candidate: Candidate, *game_ids: str, limits: Limits = LIMITS) -> Report:
    """The report on a candidate."""

    async def work() -> Report:
        async with runtimes() as opened:
            return await qualify(candidate, opened, limits, game_ids)

    return run(work)


def qualified_server(answer: Answer = first_legal, hello: object = HELLO) -> Report:
    """The report on an endpoint that answers in this way."""

    async def work() -> Report:
        async with bot_server(answer, hello) as server, runtimes() as opened:
            endpoint = Endpoint(url=server.url("/bot"), secret="s", max_batch=4)
            return await qualify(endpoint, opened, LIMITS)

    return run(work)


@contextmanager
def sample_endpoint(secret_file: Path) -> Iterator[str]:
    """The URL of our sample endpoint, run as its page says."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, str(SAMPLES / "endpoint_bot.py"), str(port), str(secret_file)])
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.kill()
        server.wait()


def _wait_for(port: int) -> None:
    """Wait until something listens on a port."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise TimeoutError(f"nothing listens on port {port}")


@pytest.mark.parametrize("game", games.all_games(), ids=lambda game: game.id)
def test_the_shortest_match_of_a_game_has_the_fewest_rounds(game: Game) -> None:
    seats, options = shortest(game)
    settled = game.settle(seats, options)
    assert settled == (seats, options)
    assert options.get("rounds", 1) != 0
    default = game.settle()
    assert game.max_decisions(seats, options) <= game.max_decisions(*default)


@pytest.mark.integration
@pytest.mark.parametrize("name", ["plain_bot.py", "memory_bot.py"])
def test_our_sample_modules_qualify_in_every_game(name: str) -> None:
    report = qualified(uploads.inspect((SAMPLES / name).read_bytes(), name)).to_json()
    assert (report["accepted"], report["reason"]) == (True, None)
    assert [found["game"] for found in report["matches"]] == ALL_GAMES
    assert all(found["passed"] and found["faults"] == [] for found in report["matches"])
    assert all(found["legal"] == found["asked"] > 0 for found in report["matches"])
    assert report["sandbox"] == "landlock"
    assert json.loads(json.dumps(report)) == report


@pytest.mark.integration
def test_our_sample_endpoint_qualifies_and_checks_the_signature(tmp_path: Path) -> None:
    secret_file = tmp_path / "secret"
    secret_file.write_text("right\n")
    with sample_endpoint(secret_file) as url:
        right = qualified(Endpoint(url=url, secret="right", max_batch=16)).to_json()
        wrong = qualified(Endpoint(url=url, secret="wrong", max_batch=16), "sutda").to_json()
    assert (right["accepted"], right["reason"]) == (True, None)
    assert right["handshake"]["name"] == "endpoint sample"
    assert wrong["accepted"] is False
    assert wrong["matches"][0]["faults"][0]["evidence"]["status"] == 401


@pytest.mark.integration
def test_a_module_that_cannot_be_imported_is_refused_with_its_traceback() -> None:
    report = qualified(module("import nothing_of_the_kind\n" + GOOD)).to_json()
    assert report["accepted"] is False
    assert report["reason"].startswith("start: exception: ModuleNotFoundError")
    assert "line 1" in report["start"]["fault"]["evidence"]["traceback"]
    assert report["matches"] == []


@pytest.mark.integration
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("while True: pass\n" + GOOD, "start: start_timeout: the import of bot.py took"),
        ("import os\nos._exit(0)\n" + GOOD, "start: crash: "),
        ("x = bytearray(1 << 40)\n" + GOOD, "start: memory: "),
    ],
)
def test_a_module_that_does_not_start_is_refused_within_seconds(source: str, reason: str) -> None:
    began = time.monotonic()
    report = qualified(module(source), limits=replace(LIMITS, start_ms=1_500)).to_json()
    assert report["reason"].startswith(reason)
    assert time.monotonic() - began < 10


@pytest.mark.integration
def test_a_module_that_forfeits_one_game_is_refused_and_the_others_are_reported() -> None:
    source = "def act(o):\n    return 'nonsense' if o['game'] == 'seiten' else 0\n"
    report = qualified(module(source), "seiten", "minhwatu").to_json()
    assert report["accepted"] is False
    assert report["reason"].startswith("seiten: forfeited by 3 faults; the first: illegal at step ")
    assert [found["passed"] for found in report["matches"]] == [False, True]
    assert len(report["matches"][0]["faults"]) == 3


@pytest.mark.integration
def test_a_module_without_one_legal_decision_is_refused_however_many_faults_are_allowed() -> None:
    report = qualified(module("def act(o): return -1\n"), "minhwatu", limits=replace(LIMITS, max_faults=1000))
    assert report.reason is not None
    assert report.reason.startswith("minhwatu: no legal decision")


@pytest.mark.integration
def test_a_fault_that_does_not_forfeit_is_reported_and_forgiven() -> None:
    source = "turns = []\ndef act(o):\n    turns.append(0)\n    return -1 if len(turns) == 1 else 0\n"
    report = qualified(module(source), "minhwatu").to_json()
    assert report["accepted"] is True
    assert [fault["code"] for fault in report["matches"][0]["faults"]] == ["illegal"]


@pytest.mark.integration
def test_an_endpoint_is_tried_in_the_games_of_its_handshake() -> None:
    report = qualified_server().to_json()
    assert report["accepted"] is True
    assert report["games"] == ["seiten", "sutda"]
    assert report["handshake"]["ok"] is True


@pytest.mark.integration
def test_an_endpoint_whose_handshake_fails_is_refused_with_what_to_mend() -> None:
    report = qualified_server(hello={"fudaba": 1}).to_json()
    assert report["accepted"] is False
    assert report["reason"].startswith("handshake: bad_reply: ")
    assert report["handshake"]["mend"] in report["reason"]
    assert report["matches"] == []


@pytest.mark.integration
def test_an_unknown_game_and_a_missing_sandbox_are_errors_of_ours() -> None:
    with pytest.raises(UnknownGame):
        qualified(module(GOOD), "chess")

    async def without_sandbox() -> Report:
        async with runtimes() as opened:
            opened.sandbox = None
            return await qualify(module(GOOD), opened, LIMITS)

    with pytest.raises(SandboxError):
        run(without_sandbox)
