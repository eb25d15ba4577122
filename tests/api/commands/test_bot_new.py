"""`fudaba bot new`: what it writes works, by the tests that it writes beside it."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.shell import Shell

from api.commands.bot_new import KINDS

SHELL = Shell(url="http://127.0.0.1:1")
UNITTEST = (sys.executable, "-m", "unittest", "-v")
TESTS = (
    pytest.param("python-module", UNITTEST, 3, id="python-module"),
    pytest.param("python-endpoint", UNITTEST, 2, id="python-endpoint"),
    pytest.param(
        "javascript-endpoint",
        ("node", "--test", "--test-reporter=tap"),
        3,
        marks=pytest.mark.needs("node"),
        id="javascript-endpoint",
    ),
)


@pytest.mark.parametrize(("kind", "command", "count"), TESTS)
def test_the_tests_of_what_it_writes_pass(
    tmp_path: Path, kind: str, command: Sequence[str], count: int
) -> None:
    written = SHELL.json("bot", "new", kind, tmp_path / "mine")
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == written["files"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {
        **os.environ,
        "PATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONWARNINGS": "error::ResourceWarning",
    }
    done = subprocess.run(
        command, cwd=tmp_path / "mine", env=env, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = done.stdout.count("\nok ") + done.stderr.count("... ok\n")
    assert passed == count, done.stdout + done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_written_over(tmp_path: Path, kind: str) -> None:
    (tmp_path / "README.md").write_text("mine")
    result = SHELL.run("bot", "new", kind, tmp_path)
    assert result.exit_code == 2
    assert "README.md" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
    assert (tmp_path / "README.md").read_text() == "mine"


@pytest.mark.parametrize("kind", KINDS)
def test_people_are_told_what_was_written_and_where_to_read_on(tmp_path: Path, kind: str) -> None:
    result = SHELL.run("bot", "new", kind, tmp_path / "a" / "b")
    assert result.exit_code == 0
    assert "README.md" in result.stdout
    assert (tmp_path / "a" / "b" / "README.md").exists()


def test_a_folder_that_cannot_be_made_is_a_mistake_of_usage(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert SHELL.run("bot", "new", "python-module", tmp_path / "file" / "mine").exit_code == 2
    assert SHELL.run("bot", "new", "cobol-module", tmp_path).exit_code == 2
