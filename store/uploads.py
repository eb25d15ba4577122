"""What an uploaded policy module holds, found out without running it."""

import hashlib
import io
import re
import stat
import struct
import unicodedata
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from engine.errors import FudabaError
from store.sources import BadSource, Style, check_source

MAX_UPLOAD_BYTES = 8 << 20
MAX_SOURCE_BYTES = 1 << 20
MAX_TOTAL_BYTES = 32 << 20
MAX_ENTRIES = 500
MAX_DEPTH = 8
MAX_NAME_BYTES = 100
MAX_PATH_BYTES = 240
MAX_RATIO = 200
RATIO_FREE_BYTES = 1 << 20
ENTRY_FILE = "bot.py"

_LITTER_FOLDERS = {"__MACOSX", "__pycache__", ".git", ".idea", ".vscode", ".ipynb_checkpoints"}
_LITTER_FILES = re.compile(r"(\.DS_Store|Thumbs\.db|desktop\.ini|\._.*|.*\.pyc)\Z")
_ENCRYPTED = 0x1
_UTF8_NAME = 0x800
_END_OF_DIRECTORY = struct.Struct("<4s4H2LH")
_CHUNK_BYTES = 1 << 16


class BadUpload(FudabaError):
    """A file that cannot be a policy module; says what is wrong, and in which entry or line."""

    code = "bad_upload"


class UploadTooLarge(BadUpload):
    """A file, or what it inflates to, that is beyond a limit."""

    code = "upload_too_large"


