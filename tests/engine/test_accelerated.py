"""The accelerated build plays as the pure one does; without a compiler the package stays pure."""

from pathlib import Path

import pytest
from support import trees

WHICH_BUILD = "from engine import games, native; games.all_games(); print(native.is_compiled())"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def test_the_compiled_engine_passes_the_tests_of_the_engine(tmp_path: Path) -> None:
    tree = trees.build(trees.copy(tmp_path, "store", "workers", "api", "tests", "docs"))
    assert trees.python(tree, "-c", WHICH_BUILD) == "True\n"
    libraries = [path for path in tree.rglob("*.so") if "build" not in path.relative_to(tree).parts]
    assert libraries and all(path.is_relative_to(tree / "engine") for path in libraries)
    (tree / "pyproject.toml").write_bytes((trees.ROOT / "pyproject.toml").read_bytes())
    trees.python(tree, "-m", "pytest", "-q", "-n", "2", "-m", "not slow", "tests/engine")


@pytest.mark.parametrize("accelerate", ["1", "0"])
def test_without_a_compiler_or_a_wish_the_engine_is_pure(tmp_path: Path, accelerate: str) -> None:
    tree = trees.build(trees.copy(tmp_path), FUDABA_ACCELERATE=accelerate, CC="false")
    assert not list(tree.rglob("*.so"))
    assert trees.python(tree, "-c", WHICH_BUILD) == "False\n"
