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


def test_growth_is_measured_from_few_entrants_to_many() -> None:
    rows = report("growth_speed", "--matches", "100", "--stretch", "50", "--most-entrants", "100")["rows"]
    assert [row["entrants"] for row in rows] == [10, 100, 100, 100]
    assert all(row["first_us"] > 0 and row["last_us"] > 0 for row in rows)
