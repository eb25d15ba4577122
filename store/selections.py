"""Which matches are to be played again: chosen by what they have in common, taken in whole groups.

A group is the matches of one table in one rotation of a block: its bots play them one after the other in the
same processes and may remember, so that a match out of the middle would not be the same match again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from sqlalchemy import func, select

from engine.policies import FaultCode
from engine.schedule import Schedule
from store import seating, sums, totals
from store.database import Transaction
from store.errors import BadRequest
from store.models.matches import Batch, BatchState, FaultRow, Result
from store.models.reruns import Gap
from store.models.tournaments import Event, EventState, Tournament

MOST_MATCHES = 100_000
MOST_GROUPS = 1_000_000  # that are looked through


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the matches have in common, all that is given; numbers and table are those of one event.

    `fault` is a code that somebody faulted with (the entrant, when one is given); `set_aside` asks for
    matches that the platform gave up.
    """

    event: int | None = None
    entrant: int | None = None
    table: int | None = None
    numbers: tuple[int, ...] = ()
    fault: FaultCode | None = None
    set_aside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """So many match numbers in a row."""

    first: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """Matches of one event in whole groups, as ranges in order: `results` were played, `set_aside` given up.

    `unfinished` counts the matches of groups that were left out, since they are still to be played.
    """

    event: Event
    ranges: tuple[range, ...]
    matches: int
    results: int
    set_aside: int
    unfinished: int


def find(tx: Transaction, tournament: Tournament, choice: Choice) -> list[Selected]:
    """Return what a choice selects, by event; BadRequest when it cannot be used or nothing fits.

    Tables with somebody who was dropped count for nobody and are left out.
    """
    _require(tournament, choice)
    events = [event for event in tournament.events if choice.event in (None, event.index)]
    found = [_of_event(tx, event, choice) for event in events if event.state is not EventState.WAITING]
    if not any(one.ranges for one in found):
        unfinished = sum(one.unfinished for one in found)
        raise BadRequest(
            f"no match that is over fits the choice; {unfinished} that do are still to be played"
        )
    _require_few(sum(one.matches for one in found))
    return [one for one in found if one.ranges]


def _require(tournament: Tournament, choice: Choice) -> None:
    """Raise BadRequest for a choice that names nothing, or something that there is not."""
    if choice == Choice():
        raise BadRequest(
            "the choice is empty; name an event, an entrant, a table, numbers, a fault or set_aside"
        )
    if choice.event is None and (choice.table is not None or choice.numbers):
        raise BadRequest("a table or numbers are those of an event; name it too", field="event")
    if choice.event is not None and choice.event >= len(tournament.events):
        raise BadRequest(f"the tournament has no event {choice.event}", field="event")
    if choice.entrant is not None and choice.entrant >= len(tournament.entrants):
        raise BadRequest(f"the tournament has no entrant {choice.entrant}", field="entrant")


def _of_event(tx: Transaction, event: Event, choice: Choice) -> Selected:
    schedule = seating.schedule_of(event)
    if choice.table is not None and choice.table >= schedule.tables:
        raise BadRequest(f"table is {choice.table}; the event has {schedule.tables} tables", field="table")
    if choice.numbers and max(choice.numbers) >= event.matches:
        wrong = f"numbers has {max(choice.numbers)}; the event has {event.matches} matches"
        raise BadRequest(wrong, field="numbers")
    groups = [group for group in _groups(tx, event, schedule, choice) if group.start < event.next_number]
    gone = sums.dropped(tx, event)
    waiting = _waiting(tx, event)
    over, unfinished = [], 0
    for group in groups:
        if not gone.isdisjoint(seating.table_of(event, schedule.slot(group.start))):
            continue
        if group.stop > event.next_number or any(_overlap(group, one) for one in waiting):
            unfinished += len(group)
        else:
            over.append(group)
    ranges = joined(over)
    matches = sum(map(len, ranges))
    _require_few(matches)
    return Selected(
        event=event,
        ranges=ranges,
        matches=matches,
        results=_count_results(tx, event, ranges),
        set_aside=sum(any(n in numbers for numbers in ranges) for n in _set_aside(tx, event)),
        unfinished=unfinished,
    )


