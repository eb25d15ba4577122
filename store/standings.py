"""Standings as read from the totals: the cost does not grow with the number of matches."""

from uuid import UUID

from sqlalchemy import select

from engine import ledger, standings
from engine.estimates import attached
from engine.ledger import Table
from engine.standings import Duels, OverallRow, Row
from store import estimates, sums
from store.database import Transaction
from store.models.tournaments import Event


def of_event(tx: Transaction, event_id: UUID) -> list[Row]:
    """Return the rows of one event, best first; fillers are not ranked."""
    event = tx.get_one(Event, event_id)
    return _event_rows(tx, event, sums.duels(tx, event, sums.ranked(tx, event)))


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
        duels[event.index] = sums.duels(tx, event, sums.ranked(tx, event))
        rows[event.index] = _event_rows(tx, event, duels[event.index])
    overall_rows = standings.overall_rows(rows, duels)
    return rows, attached(overall_rows, estimates.overall(tx, tournament_id))


def _event_rows(tx: Transaction, event: Event, duels: Duels) -> list[Row]:
    rows = standings.event_rows(sums.totals(tx, event), duels, event.sides)
    return attached(rows, estimates.of_event(tx, event.id))
