"""The files of an uploaded zip on disk, where its bot can read them."""

import os
import shutil
import tempfile
from pathlib import Path

from store.uploads import Kind, Upload

_PREFIX = "bot-"


class Unpacked:
    """The files of an upload in a folder of their own, from the first need until they are removed."""

    def __init__(self, upload: Upload, scratch: str) -> None:
        self._upload = upload
        self._scratch = scratch
        self._root: str | None = None

    def folder(self) -> str | None:
        """Return the folder with the files, None for a single .py file, which needs none."""
        if self._upload.kind is Kind.PY:
            return None
        if self._root is None:
            self._root = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=self._scratch)
            self._write(Path(self._root, "files"))
        return os.path.join(self._root, "files")

    def remove(self) -> None:
        """Remove the files. Removing twice changes nothing."""
        if self._root is not None:
            shutil.rmtree(self._root)
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
    """Remove the folders of workers that are no more."""
    for entry in os.scandir(scratch):
        owner = entry.name.removeprefix(_PREFIX).partition("-")[0]
        if entry.name.startswith(_PREFIX) and owner.isdigit() and not os.path.exists(f"/proc/{owner}"):
            shutil.rmtree(entry.path, ignore_errors=True)
