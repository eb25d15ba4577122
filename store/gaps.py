"""Gaps of an event: matches of blocks that it had gone past, which are to be played, or played again."""

from collections.abc import Iterable, Iterator, Sequence, Set
from heapq import merge

from sqlalchemy import Select, delete, func, select

from engine.schedule import Schedule
from store import seating, sums
from store.database import Transaction
from store.models.matches import Batch, BatchState, Result
from store.models.reruns import Gap
from store.models.tournaments import Event

_PAGE = 10_000


def is_behind(event: Event, schedule: Schedule) -> bool:
    """Return whether an event plays a block that it has been past."""
    return event.next_number > schedule.block_range(event.block).stop


def take(tx: Transaction, event: Event, most: int) -> range | None:
    """Take the lowest of the waiting numbers of an event's present block, at most so many in a row."""
    row = tx.scalars(_of_block(event).order_by(Gap.first).limit(1)).one_or_none()
    if row is None:
        return None
    taken = range(row.first, row.first + min(most, row.count))
    tx.delete(row)
    tx.flush()
    if rest := row.count - len(taken):
        tx.add(Gap(event_id=event.id, first=taken.stop, count=rest, block=row.block))
        tx.flush()
    return taken


def are_waiting(tx: Transaction, event: Event) -> bool:
    """Return whether there are numbers that wait in an event's present block."""
    return tx.scalar(_of_block(event).limit(1)) is not None


def put(tx: Transaction, event: Event, schedule: Schedule, ranges: Iterable[range]) -> None:
    """Let these numbers be played once the event comes to their blocks."""
    for numbers in ranges:
        first = numbers.start
        while first < numbers.stop:
            block = schedule.block_of(first)
            count = min(numbers.stop, schedule.block_range(block).stop) - first
            tx.add(Gap(event_id=event.id, first=first, count=count, block=block))
            first += count
    tx.flush()


def rebuild(tx: Transaction, event: Event, schedule: Schedule) -> None:
    """Make gaps of all numbers below `next_number` that were neither played nor set aside.

    No batch of the event may be open. Counts anew how many matches were played, and how many are left out
    since somebody at their table was dropped.
    """
    tx.change(delete(Gap).where(Gap.event_id == event.id))
    results = select(func.count()).select_from(Result).where(Result.event_id == event.id)
    event.played = tx.scalar(results) or 0
    missing = list(_gaps(merge(_played(tx, event), _set_aside(tx, event)), event.next_number))
    gone = sums.dropped(tx, event)
    waiting = [part for gap in missing for part in _without(event, schedule, gap, gone)]
    event.dropped = sum(map(len, missing)) - sum(map(len, waiting))
    put(tx, event, schedule, waiting)


def _gaps(numbers: Iterable[int], stop: int) -> Iterator[range]:
    """Yield the ranges below `stop` in which none of these ascending numbers is."""
    following = 0
    for number in numbers:
        if number > following:
            yield range(following, number)
        following = number + 1
    if stop > following:
        yield range(following, stop)


def _without(event: Event, schedule: Schedule, gap: range, gone: Set[int]) -> Iterator[range]:
    """Yield the parts of a range at whose tables nobody sits of these."""
    if not gone:
        yield gap
        return
    first = gap.start
    while first < gap.stop:
        part = range(first, min(schedule.group(first).stop, gap.stop))
        if gone.isdisjoint(seating.table_of(event, schedule.slot(first))):
            yield part
        first = part.stop


def _played(tx: Transaction, event: Event) -> Iterator[int]:
    query = select(Result.number).where(Result.event_id == event.id).order_by(Result.number)
    yield from tx.scalars(query.execution_options(yield_per=_PAGE))


def _set_aside(tx: Transaction, event: Event) -> Sequence[int]:
    query = select(Batch.first).where(Batch.event_id == event.id, Batch.state == BatchState.SET_ASIDE)
    return tx.scalars(query.order_by(Batch.first)).all()


def _of_block(event: Event) -> Select[Gap]:
    return select(Gap).where(Gap.event_id == event.id, Gap.block == event.block)
