"""Ratings and intervals of standings: worked out where blocks and events end, and only read after that."""

from dataclasses import asdict
from uuid import UUID

from sqlalchemy import delete, insert, select

from engine import estimates
from engine.ratings import EventSums
from engine.standings import Estimate
from store import sums
from store.database import Transaction
from store.models.tournaments import EstimateColumns, Event, EventEstimate, OverallEstimate


def update_event(tx: Transaction, event: Event) -> None:
    """Work out the estimates of an event's ranked entrants anew; its row must be locked."""
    found = estimates.of_event(_sums(tx, event), sums.ranked(tx, event))
    tx.execute(delete(EventEstimate).where(EventEstimate.event_id == event.id))
    rows = [
        {"event_id": event.id, "entrant": entrant, **asdict(one)} for entrant, one in sorted(found.items())
    ]
    if rows:
        tx.execute(insert(EventEstimate), rows)


def update_overall(tx: Transaction, tournament_id: UUID) -> None:
    """Work out the estimates over all events of a tournament anew; its row must be locked."""
    query = select(Event).where(Event.tournament_id == tournament_id).order_by(Event.index)
    events = list(tx.scalars(query))
    ranked = set().union(*(sums.ranked(tx, event) for event in events))
    found = estimates.overall([_sums(tx, event) for event in events], ranked)
    tx.execute(delete(OverallEstimate).where(OverallEstimate.tournament_id == tournament_id))
    rows = [
        {"tournament_id": tournament_id, "entrant": entrant, **asdict(one)}
        for entrant, one in sorted(found.items())
    ]
    if rows:
        tx.execute(insert(OverallEstimate), rows)


def of_event(tx: Transaction, event_id: UUID) -> dict[int, Estimate]:
    """Return the estimates of an event by entrant, as far as there are any."""
    query = select(EventEstimate).where(EventEstimate.event_id == event_id)
    return {row.entrant: _estimate(row) for row in tx.scalars(query)}


def overall(tx: Transaction, tournament_id: UUID) -> dict[int, Estimate]:
    """Return the estimates over all events by entrant, as far as there are any."""
    query = select(OverallEstimate).where(OverallEstimate.tournament_id == tournament_id)
    return {row.entrant: _estimate(row) for row in tx.scalars(query)}


def _sums(tx: Transaction, event: Event) -> EventSums:
    """Return what ratings and intervals follow from; fillers count as opponents."""
    everyone = set(event.field)
    return EventSums(duels=sums.duels(tx, event, everyone), units=sums.units(tx, event, everyone))


def _estimate(row: EstimateColumns) -> Estimate:
    return Estimate(
        rating=row.rating,
        rating_low=row.rating_low,
        rating_high=row.rating_high,
        points_low=row.points_low,
        points_high=row.points_high,
    )
