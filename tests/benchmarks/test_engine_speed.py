"""The benchmark of the engine runs, measures every kind of work, and compares two states of the sources."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def report(*arguments: str) -> dict[str, Any]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}
    shortest = ("--seconds", "0", "--repeats", "1")
    command = [sys.executable, "tests/benchmarks/engine_speed.py", "--json", *shortest, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_all_figures_of_a_game_are_measured() -> None:
    (row,) = report("--game", "minhwatu")["rows"]
    rates = {name: value for name, value in row.items() if name not in ("source", "game")}
    assert row["game"] == "minhwatu"
    assert set(rates) >= {"playouts", "decisions", "with observation", "cost", "clone", "determinize"}
    assert all(value > 0 for value in rates.values())


def test_two_states_of_the_sources_play_the_same_matches_side_by_side() -> None:
    found = report("--game", "sutda", "--case", "bare", "--against", str(ROOT))
    assert [row["source"] for row in found["rows"]] == ["against", "this"]
    assert len({row["decisions in a playout"] for row in found["rows"]}) == 1
    assert set(found["import"]) == {"against", "this"}


@pytest.mark.slow
def test_two_commits_are_measured_side_by_side() -> None:
    found = report("--game", "sutda", "--case", "bare", "--compare", "HEAD", "HEAD~0")
    assert [row["source"] for row in found["rows"]] == ["HEAD", "HEAD~0"]
