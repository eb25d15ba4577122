"""Going back: an event whose results were changed goes through its blocks again, playing what is missing.

Benching and the early end are decided again at the end of every block. What was played under another decision
is taken out and played again, so that in the end all is as if it had been played so at once.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import delete, func, select

from engine.schedule import Schedule
from store import benches, gaps, seating, selections, sums, voids
from store.database import Transaction
from store.models.matches import Batch, BatchState, FaultRow, Result
from store.models.reruns import Rerun, RerunPart, RerunState
from store.models.tournaments import (
    Bench,
    Event,
    EventEstimate,
    EventState,
    OverallEstimate,
    Tournament,
    TournamentState,
)


def rewind(tx: Transaction, tournament: Tournament, event: Event, block: int) -> None:
    """Take an event, and its tournament, back to the end of a block, or leave it where that is ahead.

    All rows must be locked. Estimates are gone until they are worked out again.
    """
    schedule = seating.schedule_of(event)
    voids.close_batches(tx, event)
    event.block = min(event.block, block)
    event.state, event.finished_at, event.stopped_after_block = EventState.RUNNING, None, None
    event.matches = schedule.matches
    event.rated_block = -1
    tx.change(delete(Bench).where(Bench.event_id == event.id, Bench.from_block > event.block))
    tx.change(delete(EventEstimate).where(EventEstimate.event_id == event.id))
    tx.change(delete(OverallEstimate).where(OverallEstimate.tournament_id == tournament.id))
    _recount(tx, event, schedule)
    if tournament.state is TournamentState.FINISHED:
        tournament.state, tournament.finished_at = TournamentState.RUNNING, None
    tx.flush()


def follow(tx: Transaction, event: Event, schedule: Schedule) -> None:
    """Take out what was played of the block that begins while others were benched than are.

    The event must be locked, and no batch of it open.
    """
    benched, gone = benches.benched(tx, event, event.block), sums.dropped(tx, event)
    numbers = schedule.block_range(event.block)
    query = select(Result.number, Result.forfeits).where(
        Result.event_id == event.id, Result.number >= numbers.start, Result.number < numbers.stop
    )
    if not benched:
        query = query.where(Result.is_forfeited)
    rows = tx.execute(query.order_by(Result.number)).all()
    faulted = _faulted(tx, event, schedule, [row.number for row in rows if row.forfeits])
    groups = set()
    for number, forfeits in rows:
        slot = schedule.slot(number)
        table = set(seating.table_of(event, slot))
        seats = seating.seats_of(event, slot)
        absent = {seats[seat] for seat in forfeits} - faulted.get(number, set())
        if gone.isdisjoint(table) and absent != table & benched:
            groups.add(schedule.group(number))
    if groups:
        _take_out(tx, event, selections.joined(groups))
        _recount(tx, event, schedule)


def fall_away(tx: Transaction, event: Event, schedule: Schedule) -> None:
    """Take out all that was played after the present block, with which the event ends."""
    end = schedule.block_range(event.block).stop
    _take_out(tx, event, [range(end, event.next_number)])
    event.next_number = end
    _recount(tx, event, schedule)


def settle(tx: Transaction, event: Event, now: datetime) -> None:
    """Say of the re-run that an event is played for that it is done, once all its events are past it."""
    part = _part(tx, event)
    if part is None:
        return
    rerun = tx.get_one(Rerun, part.rerun_id, with_for_update=True, populate_existing=True)
    query = (
        select(Event.id)
        .join(RerunPart, RerunPart.event_id == Event.id)
        .where(RerunPart.rerun_id == rerun.id, Event.state != EventState.FINISHED)
        .where(Event.block <= RerunPart.until_block)
    )
    if rerun.state is RerunState.PLAYING and not tx.scalars(query).all():
        rerun.state, rerun.ended_at = RerunState.DONE, now
        tx.flush()


def _part(tx: Transaction, event: Event) -> RerunPart | None:
    """Return the part that an event has in a re-run that is being played."""
    query = (
        select(RerunPart)
        .join(Rerun, Rerun.id == RerunPart.rerun_id)
        .where(RerunPart.event_id == event.id, Rerun.state == RerunState.PLAYING)
    )
    return tx.scalars(query).one_or_none()


def _take_out(tx: Transaction, event: Event, ranges: Sequence[range]) -> None:
    """Take results out that followed from others; a re-run that is being played keeps them."""
    part, aside = _part(tx, event), voids.take_back(tx, event, ranges)
    if part is None:
        voids.discard(tx, event, ranges)
        return
    part.results += voids.archive(tx, event, ranges, part.rerun_id)
    part.matches += sum(map(len, ranges))
    part.set_aside = [*part.set_aside, *aside]
    part.followed = [*part.followed, *([numbers.start, len(numbers)] for numbers in ranges)]


def _recount(tx: Transaction, event: Event, schedule: Schedule) -> None:
    gaps.rebuild(tx, event, schedule)
    query = select(func.count()).select_from(Batch).where(Batch.event_id == event.id)
    event.set_aside = tx.scalar(query.where(Batch.state == BatchState.SET_ASIDE)) or 0
    tx.flush()


def _faulted(
    tx: Transaction, event: Event, schedule: Schedule, numbers: Iterable[int]
) -> dict[int, set[int]]:
    """Return who faulted in each of these matches, who thus did not forfeit it by being absent."""
    query = select(FaultRow.number, FaultRow.seat).where(
        FaultRow.event_id == event.id, FaultRow.number.in_(list(numbers))
    )
    found: dict[int, set[int]] = {}
    for number, seat in tx.execute(query):
        entrant = seating.seats_of(event, schedule.slot(number))[seat]
        found.setdefault(number, set()).add(entrant)
    return found
