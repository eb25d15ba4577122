"""Who sits where: an event's stored field and the schedule's arithmetic put together."""

from engine import games
from engine.schedule import Schedule, Slot
from store.models.tournaments import Event


def schedule_of(event: Event) -> Schedule:
    """Return the schedule of an event that has started."""
    return Schedule(
        entrants=len(event.field),
        sides=event.sides,
        deals=event.deals,
        block_deals=event.block_deals,
    )


def sides_of(event: Event) -> tuple[int, ...]:
    """Return the side of each seat."""
    return games.get(event.game).sides(event.seats, event.options)


def table_of(event: Event, slot: Slot) -> tuple[int, ...]:
    """Return the numbers of the entrants on each side."""
    return tuple(event.field[position] for position in slot.entrants)


def seats_of(event: Event, slot: Slot) -> tuple[int, ...]:
    """Return the number of the entrant at each seat."""
    table = table_of(event, slot)
    return tuple(table[side] for side in sides_of(event))
