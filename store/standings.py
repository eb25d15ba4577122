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
    return _event_rows(tx, tx.get_one(Event, event_id))[0]


def overall(tx: Transaction, tournament_id: UUID) -> list[OverallRow]:
    """Return the rows over all events of a tournament, best first."""
    return of_tournament(tx, tournament_id)[1]


def tables(tx: Transaction, tournament_id: UUID) -> list[Table]:
    """Return all standings of a tournament in their canonical form."""
    return ledger.tables(*of_tournament(tx, tournament_id))


def of_tournament(tx: Transaction, tournament_id: UUID) -> tuple[dict[int, list[Row]], list[OverallRow]]:
    """Return the rows of every event by index, and those over all events, best first."""
    query = select(Event).where(Event.tournament_id == tournament_id).order_by(Event.index)
    rows: dict[int, list[Row]] = {}
    duels: dict[int, Duels] = {}
    for event in tx.scalars(query):
        rows[event.index], duels[event.index] = _event_rows(tx, event)
    overall_rows = standings.overall_rows(rows, duels)
    return rows, attached(overall_rows, estimates.overall(tx, tournament_id))


def _event_rows(tx: Transaction, event: Event) -> tuple[list[Row], Duels]:
    """Return the rows of an event, and how its ranked entrants did against each other."""
    ranked = sums.ranked(tx, event)
    duels = sums.duels(tx, event, ranked)
    rows = standings.event_rows(sums.totals(tx, event, ranked), duels, event.sides)
    return attached(rows, estimates.of_event(tx, event.id)), duels