def _count_results(tx: Transaction, event: Event, ranges: Iterable[range]) -> int:
    """Return how many of these matches have a result."""
    query = select(func.count()).select_from(Result).where(Result.event_id == event.id)
    return sum(tx.scalar(query.where(Result.number.in_(page))) or 0 for page in totals.pages(ranges))


def _require_few(matches: int) -> None:
    if matches > MOST_MATCHES:
        raise BadRequest(
            f"the choice selects {matches} matches; at most {MOST_MATCHES} can be re-run at once"
        )


def _groups(tx: Transaction, event: Event, schedule: Schedule, choice: Choice) -> Iterator[range]:
    """Yield the groups, in order, that have a match which fits the choice."""
    last = None
    for number in sorted(_candidates(tx, event, schedule, choice)):
        if last is not None and number in last:
            continue
        last = schedule.group(number)
        slot = schedule.slot(last.start)
        if choice.table not in (None, slot.table):
            continue
        if choice.entrant is None or choice.entrant in seating.table_of(event, slot):
            yield last


def _candidates(tx: Transaction, event: Event, schedule: Schedule, choice: Choice) -> set[int]:
    """Return match numbers that fit what the choice says of matches; each stands for its group."""
    fits: list[set[int]] = []
    if choice.numbers:
        fits.append(set(choice.numbers))
    if choice.fault is not None:
        fits.append(_faulted(tx, event, schedule, choice.fault, choice.entrant))
    if choice.set_aside:
        fits.append(set(_set_aside(tx, event)))
    return set.intersection(*fits) if fits else set(_all_groups(event, schedule, choice.table))


def _all_groups(event: Event, schedule: Schedule, table: int | None) -> Iterator[int]:
    """Yield the first number of every group that was begun, of one table or of all."""
    blocks = schedule.block_of(max(0, event.next_number - 1)) + 1
    groups = blocks * schedule.sides * (schedule.tables if table is None else 1)
    if groups > MOST_GROUPS:
        raise BadRequest(f"the event has {groups} groups, too many to look through; name a table or numbers")
    for block in range(blocks):
        start, size = schedule.block_range(block).start, schedule.group_matches(block)
        tables = range(schedule.tables) if table is None else [table]
        for group in chain.from_iterable(range(t * schedule.sides, (t + 1) * schedule.sides) for t in tables):
            yield start + group * size


def _faulted(
    tx: Transaction, event: Event, schedule: Schedule, code: FaultCode, entrant: int | None
) -> set[int]:
    query = select(FaultRow.number, FaultRow.seat).where(FaultRow.event_id == event.id)
    rows = tx.execute(query.where(FaultRow.code == code.value)).all()
    return {
        number
        for number, seat in rows
        if entrant is None or seating.seats_of(event, schedule.slot(number))[seat] == entrant
    }


def _set_aside(tx: Transaction, event: Event) -> Sequence[int]:
    query = select(Batch.first).where(Batch.event_id == event.id, Batch.state == BatchState.SET_ASIDE)
    return tx.scalars(query).all()


def _waiting(tx: Transaction, event: Event) -> list[range]:
    """Return the numbers below `next_number` that are still to be played."""
    batches = select(Batch.first, Batch.count).where(
        Batch.event_id == event.id, Batch.state == BatchState.OPEN
    )
    gaps = select(Gap.first, Gap.count).where(Gap.event_id == event.id)
    return [range(first, first + count) for first, count in [*tx.execute(batches), *tx.execute(gaps)]]


def _overlap(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop


def joined(ranges: Iterable[range]) -> tuple[range, ...]:
    """Return ranges in order, with those that touch or overlap as one."""
    found: list[range] = []
    for one in sorted(ranges, key=lambda numbers: numbers.start):
        if found and one.start <= found[-1].stop:
            found[-1] = range(found[-1].start, max(found[-1].stop, one.stop))
        else:
            found.append(one)
    return tuple(found)
