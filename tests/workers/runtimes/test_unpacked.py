"""The files of a zip on disk: written for the bot alone, removed at the end, also after a worker's death."""

import os
import zipfile
from io import BytesIO
from pathlib import Path

from store import uploads
from store.uploads import Upload
from workers.runtimes.unpacked import Unpacked, remove_orphans

LONG_AGO = 1_000_000_000


def zipped() -> Upload:
    """An upload with a file in a folder."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("bot.py", "def act(o): return 0\n")
        archive.writestr("data/w.bin", b"\1\2")
    return uploads.inspect(out.getvalue(), "b.zip")


def test_a_single_file_needs_no_folder(tmp_path: Path) -> None:
    upload = uploads.inspect(b"def act(o): return 0\n", "b.py")
    assert Unpacked(upload, str(tmp_path)).folder() is None
    assert list(tmp_path.iterdir()) == []


def test_files_are_readable_but_not_writable_and_go_at_the_end(tmp_path: Path) -> None:
    unpacked = Unpacked(zipped(), str(tmp_path))
    folder = Path(unpacked.folder() or "")
    assert (folder / "data" / "w.bin").read_bytes() == b"\1\2"
    assert {path.stat().st_mode & 0o777 for path in folder.rglob("*") if path.is_file()} == {0o444}
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    assert unpacked.folder() == str(folder)
    unpacked.remove()
    unpacked.remove()
    assert list(tmp_path.iterdir()) == []


def test_folders_of_dead_workers_are_cleared_away_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    unpacked = Unpacked(zipped(), str(tmp_path))
    living = Path(unpacked.folder() or "").parent
    dead, young, other = tmp_path / "bot-dead", tmp_path / "bot-young", tmp_path / "other"
    for folder in (dead, young, other):
        (folder / "files").mkdir(parents=True)
    for folder in (living, dead, other):
        os.utime(folder, (LONG_AGO, LONG_AGO))
    remove_orphans(str(tmp_path))
    assert set(tmp_path.iterdir()) == {living, young, other}
    unpacked.remove()
