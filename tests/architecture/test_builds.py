"""What `make fast` has compiled in this clone is what its sources say."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_nothing_compiled_is_older_than_its_source() -> None:
    stale = [
        str(source.relative_to(ROOT))
        for source in (ROOT / "engine").rglob("*.py")
        for compiled in source.parent.glob(f"{source.stem}.*.so")
        if compiled.stat().st_mtime < source.stat().st_mtime
    ]
    assert not stale, f"changed since `make fast`; run it again, or `make pure`: {', '.join(stale)}"
