"""What docs/train.md shows works: its programs run, and what the example trains is a bot that qualifies."""

import importlib
import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from support.duels import LIMITS, run, runtimes

from engine.games import get
from engine.rng import Stream
from store import uploads
from workers.qualify import Report, qualify

DOCS = Path(__file__).parents[3] / "docs"
EXAMPLES = DOCS / "examples"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The example as a module."""
    monkeypatch.syspath_prepend(EXAMPLES)
    yield importlib.import_module("train_hana_awase")


@pytest.fixture
def trained_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A way to open a zip as a bot: its bot.py as a module, its files beside it."""

    def opened(data: bytes) -> ModuleType:
        zipfile.ZipFile(io.BytesIO(data)).extractall(tmp_path)
        monkeypatch.syspath_prepend(tmp_path)
        return importlib.import_module("bot")

    yield opened
    for name in ("bot", "encoding"):
        sys.modules.pop(name, None)


def test_the_trained_bot_qualifies(example: ModuleType) -> None:
    data = example.export(example.train(matches=100))
    upload = uploads.inspect(data, "bot.zip")
    assert set(upload.files) == {"bot.py", "encoding.py", "policy.json", "weights.npy"}

    async def work() -> Report:
        async with runtimes() as opened:
            return await qualify(upload, opened, LIMITS, ["hana_awase", "sutda"])

    report = run(work)
    assert report.reason is None, json.dumps(report.to_json())
    assert all(match.asked and not match.faults for match in report.matches), json.dumps(report.to_json())


def test_the_bot_plays_what_the_policy_says(example: ModuleType, trained_bot: Any) -> None:
    policy = example.train(matches=60)
    assert policy.weights.any()
    bot = trained_bot(example.export(policy))
    env = example.pettingzoo.raw_env(example.GAME)  # of the default length: the slots have the same names
    env.reset(seed=3)
    texts, state, rng = env.action_texts(), get(example.GAME).new_match(seed=b"bot"), Stream("bot")
    while state.to_move is not None:
        legal = state.legal_actions()
        mask = [action in legal for action in range(len(texts))]
        _, chances = policy.chances(policy.encoder.encode(state.observation(state.to_move)), mask)
        answer = bot.act(state.observation(state.to_move))
        assert chances[texts.index(answer)] == pytest.approx(chances.max(), rel=1e-5)
        state.apply(rng.choice(legal))


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_training_pays(example: ModuleType) -> None:
    untrained = example.mean_reward(example.train(matches=0), matches=2000)
    trained = example.mean_reward(example.train(matches=6000), matches=2000)
    assert trained > untrained + 0.1


def test_the_example_runs_as_the_page_says(tmp_path: Path) -> None:
    command = [sys.executable, EXAMPLES / "train_hana_awase.py", "--matches", "20", "--out", "bot.zip"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PYTHONPATH": str(DOCS.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "mean reward" in done.stdout and uploads.inspect((tmp_path / "bot.zip").read_bytes(), "bot.zip")


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", (DOCS / "train.md").read_text(), re.S))
def test_the_programs_of_the_page_run(code: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(DOCS.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
