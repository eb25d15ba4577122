"""What the matches of an event add up to, as stored: totals of entrants, of pairs, and of units of deals."""

from collections.abc import Collection
from dataclasses import fields

from sqlalchemy import select

from engine.intervals import UnitSum, UnitSums
from engine.standings import Duel, Duels, Totals
from store.database import Transaction
from store.models.tournaments import Entrant, EntrantTotals, Event, PairTotals, UnitTotals
from store.models.withdrawals import EventWithdrawal, WithdrawalRule

_TOTALS = tuple(field.name for field in fields(Totals))


def ranked(tx: Transaction, event: Event) -> set[int]:
    """Return the numbers of the entrants that play this event, are no fillers, and were not dropped."""
    query = select(Entrant.number).where(
        Entrant.tournament_id == event.tournament_id, Entrant.filler.is_(False)
    )
    return (set(tx.scalars(query)) & set(event.field)) - dropped(tx, event)


def dropped(tx: Transaction, event: Event) -> set[int]:
    """Return the numbers of the entrants whose tables count no more."""
    query = select(EventWithdrawal.entrant).where(
        EventWithdrawal.event_id == event.id, EventWithdrawal.rule == WithdrawalRule.DROP
    )
    return set(tx.scalars(query))


def totals(tx: Transaction, event: Event, among: Collection[int]) -> dict[int, Totals]:
    """Return what each of these entrants has done, nothing for those who have not played yet."""
    found = {number: Totals() for number in sorted(among)}
    columns = [getattr(EntrantTotals, name) for name in _TOTALS]
    query = select(EntrantTotals.entrant, *columns).where(EntrantTotals.event_id == event.id)
    for entrant, *values in tx.execute(query):
        if entrant in found:
            found[entrant] = Totals(**dict(zip(_TOTALS, values, strict=True)))
    return found


def duels(tx: Transaction, event: Event, among: Collection[int]) -> Duels:
    """Return how the pairs of these entrants did against each other."""
    query = select(PairTotals.entrant, PairTotals.opponent, PairTotals.matches, PairTotals.points).where(
        PairTotals.event_id == event.id
    )
    return {
        (entrant, opponent): Duel(matches=matches, points=points)
        for entrant, opponent, matches, points in tx.execute(query)
        if entrant in among and opponent in among
    }


def units(tx: Transaction, event: Event, among: Collection[int]) -> UnitSums:
    """Return what each of these entrants did in each unit of deals."""
    query = select(UnitTotals.unit, UnitTotals.entrant, UnitTotals.matches, UnitTotals.points).where(
        UnitTotals.event_id == event.id
    )
    rows = [
        UnitSum(unit=unit, entrant=entrant, matches=matches, points=points)
        for unit, entrant, matches, points in tx.execute(query)
        if entrant in among
    ]
    return UnitSums.of(rows, event.sides)
