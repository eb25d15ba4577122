"""Archiving: actions and times of old finished tournaments move from their rows into files, and back.

Files come first: both are written whole, the record is verified as anybody would, and only then the database
says that they count. Rows are emptied afterwards, a page at a time, each held against what the file says. So
whoever is killed at any moment leaves everything in one place or in both, and the next run goes on.
"""

import fcntl
import gzip
import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import IO
from uuid import UUID

import msgspec
from sqlalchemy import ColumnElement, bindparam, delete, func, or_, select, update

from engine import verify
from engine.ledger import Chain, Line, MatchLine
from store import archives, editions, records, results, tournaments
from store.archives import Files, Kept
from store.database import Database, Transaction
from store.errors import ArchiveUnavailable, Conflict, NotFound
from store.models.archives import Archive, ArchivePage
from store.models.matches import Result
from store.models.tournaments import Event, Tournament, TournamentState

PAGE = 200  # lines


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a page stands in both files, and the match that it begins with."""

    event: int
    first: int
    record_at: int
    record_size: int
    times_at: int
    times_size: int


def due(tx: Transaction, before: datetime) -> list[UUID]:
    """Return the tournaments that ended before, or whose archiving was begun and not ended, oldest first."""
    query = (
        select(Tournament.id)
        .outerjoin(Archive, Archive.tournament_id == Tournament.id)
        .where(Tournament.state == TournamentState.FINISHED, Tournament.is_season.is_(False))
        .where(Archive.done_at.is_(None))
        .where(or_(Tournament.finished_at < before, Archive.tournament_id.is_not(None)))
        .order_by(Tournament.finished_at, Tournament.id)
    )
    return list(tx.scalars(query))


def put_away(database: Database, tournament_id: UUID, now: datetime) -> int:
    """Move actions and times of a finished tournament into files; return how many matches went now.

    Raises NotFound, Conflict for one that is not finished or changes meanwhile, also by a run with another
    folder, and while another run works in this one, WrongLine for a record that is not right,
    ArchiveUnavailable when a file does not say what a row says; nothing is lost then.
    """
    with alone(database):
        with database.reading() as tx:
            tournaments.require(tx, tournament_id)
            is_written = tx.get(Archive, tournament_id) is not None
        if not is_written:
            _write(database, tournament_id, now)
        moved = sum(_empty(database, page) for page in _pages(database, tournament_id))
        with database.transaction() as tx:
            tx.change(update(Archive).where(Archive.tournament_id == tournament_id).values(done_at=now))
        return moved


def bring_back(database: Database, tournament_id: UUID) -> int:
    """Fill the rows of an archived tournament again and remove its files; return how many matches came back.

    Files are removed last, also those that another run has left. Raises NotFound when it is not archived,
    Conflict while another run works in the folder, ArchiveUnavailable.
    """
    with alone(database):
        with database.transaction() as tx:
            files = Files.of(tx.archive, tournament_id)
            archive = tx.get(Archive, tournament_id)
            if archive is not None:
                archive.done_at = None
        if archive is None and not files.are_there():
            raise NotFound(f"tournament {tournament_id} is not archived")
        filled = 0 if archive is None else _refill(database, tournament_id)
        for file in (files.times, files.record):
            file.unlink(missing_ok=True)
        return filled


@contextmanager
def alone(database: Database) -> Iterator[None]:
    """Hold the folder of archives, made when it is missing; Conflict while another run holds it.

    Two runs would write the same files, and one could empty rows that the other has just filled.
    """
    with database.reading() as tx:
        folder = tx.archive
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Conflict(f"another run archives or brings back in {folder}; wait for it") from error
        yield


def _refill(database: Database, tournament_id: UUID) -> int:
    """Fill all rows of a tournament again, and let its files count no more; return how many were filled."""
    filled = sum(_fill(database, page) for page in _pages(database, tournament_id))
    with database.transaction() as tx:
        tournament = tournaments.locked(tx, tournament_id)
        if any(is_emptied(tx, event) for event in tournament.events):
            raise ArchiveUnavailable("some matches stand in no page of the archive; it is kept as it is")
        tx.change(delete(ArchivePage).where(ArchivePage.tournament_id == tournament_id))
        tx.change(delete(Archive).where(Archive.tournament_id == tournament_id))
    return filled


def is_emptied(tx: Transaction, event: Event) -> bool:
    """Return whether some match of an event has its actions in a file alone."""
    query = select(Result.number).where(Result.event_id == event.id, Result.actions.is_(None)).limit(1)
    return tx.scalar(query) is not None


def is_held(tx: Transaction, event: Event) -> bool:
    """Return whether some match of an event has its actions in its row."""
    query = select(Result.number).where(Result.event_id == event.id, Result.actions.is_not(None)).limit(1)
    return tx.scalar(query) is not None


def digest(file: Path) -> str:
    """Return the SHA-256 of a file, read in pieces."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _write(database: Database, tournament_id: UUID, now: datetime) -> None:
    """Write both files, verify them, and let the database say that they count."""
    with database.reading() as tx:
        folder = tx.archive
    files = Files.of(folder, tournament_id)
    parts = Files(*(file.with_name(f".{file.name}.part") for file in (files.record, files.times)))
    edition, lines = records.lines(database, tournament_id)
    with parts.record.open("wb") as record, parts.times.open("wb") as times:
        places = list(_written(database, tournament_id, lines, record, times))
        for opened in (record, times):
            opened.flush()
            os.fsync(opened.fileno())
    with gzip.open(parts.record, "rb") as written:
        verify.check(written)
    archive = Archive(
        tournament_id=tournament_id,
        edition=edition,
        record_sha256=digest(parts.record),
        times_sha256=digest(parts.times),
        created_at=now,
    )
    with database.transaction() as tx:
        _require_unchanged(tx, archive)
        os.replace(parts.record, files.record)
        os.replace(parts.times, files.times)
        _sync(folder)
        tx.add(archive)
        tx.flush()
        for place in places:
            tx.add(ArchivePage(tournament_id=tournament_id, **asdict(place)))


