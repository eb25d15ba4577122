"""The whole database against its own rules: what was added up, frozen, hashed, promised must still agree."""

import hashlib
from collections.abc import Callable, Iterator
from uuid import UUID

from sqlalchemy import func, select, text

from engine import ledger, seeds
from engine.intervals import unit_of
from engine.tallies import Tally
from store import (
    archive_checks,
    editions,
    ladder_checks,
    rerun_checks,
    seating,
    standings,
    sums,
    totals,
    tournaments,
)
from store.database import Database, Transaction
from store.models.accounts import Account
from store.models.audit import AuditEntry
from store.models.bots import Blob, Bot, BotKind, Version
from store.models.matches import Batch, BatchState, FaultRow, Result
from store.models.tournaments import (
    Edition,
    EntrantTotals,
    Event,
    EventState,
    PairTotals,
    Tournament,
    TournamentState,
    UnitTotals,
)

_PAGE = 2_000


def problems(database: Database) -> Iterator[str]:
    """Yield what is wrong, a sentence each; nothing when all is right. The service may be running.

    Each tournament is read at one moment, so that what is written meanwhile is no contradiction.
    """
    with database.reading() as tx:
        yield from _engine(database, tx)
        yield from _blobs(tx)
        yield from _audit(tx)
        found = list(tx.scalars(select(Tournament.id).order_by(Tournament.created_at, Tournament.id)))
    for tournament_id in found:
        with database.reading() as tx:
            for problem in of_tournament(tx, tournament_id):
                yield f"tournament {tournament_id}: {problem}"


def of_tournament(tx: Transaction, tournament_id: UUID) -> Iterator[str]:
    """Yield what is wrong with one tournament."""
    tournament = tournaments.get(tx, tournament_id)
    yield from _commitments(tournament)
    yield from _editions(tx, tournament)
    for of_part in (archive_checks, rerun_checks, ladder_checks):
        yield from of_part.of_tournament(tx, tournament)
    for event in tournament.events:
        for check in _EVENT_CHECKS:
            for problem in check(tx, event):
                yield f"event {event.index}: {problem}"


def _engine(database: Database, tx: Transaction) -> Iterator[str]:
    """Check what the database engine itself promises; PostgreSQL checks that as it writes."""
    if database.is_sqlite:
        for line in tx.scalars(text("PRAGMA integrity_check")):
            if line != "ok":
                yield f"the file is damaged: {line}"
        for row in tx.execute(text("PRAGMA foreign_key_check")):
            yield f"a row of {row[0]} refers to one of {row[2]} that is missing"


def _blobs(tx: Transaction) -> Iterator[str]:
    for sha256 in list(tx.scalars(select(Blob.sha256).order_by(Blob.sha256))):
        content = tx.scalar(select(Blob.content).where(Blob.sha256 == sha256)) or b""
        if hashlib.sha256(content).hexdigest() != sha256:
            yield f"the upload {sha256} has other bytes than its hash says"
    lacking = (
        select(Version.id)
        .join(Bot, Bot.id == Version.bot_id)
        .where(Bot.kind == BotKind.MODULE, Version.sha256.not_in(select(Blob.sha256)))
    )
    for version_id in tx.scalars(lacking):
        yield f"version {version_id}: its upload is missing"


def _audit(tx: Transaction) -> Iterator[str]:
    nobody = select(AuditEntry.id).where(AuditEntry.account_id.not_in(select(Account.id)))
    for entry in tx.scalars(nobody):
        yield f"log entry {entry}: nobody has done it"


def _commitments(tournament: Tournament) -> Iterator[str]:
    if seeds.commitment(tournament.secret) != tournament.commitment:
        yield "its secret is not the one that it was committed to"
    frozen = tournament.entrants_sha256
    if frozen is None or tournament.is_season:
        return
    if seeds.entrants_hash(tournaments.frozen_entrants(tournament)) != frozen:
        yield "its entrants are not those that were frozen"


def _editions(tx: Transaction, tournament: Tournament) -> Iterator[str]:
    query = select(Edition).where(Edition.tournament_id == tournament.id).order_by(Edition.number)
    for place, edition in enumerate(tx.scalars(query), 1):
        if edition.number != place:
            yield f"edition {place} is missing"
        if ledger.digest(edition.standings) != edition.sha256:
            yield f"edition {edition.number}: its standings are not those that were frozen"
    last = editions.latest(tx, tournament.id)
    if tournament.state is not TournamentState.FINISHED or tournament.is_season:
        return
    if last is None:
        yield "it is finished, but its standings were not frozen"
    elif last.standings != standings.tables(tx, tournament.id):
        yield f"edition {last.number} is not what the totals say"


