"""Standings as read from the totals: the cost does not grow with the number of matches."""

from uuid import UUID

from sqlalchemy import select

from engine import ledger, standings
from engine.ledger import Table
from engine.standings import Duel, Duels, OverallRow, Row, Totals
from store.database import Transaction
from store.models.tournaments import Entrant, EntrantTotals, Event, PairTotals


def of_event(tx: Transaction, event_id: UUID) -> list[Row]:
    """Return the rows of one event, best first; fillers are not ranked."""
    event = tx.get_one(Event, event_id)
    ranked = _ranked(tx, event)
    return standings.event_rows(_totals(tx, event, ranked), _duels(tx, event, ranked), event.sides)


def overall(tx: Transaction, tournament_id: UUID) -> list[OverallRow]:
    """Return the rows over all events of a tournament, best first."""
    return _all_rows(tx, tournament_id)[1]


def tables(tx: Transaction, tournament_id: UUID) -> list[Table]:
    """Return all standings of a tournament in their canonical form."""
    return ledger.tables(*_all_rows(tx, tournament_id))


def _all_rows(tx: Transaction, tournament_id: UUID) -> tuple[dict[int, list[Row]], list[OverallRow]]:
    """Return the rows of every event by index, and those over all events."""
    query = select(Event).where(Event.tournament_id == tournament_id).order_by(Event.index)
    rows: dict[int, list[Row]] = {}
    duels: dict[int, Duels] = {}
    for event in tx.scalars(query):
        ranked = _ranked(tx, event)
        duels[event.index] = _duels(tx, event, ranked)
        rows[event.index] = standings.event_rows(_totals(tx, event, ranked), duels[event.index], event.sides)
    return rows, standings.overall_rows(rows, duels)


def _ranked(tx: Transaction, event: Event) -> set[int]:
    """Return the numbers of the entrants that play this event and are no fillers."""
    query = select(Entrant.number).where(
        Entrant.tournament_id == event.tournament_id, Entrant.filler.is_(False)
    )
    return set(tx.scalars(query)) & set(event.field)


def _totals(tx: Transaction, event: Event, ranked: set[int]) -> dict[int, Totals]:
    totals = {number: Totals() for number in sorted(ranked)}
    for row in tx.scalars(select(EntrantTotals).where(EntrantTotals.event_id == event.id)):
        if row.entrant in ranked:
            totals[row.entrant] = Totals(
                matches=row.matches,
                wins=row.wins,
                points=row.points,
                score=row.score,
                faults=row.faults,
                forfeits=row.forfeits,
            )
    return totals


def _duels(tx: Transaction, event: Event, ranked: set[int]) -> Duels:
    query = select(PairTotals).where(PairTotals.event_id == event.id)
    return {
        (row.entrant, row.opponent): Duel(matches=row.matches, points=row.points)
        for row in tx.scalars(query)
        if row.entrant in ranked and row.opponent in ranked
    }
