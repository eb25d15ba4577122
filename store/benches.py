"""Benching: an entrant that forfeits most of a block is asked no more from the next block on."""

from collections import Counter
from datetime import datetime

from sqlalchemy import select

from engine import benching
from store import deliveries, seating
from store.database import Transaction
from store.models.bots import Bot, Version
from store.models.matches import Result
from store.models.tournaments import Bench, Entrant, Event
from store.models.webhooks import HookEvent
from store.models.withdrawals import EventWithdrawal, WithdrawalRule


def benched(tx: Transaction, event: Event, block: int) -> set[int]:
    """Return the entrants that are benched in this block, or have left by forfeit."""
    query = select(Bench.entrant).where(Bench.event_id == event.id, Bench.from_block <= block)
    left = select(EventWithdrawal.entrant).where(
        EventWithdrawal.event_id == event.id,
        EventWithdrawal.rule == WithdrawalRule.FORFEIT,
        EventWithdrawal.from_block <= block,
    )
    return set(tx.scalars(query)) | set(tx.scalars(left))


def decide(tx: Transaction, event: Event, now: datetime) -> None:
    """Bench those whose forfeits in the finished block ask for it (engine.benching); tell their owners."""
    schedule = seating.schedule_of(event)
    already = benched(tx, event, event.block + 1)
    forfeits = _forfeits(tx, event)
    for entrant, count in sorted(forfeits.items()):
        matches = benching.block_matches(schedule, event.block, event.field.index(entrant))
        if entrant not in already and benching.is_benched(count, matches):
            tx.add(
                Bench(
                    event_id=event.id,
                    entrant=entrant,
                    from_block=event.block + 1,
                    forfeits=count,
                    matches=matches,
                )
            )
            _tell_owner(
                tx, event, entrant, f"forfeited {count} of {matches} matches of block {event.block}", now
            )
    tx.flush()


def _tell_owner(tx: Transaction, event: Event, number: int, why: str, now: datetime) -> None:
    entrant = tx.get_one(Entrant, (event.tournament_id, number))
    bot = tx.get_one(Bot, tx.get_one(Version, entrant.version_id).bot_id)
    data = {
        "tournament_id": str(event.tournament_id),
        "event": event.index,
        "bot_id": str(bot.id),
        "bot": entrant.name,
        "reason": why,
    }
    deliveries.emit(tx, HookEvent.BENCHED, data, now, owner_id=bot.owner_id)


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