def _batches(tx: Transaction, event: Event) -> Iterator[str]:
    """Check that batches cover the matches up to the next one to be opened, each once.

    Where results were taken out, the matches are in batches again.
    """
    query = (
        select(Batch.first, Batch.count, Batch.state)
        .where(Batch.event_id == event.id, Batch.state != BatchState.SPLIT)
        .order_by(Batch.first)
    )
    end = 0
    for first, count, state in tx.execute(query):
        if first > end:
            yield f"matches {end} to {first - 1} are in no batch"
        elif first < end and not event.revision:
            yield f"matches {first} to {end - 1} are in two batches"
        end = max(end, first + count)
        if event.state is EventState.FINISHED and state is BatchState.OPEN:
            yield f"it is finished, but matches {first} to {first + count - 1} are to be played"
    if end != event.next_number:
        yield f"its batches end at match {end}, but the next one is {event.next_number}"


def _counts(tx: Transaction, event: Event) -> Iterator[str]:
    """Check that results are there for what is done, and for nothing else."""
    results = select(func.count()).select_from(Result).where(Result.event_id == event.id)
    stored = tx.scalar(results) or 0
    if stored != event.played:
        yield f"{event.played} matches are counted as played, but {stored} are stored"
    batches = select(func.coalesce(func.sum(Batch.count), 0)).where(Batch.event_id == event.id)
    done = tx.scalar(batches.where(Batch.state == BatchState.DONE)) or 0
    if done != event.played + event.dropped and not event.revision:
        yield f"its finished batches have {done} matches, {event.played + event.dropped} are counted"
    astray = (
        select(Result.number)
        .where(Result.event_id == event.id)
        .where(
            select(Batch.id)
            .where(Batch.event_id == event.id, Batch.state == BatchState.DONE)
            .where(Batch.first <= Result.number, Result.number < Batch.first + Batch.count)
            .exists()
            .__invert__()
        )
    )
    for number in tx.scalars(astray.order_by(Result.number).limit(5)):
        yield f"match {number} has a result, but its batch is not done"
    if event.state is EventState.FINISHED and stored + event.set_aside + event.dropped < event.matches:
        yield f"it is finished with {stored} of {event.matches} matches"


def _sums(tx: Transaction, event: Event) -> Iterator[str]:
    """Check that totals, pairs and units of deals are what the results add up to."""
    tally = _added_up(tx, event)
    told = {
        "totals of entrants": _rows(tx, event, EntrantTotals, ("entrant",), totals.TOTALS),
        "totals of pairs": _rows(tx, event, PairTotals, ("entrant", "opponent"), totals.DUEL),
        "totals of deals": _rows(tx, event, UnitTotals, ("unit", "entrant"), totals.UNIT),
    }
    for (name, stored), expected in zip(told.items(), totals.sums_of(tally), strict=True):
        for key in sorted(stored.keys() | expected.keys()):
            if stored.get(key) != expected.get(key):
                yield f"{name}: {key} is {stored.get(key)}, but the results say {expected.get(key)}"


def _added_up(tx: Transaction, event: Event) -> Tally:
    dropped, last = sums.dropped(tx, event), -1
    tally, is_ladder = Tally(seating.sides_of(event)), seating.is_ladder(event)
    while True:
        query = select(Result).where(Result.event_id == event.id, Result.number > last)
        page = list(tx.scalars(query.order_by(Result.number).limit(_PAGE)))
        if not page:
            return tally
        slots = seating.slots(tx, event, [row.number for row in page])
        faults = _fault_seats(tx, event, page[0].number, page[-1].number)
        for row in page:
            slot = slots[row.number]
            if dropped.isdisjoint(seating.table_of(event, slot)):
                tally.add(
                    seating.seats_of(event, slot),
                    unit=None if is_ladder else unit_of(slot.deal),
                    scores=row.scores,
                    places=row.places,
                    forfeits=row.forfeits,
                    fault_seats=faults.get(row.number, []),
                )
        last = page[-1].number
        tx.expunge_all()


def _fault_seats(tx: Transaction, event: Event, first: int, last: int) -> dict[int, list[int]]:
    query = select(FaultRow.number, FaultRow.seat).where(
        FaultRow.event_id == event.id, FaultRow.number.between(first, last)
    )
    seats: dict[int, list[int]] = {}
    for number, seat in tx.execute(query):
        seats.setdefault(number, []).append(seat)
    return seats


def _rows(
    tx: Transaction,
    event: Event,
    table: type[EntrantTotals] | type[PairTotals] | type[UnitTotals],
    keys: tuple[str, ...],
    values: tuple[str, ...],
) -> dict[tuple[int, ...], tuple[int, ...]]:
    columns = [getattr(table, name) for name in (*keys, *values)]
    rows = tx.execute(select(*columns).where(table.event_id == event.id))
    return {tuple(row[: len(keys)]): tuple(row[len(keys) :]) for row in rows}


_EVENT_CHECKS: tuple[Callable[[Transaction, Event], Iterator[str]], ...] = (_batches, _counts, _sums)
