"""A ladder on a whole installation: beat opens rounds, workers play them, a killed one is made up for."""

import io
import itertools
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support import installation
from support.callers import MODULE

from api.client import Client
from engine import verify

pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]
SAKURA = {"game": "sakura", "seats": 2, "options": {"rounds": 1}}


def wait(what: str, is_so: Callable[[], bool], seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


@pytest.mark.slow
def test_a_season_is_played_closed_and_frozen_though_workers_die(tmp_path: Path) -> None:
    short = {"FUDABA_LEASE_SECONDS": "3", "FUDABA_SWEEP_SECONDS": "1"}
    with installation.running(tmp_path, "--workers", "2", **short) as up, Client(up.url, up.token) as client:
        with Client(up.url, client.create_account("ann")["token"]) as ann:
            sent = ann.submit_module("b", "bot.py", MODULE)
            assert ann.wait_qualified(sent["id"], sent["version"])["state"] == "qualified"
            plan = {"name": "up", "settings": [SAKURA], "round_seconds": 0, "deals": 1, "closing_deals": 2}
            ladder_id = client.create_ladder(plan)["id"]
            client.join_ladder(ladder_id, ["house/random", "house/greedy", "house/first"])
            wait("a round", lambda: client.ladder(ladder_id)["season"]["applied"] >= 2)
            ann.join_ladder(ladder_id, [sent["id"]])
        for worker in up.named("workers.main worker"):
            os.kill(worker.pid, signal.SIGKILL)
            break
        reached = client.ladder(ladder_id)["season"]["applied"] + 4
        wait("rounds after the kill", lambda: client.ladder(ladder_id)["season"]["applied"] >= reached)
        client.close_ladder(ladder_id)
        wait("the end", lambda: client.seasons(ladder_id)[0]["phase"] == "over")
        (season,) = client.seasons(ladder_id)
        matches = list(client.ladder_matches(ladder_id))
        assert [match["number"] for match in reversed(matches)] == list(range(len(matches)))
        for row in client.board(ladder_id)["rows"]:
            moves = [
                move
                for match in reversed(matches)
                for move in match["moves"]
                if move["entrant"] == row["entrant"]
            ]
            assert all(one["after"] == two["before"] for one, two in itertools.pairwise(moves))
            assert moves[-1]["after"]["mu"] == pytest.approx(row["mu"], abs=1e-6)
            assert len(moves) == row["matches"] > 0
        record = io.BytesIO()
        client.record(season["closing_id"], record)
    assert verify.check(record.getvalue().splitlines(keepends=True)).matches == 6 * 2 * 2
