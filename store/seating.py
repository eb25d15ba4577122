"""Who sits where: an event's stored field and the schedule's arithmetic put together."""

from typing import NamedTuple

from engine import games
from engine.schedule import Format, Schedule, Slot
from store.models.tournaments import Event


def schedule_of(event: Event) -> Schedule:
    """Return the schedule of an event that has started."""
    return Schedule(
        entrants=len(event.field),
        sides=event.sides,
        deals=event.deals,
        block_deals=event.block_deals,
        format=Format(event.schedule),
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
