"""Who sits where: an event's stored field and the schedule's arithmetic, or a ladder's stored meetings."""

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import NamedTuple

from sqlalchemy import select

from engine import games
from engine.schedule import Format, Meeting, Schedule, Slot, meeting_matches
from store.database import Transaction
from store.errors import NotFound
from store.models.ladders import LadderMeeting, LadderSeat
from store.models.tournaments import Event

LADDER = "ladder"  # the schedule of an event whose tables are paired as it goes on


def is_ladder(event: Event) -> bool:
    """Return whether an event is a ladder's."""
    return event.schedule == LADDER


def slots(tx: Transaction, event: Event, numbers: Collection[int]) -> dict[int, Slot]:
    """Return where each of these matches stands."""
    if not is_ladder(event):
        schedule = schedule_of(event)
        return {number: schedule.slot(number) for number in numbers}
    size = meeting_matches(event.sides, event.deals)
    meetings = _meetings(tx, event, {number // size for number in numbers})
    return {number: meetings[number // size].slot(number) for number in numbers}


def numbers_of(tx: Transaction, event: Event, entrant: int, first: int) -> Iterator[range]:
    """Yield the numbers of the matches of an entrant (its number) from `first` on, in order, in ranges."""
    if not is_ladder(event):
        if entrant in event.field:
            yield from schedule_of(event).numbers_of(event.field.index(entrant), first)
        return
    size = meeting_matches(event.sides, event.deals)
    mine = (LadderSeat.event_id == event.id, LadderSeat.entrant == entrant)
    query = select(LadderSeat.meeting).where(*mine, LadderSeat.meeting >= first // size)
    for meeting in tx.scalars(query.order_by(LadderSeat.meeting)):
        yield range(max(first, meeting * size), (meeting + 1) * size)


def groups(event: Event, block: int, numbers: range) -> list[range]:
    """Return these numbers of a block in ranges, one for each group of the same players."""
    if is_ladder(event):
        start, size = 0, event.deals
    else:
        schedule = schedule_of(event)
        start, size = schedule.block_range(block).start, schedule.group_matches(block)
    first_edge = start + -(-(numbers.start - start) // size) * size
    edges = sorted({numbers.start, numbers.stop, *range(first_edge, numbers.stop, size)})
    return [range(low, high) for low, high in pairwise(edges)]


def is_applied(tx: Transaction, event: Event, number: int) -> bool:
    """Return whether the round of a ladder that a match belongs to is over and in the ratings."""
    meeting = tx.get(LadderMeeting, (event.id, number // meeting_matches(event.sides, event.deals)))
    return meeting is not None and meeting.applied_at is not None


def schedule_of(event: Event) -> Schedule:
    """Return the schedule of an event that has started; raises NotFound for a ladder's, which has none."""
    if is_ladder(event):
        raise NotFound("a ladder is paired as it goes on; it has no schedule")
    return Schedule(
        entrants=len(event.field),
        sides=event.sides,
        deals=event.deals,
        block_deals=event.block_deals,
        format=Format(event.schedule),
        apart=tuple(event.apart),
    )


def sides_of(event: Event) -> tuple[int, ...]:
    """Return the side of each seat."""
    return games.get(event.game).sides(event.seats, event.options)


def table_of(event: Event, slot: Slot) -> tuple[int, ...]:
    """Return the numbers of the entrants on each side."""
    return tuple(event.field[position] for position in slot.entrants)


def seats_of(event: Event, slot: Slot) -> tuple[int, ...]:
    """Return the number of the entrant at each seat."""
    return tuple(chair.entrant for chair in chairs_of(event, slot))


class Chair(NamedTuple):
    """One player of an entrant: `member` counts its seats in a team from 0, in the order of the seats."""

    entrant: int
    member: int


def chairs_of(event: Event, slot: Slot) -> tuple[Chair, ...]:
    """Return the player at each seat; where an entrant sits changes from deal to deal, its players do not."""
    table, sides = table_of(event, slot), sides_of(event)
    return tuple(Chair(table[side], sides[:seat].count(side)) for seat, side in enumerate(sides))


def _meetings(tx: Transaction, event: Event, numbers: set[int]) -> dict[int, Meeting]:
    """Return these meetings of a ladder's event."""
    query = (
        select(LadderSeat.meeting, LadderMeeting.round, LadderSeat.entrant)
        .join(LadderMeeting, LadderMeeting.number == LadderSeat.meeting)
        .where(
            LadderMeeting.event_id == event.id,
            LadderSeat.event_id == event.id,
            LadderSeat.meeting.in_(numbers),
        )
        .order_by(LadderSeat.meeting, LadderSeat.side)
    )
    tables: dict[tuple[int, int], list[int]] = {}
    for number, round_, entrant in tx.execute(query):
        tables.setdefault((number, round_), []).append(entrant)
    return {
        number: Meeting(number=number, block=round_, table=tuple(table), deals=event.deals)
        for (number, round_), table in tables.items()
    }