def _require_unchanged(tx: Transaction, archive: Archive) -> None:
    """Raise Conflict unless a tournament, locked, is still what was written and nobody else archived it."""
    tournament = tournaments.locked(tx, archive.tournament_id)
    latest = editions.latest(tx, tournament.id)
    if tournament.state is not TournamentState.FINISHED or latest is None or latest.number != archive.edition:
        raise Conflict("the tournament was changed while it was being archived; archive it again")
    if tx.get(Archive, tournament.id) is not None:
        raise Conflict("another run has archived the tournament meanwhile, into a folder of its own")


def _written(
    database: Database, tournament_id: UUID, lines: Iterator[Line], record: IO[bytes], times: IO[bytes]
) -> Iterator[_Place]:
    """Write the lines of a record in pages, and times beside them; yield where the matches stand."""
    chain = Chain()
    for group in _grouped(lines):
        text = b"".join(chain.append(line) for line in group)
        played = [line for line in group if isinstance(line, MatchLine)]
        if not played:
            record.write(gzip.compress(text, mtime=0))
            continue
        yield _Place(
            event=played[0].event,
            first=played[0].number,
            record_at=record.tell(),
            record_size=record.write(gzip.compress(text, mtime=0)),
            times_at=times.tell(),
            times_size=times.write(gzip.compress(_spent(database, tournament_id, played), mtime=0)),
        )
    record.write(gzip.compress(chain.end(), mtime=0))


def _grouped(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """Yield lines in pages, none of which holds matches of two events."""
    group: list[Line] = []
    event: int | None = None
    for line in lines:
        is_other = isinstance(line, MatchLine) and line.event != event
        if group and (is_other or len(group) == PAGE):
            yield group
            group = []
        if isinstance(line, MatchLine):
            event = line.event
        group.append(line)
    yield group


def _spent(database: Database, tournament_id: UUID, played: Sequence[MatchLine]) -> bytes:
    """Return the text of a page of times: what is stored of each match that has any, by its number."""
    query = (
        select(Result.number, Result.spent)
        .join(Event, Event.id == Result.event_id)
        .where(Event.tournament_id == tournament_id, Event.index == played[0].event)
        .where(Result.number.between(played[0].number, played[-1].number), Result.spent.is_not(None))
    )
    with database.reading() as tx:
        return msgspec.json.encode({number: spent for number, spent in tx.execute(query)})


def _pages(database: Database, tournament_id: UUID) -> list[ArchivePage]:
    query = select(ArchivePage).where(ArchivePage.tournament_id == tournament_id)
    with database.reading() as tx:
        return list(tx.scalars(query.order_by(ArchivePage.event, ArchivePage.first)))


def _empty(database: Database, page: ArchivePage) -> int:
    """Take out of the rows of a page what its files say as well; return of how many."""
    with database.transaction() as tx:
        tx.get(Tournament, page.tournament_id, with_for_update=True)
        if tx.get(Archive, page.tournament_id) is None:
            raise Conflict("another run has brought the tournament back meanwhile; archive it again")
        kept = archives.page(tx.archive, page)
        event_id = _event_id(tx, page)
        query = select(Result.number, Result.actions, Result.spent)
        query = query.where(Result.event_id == event_id, Result.number.in_(list(kept)))
        numbers = []
        for number, actions, spent in tx.execute(query):
            if actions is None:
                continue
            if kept[number] != Kept(actions=results.unpack_actions(actions), spent=spent):
                raise ArchiveUnavailable(f"match {number} of event {page.event} is another one in the file")
            numbers.append(number)
        emptied = update(Result).where(Result.event_id == event_id, Result.number.in_(numbers))
        return tx.change(emptied.values(actions=None, spent=None)) if numbers else 0


def _fill(database: Database, page: ArchivePage) -> int:
    """Put back into the rows of a page what they lack; return into how many. Whole rows need no files."""
    with database.transaction() as tx:
        event_id = _event_id(tx, page)
        query = select(Result.number).where(Result.event_id == event_id, Result.actions.is_(None))
        emptied = tx.scalars(query.where(*_within(page))).all()
        kept = archives.page(tx.archive, page) if emptied else {}
        rows = [
            {"of": number, "with": results.pack_actions(kept[number].actions), "took": kept[number].spent}
            for number in emptied
            if number in kept
        ]
        if rows:
            filled = update(Result).where(Result.event_id == event_id, Result.number == bindparam("of"))
            tx.connection().execute(filled.values(actions=bindparam("with"), spent=bindparam("took")), rows)
        return len(rows)


def _within(page: ArchivePage) -> tuple[ColumnElement[bool], ...]:
    """Return the condition of a match of the page's event that can stand in the page."""
    following = select(func.min(ArchivePage.first)).where(
        ArchivePage.tournament_id == page.tournament_id,
        ArchivePage.event == page.event,
        ArchivePage.first > page.first,
    )
    end = following.scalar_subquery()
    return Result.number >= page.first, or_(end.is_(None), Result.number < end)


def _event_id(tx: Transaction, page: ArchivePage) -> UUID:
    query = select(Event.id).where(Event.tournament_id == page.tournament_id, Event.index == page.event)
    return tx.scalars(query).one()


def _sync(folder: Path) -> None:
    """Let the names of files outlive a loss of power."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
