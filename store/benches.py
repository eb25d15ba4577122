"""Benching: an entrant that forfeits most of a block is asked no more from the next block on."""

from collections import Counter
from math import comb

from sqlalchemy import select

from store import seating
from store.database import Transaction
from store.models.matches import Result
from store.models.tournaments import Bench, Event

LEAST_FORFEITS = 5


def benched(tx: Transaction, event: Event, block: int) -> set[int]:
    """Return the entrants that are benched in this block."""
    query = select(Bench.entrant).where(Bench.event_id == event.id, Bench.from_block <= block)
    return set(tx.scalars(query))


def decide(tx: Transaction, event: Event) -> None:
    """Bench who forfeited at least half of its matches of the finished block, and at least five."""
    schedule = seating.schedule_of(event)
    already = benched(tx, event, event.block)
    forfeits = _forfeits(tx, event)
    tables = comb(schedule.entrants - 1, schedule.sides - 1)
    matches = tables * schedule.sides * schedule.group_matches(event.block)
    for entrant, count in sorted(forfeits.items()):
        if entrant not in already and count >= LEAST_FORFEITS and 2 * count >= matches:
            tx.add(
                Bench(
                    event_id=event.id,
                    entrant=entrant,
                    from_block=event.block + 1,
                    forfeits=count,
                    matches=matches,
                )
            )
    tx.flush()


def _forfeits(tx: Transaction, event: Event) -> Counter[int]:
    """Return how many matches of the present block each entrant forfeited."""
    schedule = seating.schedule_of(event)
    numbers = schedule.block_range(event.block)
    query = select(Result.number, Result.forfeits).where(
        Result.event_id == event.id,
        Result.number >= numbers.start,
        Result.number < numbers.stop,
        Result.is_forfeited,
    )
    forfeits: Counter[int] = Counter()
    for number, seats in tx.execute(query):
        entrants = seating.seats_of(event, schedule.slot(number))
        forfeits.update({entrants[seat] for seat in seats})
    return forfeits
