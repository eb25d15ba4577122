"""Archived matches: what their rows no longer hold, read from the files that hold it.

The record of a tournament is a gzip file of many members, each with some of its lines, so that one match is
found without reading the others; what decisions took stands beside it in a file of the same pages.
"""

import gzip
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import msgspec
from sqlalchemy import select

from store import results
from store.database import Transaction
from store.errors import ArchiveUnavailable, Conflict
from store.models.archives import Archive, ArchivePage
from store.models.matches import Result
from store.models.tournaments import Event

_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is kept of a match beside its result: its actions, and what decisions took (store.timings)."""

    actions: tuple[str, ...]
    spent: bytes | None


@dataclass(frozen=True, slots=True)
class Files:
    """Where the two files of an archived tournament lie."""

    record: Path
    times: Path

    @classmethod
    def of(cls, folder: Path, tournament_id: UUID) -> "Files":
        """Return the files of a tournament."""
        return cls(folder / f"{tournament_id}.ndjson.gz", folder / f"{tournament_id}.times.gz")

    def are_there(self) -> bool:
        """Return whether there is one of them."""
        return self.record.exists() or self.times.exists()


class _Line(msgspec.Struct):
    """What is wanted of a line of a record."""

    kind: str
    number: int = -1
    actions: tuple[str, ...] = ()


_lines = msgspec.json.Decoder(_Line)
_times = msgspec.json.Decoder(dict[int, bytes])


def require_none(tx: Transaction, tournament_id: UUID) -> None:
    """Raise Conflict when a tournament is archived: its rows do not hold all that they held."""
    if tx.get(Archive, tournament_id) is not None:
        raise Conflict("the tournament is archived; `fudaba admin unarchive` brings its matches back first")


def kept(tx: Transaction, event: Event, result: Result) -> Kept:
    """Return the actions of a match and what decisions took, from its row or from files.

    Raises ArchiveUnavailable.
    """
    if result.actions is None:
        return _from_files(tx, event, result.number)
    return Kept(actions=results.unpack_actions(result.actions), spent=result.spent)


def _from_files(tx: Transaction, event: Event, number: int) -> Kept:
    query = (
        select(ArchivePage)
        .where(ArchivePage.tournament_id == event.tournament_id, ArchivePage.event == event.index)
        .where(ArchivePage.first <= number)
        .order_by(ArchivePage.first.desc())
        .limit(1)
    )
    found = tx.scalars(query).one_or_none()
    matches = {} if found is None else page(tx.archive, found)
    if number not in matches:
        raise ArchiveUnavailable(f"match {number} of event {event.index} is in no page of the archive")
    return matches[number]


def page(folder: Path, of: ArchivePage) -> Mapping[int, Kept]:
    """Return what a page keeps, by match number; raises ArchiveUnavailable."""
    files = Files.of(folder, of.tournament_id)
    text = _member(files.record, of.record_at, of.record_size)
    spent = _member(files.times, of.times_at, of.times_size)
    try:
        times = _times.decode(spent)
        lines = [_lines.decode(line) for line in text.splitlines()]
    except msgspec.MsgspecError as error:
        raise ArchiveUnavailable(f"{files.record.name} is not what was archived: {error}") from error
    return {
        line.number: Kept(actions=line.actions, spent=times.get(line.number))
        for line in lines
        if line.kind == "match"
    }


def record(tx: Transaction, tournament_id: UUID) -> Iterator[bytes] | None:
    """Return the record of an archived tournament in pieces, None for others; raises ArchiveUnavailable."""
    if tx.get(Archive, tournament_id) is None:
        return None
    file = Files.of(tx.archive, tournament_id).record
    if not file.is_file():
        raise ArchiveUnavailable(f"the archived record {file.name} is not in {file.parent}")
    return _unpacked(file)


def _unpacked(file: Path) -> Iterator[bytes]:
    with gzip.open(file, "rb") as opened:
        while chunk := opened.read(_CHUNK):
            yield chunk


def _member(file: Path, at: int, size: int) -> bytes:
    try:
        with file.open("rb") as opened:
            opened.seek(at)
            return gzip.decompress(opened.read(size))
    except (OSError, EOFError, zlib.error) as error:
        raise ArchiveUnavailable(f"the archive {file.name} cannot be read: {error}") from error
