"""A changed rule is played at once, also where the rules were compiled before."""

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from support import trees

from engine import fresh

BROKEN = f"shuffle{EXTENSION_SUFFIXES[0]}"  # no library: whoever loads it fails
WHERE = "from engine import games, shuffle; games.all_games(); print(shuffle.__file__)"
BUILD = "from engine import native; print(native.build())"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a folder with the engine in which something is compiled."""
    folder = trees.copy(tmp_path)
    (folder / "engine" / BROKEN).write_bytes(b"no library")
    (folder / "engine" / fresh.NOTE).write_text(fresh.digest(folder / "engine"))
    return folder


def test_what_is_compiled_from_these_sources_is_used(tree: Path) -> None:
    assert not fresh.is_stale(tree / "engine")
    with pytest.raises(AssertionError, match=BROKEN):
        trees.python(tree, "-c", WHERE)


@pytest.mark.parametrize("what", ["a rule", "a new file", "a file that is gone", "a renamed file", "no note"])
def test_what_is_compiled_from_other_sources_is_passed_over(tree: Path, what: str) -> None:
    cards = tree / "engine" / "cards"
    match what:
        case "a rule":
            rules = tree / "engine" / "games" / "sutda.py"
            rules.write_text(f"{rules.read_text()}CHANGED = True\n")
        case "a new file":
            (cards / "new.py").write_text('"""New."""\n')
        case "a file that is gone":
            (cards / "new.py").write_text('"""New."""\n')
            (tree / "engine" / fresh.NOTE).write_text(fresh.digest(tree / "engine"))
            (cards / "new.py").unlink()
        case "a renamed file":
            (cards / "new.py").write_text('"""New."""\n')
            (tree / "engine" / fresh.NOTE).write_text(fresh.digest(tree / "engine"))
            (cards / "new.py").rename(cards / "newer.py")
        case "no note":
            (tree / "engine" / fresh.NOTE).unlink()
    assert fresh.is_stale(tree / "engine")
    assert trees.python(tree, "-c", WHERE).strip().endswith("shuffle.py")
    assert "changed after they were compiled" in trees.python(tree, "-c", BUILD)


def test_where_nothing_is_compiled_nothing_is_stale(tmp_path: Path) -> None:
    folder = trees.copy(tmp_path)
    assert not fresh.is_stale(folder / "engine")
    assert trees.python(folder, "-c", BUILD).startswith("pure Python; make fast")