class Kind(StrEnum):
    """How a policy module was uploaded."""

    PY = "py"
    ZIP = "zip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A policy module as it was uploaded.

    `sha256` is of the uploaded file; `files` are the contents by path, `bot.py` among them; `ignored` are the
    paths in a zip that were left out as litter.
    """

    kind: Kind
    style: Style
    sha256: str
    files: Mapping[str, bytes]
    ignored: tuple[str, ...]

    @property
    def source(self) -> str:
        """Return the text of bot.py."""
        return self.files[ENTRY_FILE].decode("utf-8-sig")


def inspect(data: bytes, filename: str) -> Upload:
    """Return what an upload holds; raises BadUpload with a reason for its author."""
    name = filename.strip()
    if not data:
        raise BadUpload(f"{_shown(name)} is empty")
    if len(data) > MAX_UPLOAD_BYTES:
        raise UploadTooLarge(f"{_shown(name)} has {len(data)} bytes; allowed: {MAX_UPLOAD_BYTES}")
    suffix = PurePosixPath(name.lower()).suffix
    files: Mapping[str, bytes]
    ignored: tuple[str, ...] = ()
    if suffix == ".py":
        kind, files = Kind.PY, {ENTRY_FILE: _plain(data)}
    elif suffix == ".zip":
        kind = Kind.ZIP
        files, ignored = _unzip(data)
    else:
        raise BadUpload(f"{_shown(name)} is neither a .py nor a .zip file")
    return Upload(
        kind=kind,
        style=_style(files),
        sha256=hashlib.sha256(data).hexdigest(),
        files=files,
        ignored=ignored,
    )


def _plain(data: bytes) -> bytes:
    """Return the bytes of a single file, unless it is an archive in disguise."""
    if data.startswith(b"PK\3\4"):
        raise BadUpload("the file is a zip archive; give it a name that ends in .zip")
    return data


def _style(files: Mapping[str, bytes]) -> Style:
    """Return the style of bot.py among `files`."""
    source = files.get(ENTRY_FILE)
    if source is None:
        raise BadUpload(_where_is_the_entry(files))
    if len(source) > MAX_SOURCE_BYTES:
        raise UploadTooLarge(f"{ENTRY_FILE} has {len(source)} bytes; allowed: {MAX_SOURCE_BYTES}")
    try:
        return check_source(source)
    except BadSource as error:
        raise BadUpload(f"{ENTRY_FILE}: {error}") from error


def _where_is_the_entry(files: Mapping[str, bytes]) -> str:
    """Return why there is no bot.py at the root, with the most likely mistake."""
    for path in files:
        if PurePosixPath(path).name.lower() == ENTRY_FILE:
            return f"there is no {ENTRY_FILE} at the root of the archive, only {_shown(path)}; move it there"
    return f"there is no {ENTRY_FILE} at the root of the archive"


def _unzip(data: bytes) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the files of an archive by path and the litter that was left out; real bytes are counted."""
    _check_directory_size(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _files(archive)
    except UnicodeDecodeError as error:
        raise BadUpload(f"the archive has a name that is not UTF-8: {error.object!r}"[:300]) from error
    except BadUpload:
        raise
    except Exception as error:  # zipfile raises a dozen kinds of error on hostile archives
        raise BadUpload(f"the archive cannot be read: {error}"[:300]) from error


def _check_directory_size(data: bytes) -> None:
    """Refuse an archive whose directory alone would take long to read, before reading it."""
    at = data.rfind(b"PK\5\6")
    if at < 0 or len(data) - at < _END_OF_DIRECTORY.size:
        raise BadUpload("the file is not a zip archive")
    _, _, _, _, entries, directory_bytes, _, _ = _END_OF_DIRECTORY.unpack_from(data, at)
    if entries > MAX_ENTRIES or directory_bytes > MAX_ENTRIES * 1024:
        raise UploadTooLarge(f"the archive has too many entries; allowed: {MAX_ENTRIES}")


def _files(archive: zipfile.ZipFile) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the files and the litter of an open archive."""
    infos = archive.infolist()
    if len(infos) > MAX_ENTRIES:
        raise UploadTooLarge(f"the archive has {len(infos)} entries; allowed: {MAX_ENTRIES}")
    files: dict[str, bytes] = {}
    ignored: list[str] = []
    seen: set[str] = set()
    left = MAX_TOTAL_BYTES
    for info in infos:
        _check_entry(info)
        path = PurePosixPath(info.filename)
        _claim(path, info.is_dir(), seen)
        if info.is_dir():
            continue
        if _is_litter(path):
            ignored.append(info.filename)
            continue
        content = b"".join(_inflate(archive, info, left))
        left -= len(content)
        files[str(path)] = content
    return files, tuple(ignored)


def _check_entry(info: zipfile.ZipInfo) -> None:
    """Raise BadUpload for an entry that is not a plain file or folder with a harmless name."""
    name, shown = info.filename, _shown(info.orig_filename)
    parts = name.removesuffix("/").split("/")
    mode = stat.S_IFMT(info.external_attr >> 16)
    reasons = (
        (not name.isascii() and not info.flag_bits & _UTF8_NAME, "is not marked as UTF-8"),
        (name.startswith("/") or re.match(r"[A-Za-z]:", name) is not None, "is absolute"),
        ("\\" in info.orig_filename, "has a backslash"),
        (any(part in ("", ".", "..") for part in parts), "has an empty part, '.' or '..'"),
        (not info.orig_filename.isprintable(), "has a control character"),
        (any(len(part.encode()) > MAX_NAME_BYTES for part in parts), "is too long"),
        (len(name.encode()) > MAX_PATH_BYTES, "is too long"),
        (len(parts) > MAX_DEPTH, f"is deeper than {MAX_DEPTH} folders"),
    )
    for is_bad, reason in reasons:
        if is_bad:
            raise BadUpload(f"the name of entry {shown} {reason}")
    if mode not in (0, stat.S_IFREG, stat.S_IFDIR) or (mode == stat.S_IFDIR) > info.is_dir():
        raise BadUpload(f"entry {shown} is not a plain file (a link or a device)")
    if info.flag_bits & _ENCRYPTED:
        raise BadUpload(f"entry {shown} is encrypted")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadUpload(f"entry {shown} is packed in a way other than stored or deflated")


def _claim(path: PurePosixPath, is_dir: bool, seen: set[str]) -> None:
    """Note a path in `seen`; raises BadUpload when it is there already or would be a file and a folder."""
    folded = unicodedata.normalize("NFC", str(path)).casefold()
    parents = [unicodedata.normalize("NFC", str(parent)).casefold() for parent in path.parents][:-1]
    if folded in seen:
        raise BadUpload(f"entry {_shown(str(path))} occurs twice")
    if any(parent in seen for parent in parents):
        raise BadUpload(f"entry {_shown(str(path))} lies in a file")
    if not is_dir:
        if any(other.startswith(folded + "/") for other in seen):
            raise BadUpload(f"entry {_shown(str(path))} is a file and a folder")
        seen.add(folded)


def _inflate(archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: int) -> Iterator[bytes]:
    """Yield an entry's bytes, counting them: what its header claims is not believed."""
    count = 0
    allowed = max(RATIO_FREE_BYTES, MAX_RATIO * info.compress_size)
    with archive.open(info) as packed:
        while chunk := packed.read(_CHUNK_BYTES):
            count += len(chunk)
            if count > left:
                raise UploadTooLarge(f"the archive inflates to more than {MAX_TOTAL_BYTES} bytes")
            if count > allowed:
                raise UploadTooLarge(f"entry {_shown(info.filename)} inflates to more than {allowed} bytes")
            yield chunk


def _is_litter(path: PurePosixPath) -> bool:
    """Return whether a path is what operating systems and editors leave behind."""
    in_folder = any(part in _LITTER_FOLDERS for part in path.parts[:-1])
    return in_folder or _LITTER_FILES.match(path.name) is not None


def _shown(name: str) -> str:
    """Return a name for a message: quoted, cut, and without control characters."""
    return repr(name if len(name) <= 80 else name[:77] + "...")
