"""The accelerated build plays as the pure one does; without a compiler the package stays pure."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

ROOT = Path(__file__).parents[2]
WHICH_BUILD = "from engine import games, native; games.all_games(); print(native.is_compiled())"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a copy of all that the build and the tests of the engine need, without anything compiled."""
    for folder in ("engine", "store", "workers", "api", "tests", "docs"):
        copytree(ROOT / folder, tmp_path / folder, ignore=ignore_patterns("*.so", "__pycache__"))
    (tmp_path / "setup.py").write_bytes((ROOT / "setup.py").read_bytes())
    return tmp_path


def run(tree: Path, *arguments: str, **environment: str) -> str:
    """Run Python in the tree, which must succeed; return what it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_compiled_engine_passes_the_tests_of_the_engine(tree: Path) -> None:
    run(tree, "setup.py", "build_ext", "--inplace", FUDABA_ACCELERATE="1")
    assert run(tree, "-c", WHICH_BUILD) == "True\n"
    (tree / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    run(tree, "-m", "pytest", "-q", "-n", "2", "-m", "not slow", "tests/engine")


@pytest.mark.parametrize("accelerate", ["1", "0"])
def test_without_a_compiler_or_a_wish_the_engine_is_pure(tree: Path, accelerate: str) -> None:
    run(tree, "setup.py", "build_ext", "--inplace", FUDABA_ACCELERATE=accelerate, CC="false")
    assert not list(tree.rglob("*.so"))
    assert run(tree, "-c", WHICH_BUILD) == "False\n"
