"""An event that ends early does so at the same block however many workers there are."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from support import installation
from support.installation import wait_finished

from api.client import Client
from engine import verify

pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]

PLAN = {
    "name": "cup",
    "entrants": ["house/random", "house/greedy", "house/first"],
    "events": [
        {"game": "sutda", "seats": 2, "options": {"rounds": 6}, "deals": 60},
        {"game": "hana_awase", "options": {"rounds": 1}, "deals": 36},
    ],
    "secret_seed": "07" * 32,
    "stop": {"separation": 0.95, "top": 1},
}


def record(home: Path, workers: int) -> list[bytes]:
    """Return the record of the cup as played by so many worker processes."""
    with (
        installation.running(home, "--workers", str(workers)) as up,
        Client(up.url, up.token) as client,
    ):
        made = client.create_tournament(PLAN)
        client.start(made["id"])
        state = wait_finished(client, made["id"])
        assert state["played"] == state["matches"]
        written = BytesIO()
        client.record(made["id"], written)
        return written.getvalue().splitlines(keepends=True)


def without_id(lines: list[bytes]) -> list[dict[str, Any]]:
    """Return the lines without the tournament's id, which is drawn anew, and the hashes that hold it."""
    return [
        {name: value for name, value in json.loads(line).items() if name not in ("prev", "tournament")}
        for line in lines
    ]


@pytest.mark.slow
def test_three_workers_end_an_event_at_the_same_block_as_one(tmp_path: Path) -> None:
    alone, together = record(tmp_path / "one", 1), record(tmp_path / "three", 3)
    for lines in (alone, together):
        assert verify.check(lines).lines == len(lines)
    ends = [event["stopped_after_block"] for event in json.loads(alone[0])["events"]]
    assert any(end is not None for end in ends)
    assert without_id(alone) == without_id(together)
