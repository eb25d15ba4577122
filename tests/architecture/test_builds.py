"""What `make fast` has compiled in this clone is what its sources say."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[2]


def stale(engine: Path) -> list[str]:
    """Return what is compiled without a source, which would still be imported, or from an earlier one."""
    return sorted(
        compiled.name
        for compiled in engine.rglob("*.so")
        if not (source := compiled.with_name(f"{compiled.name.partition('.')[0]}.py")).exists()
        or compiled.stat().st_mtime < source.stat().st_mtime
    )


def test_nothing_compiled_is_older_than_its_source_or_without_one() -> None:
    found = stale(ROOT / "engine")
    assert not found, f"run `make pure`, and `make fast` again if it is wanted; stale: {', '.join(found)}"


def test_what_is_stale_is_found(tmp_path: Path) -> None:
    games = tmp_path / "games"
    games.mkdir()
    for name in ("fresh", "changed", "renamed"):
        (games / f"{name}.cpython-311-x86_64-linux-gnu.so").touch()
        (games / f"{name}.py").touch()
        os.utime(games / f"{name}.py", (0, 0))
    assert stale(tmp_path) == []
    os.utime(games / "changed.py", (2**32, 2**32))
    (games / "renamed.py").rename(games / "other.py")
    assert [name.partition(".")[0] for name in stale(tmp_path)] == ["changed", "renamed"]
