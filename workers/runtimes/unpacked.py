"""The files of an uploaded zip on disk, where its bot can read them."""

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

from store.uploads import Kind, Upload

_PREFIX = "bot-"
# A folder is locked by its owner this long after it was made, at the latest.
_YOUNG_SECONDS = 60


class Unpacked:
    """The files of an upload in a folder of their own, from the first need until they are removed."""

    def __init__(self, upload: Upload, scratch: str) -> None:
        self._upload = upload
        self._scratch = scratch
        self._root: str | None = None
        self._lock = -1

    def folder(self) -> str | None:
        """Return the folder with the files, None for a single .py file, which needs none."""
        if self._upload.kind is Kind.PY:
            return None
        if self._root is None:
            self._root = tempfile.mkdtemp(prefix=_PREFIX, dir=self._scratch)
            self._lock = os.open(self._root, os.O_RDONLY)
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            self._write(Path(self._root, "files"))
        return os.path.join(self._root, "files")

    def remove(self) -> None:
        """Remove the files. Removing twice changes nothing."""
        if self._root is not None:
            shutil.rmtree(self._root)
            os.close(self._lock)
            self._root = None

    def _write(self, folder: Path) -> None:
        """Write the files, readable by everybody who reaches them."""
        folder.mkdir()
        for path, content in self._upload.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o444)
        for place, _, _ in os.walk(folder):
            os.chmod(place, 0o755)


def remove_orphans(scratch: str) -> None:
    """Remove the folders of workers that are no more, here or in another container: nobody holds their
    locks."""
    for entry in os.scandir(scratch):
        with contextlib.suppress(OSError):
            if entry.name.startswith(_PREFIX) and time.time() - entry.stat().st_mtime > _YOUNG_SECONDS:
                _remove_unlocked(entry.path)


def _remove_unlocked(folder: str) -> None:
    """Remove a folder unless somebody holds its lock; raises OSError."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    finally:
        os.close(lock)
