"""The archive against the database: files that are there and whole, rows that are emptied or are not."""

from collections.abc import Iterator

from store import archiving, editions
from store.archives import Files
from store.database import Transaction
from store.errors import ArchiveUnavailable
from store.models.archives import Archive
from store.models.tournaments import Tournament


def of_tournament(tx: Transaction, tournament: Tournament) -> Iterator[str]:
    """Yield what is wrong with the archive of a tournament, or with the lack of one."""
    archive = tx.get(Archive, tournament.id)
    if archive is None:
        for event in tournament.events:
            if archiving.is_emptied(tx, event):
                yield f"event {event.index}: matches lack their actions, but nothing is archived"
        return
    yield from _files(tx, archive)
    last = editions.latest(tx, tournament.id)
    if last is None or last.number != archive.edition:
        yield f"edition {archive.edition} is archived, but it is not the one that counts"
    if archive.done_at is not None and any(archiving.is_held(tx, event) for event in tournament.events):
        yield "it is archived, but some matches still have their actions in the database"


def _files(tx: Transaction, archive: Archive) -> Iterator[str]:
    try:
        files = Files.of(tx.archive, archive.tournament_id)
    except ArchiveUnavailable as error:
        yield f"it is archived, but {error}"
        return
    for file, sha256 in ((files.record, archive.record_sha256), (files.times, archive.times_sha256)):
        if not file.is_file():
            yield f"the archived file {file.name} is not in {file.parent}"
        elif archiving.digest(file) != sha256:
            yield f"the archived file {file.name} has other bytes than were archived"
