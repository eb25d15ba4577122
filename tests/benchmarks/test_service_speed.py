"""The benchmarks of the whole service and of its growth run, and play what they say."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.integration, pytest.mark.timeout(600)]


def report(program: str, *arguments: str) -> dict[str, Any]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    command = [sys.executable, f"tests/benchmarks/{program}.py", "--json", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_same_matches_are_played_by_the_service_and_without_it() -> None:
    found = report("service_speed", "--deals", "1", "--workers", "1")
    assert [row["how"] for row in found["rows"]] == [
        "service, 1 workers",
        "bare runner, sandboxed",
        "bare runner, in process",
    ]
    assert {row["matches"] for row in found["rows"]} == {12}
    assert all(row["cpu_seconds"] > 0 for row in found["rows"])
    assert all(seconds >= 0 for row in found["rows"] for seconds in row["cpu_of"].values())
    assert {"main", "api", "worker", "beat", "broker"} <= set(found["rows"][0]["memory_mb"])
    assert found["bytes_in_flight"] > 0


def test_growth_is_measured_as_the_database_fills() -> None:
    rows = report("growth_speed", "--case", "10", "100", "--most", "10000", "--stretch", "50")["rows"]
    assert [row["matches"] >= size for row, size in zip(rows, (1_000, 10_000), strict=True)] == [True, True]
    assert all(row["us"] > 0 and row["growth"] > 0 for row in rows)
