"""Ratings and intervals of standings: due where blocks and events end, worked out outside of transactions.

What they follow from is read at one moment (`basis`), worked out without holding anything (`work_out`, which
takes long in a large field), and stored unless something newer is there (`store`).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import delete, insert, select

from engine import estimates
from engine.intervals import looks
from engine.ratings import EventSums
from engine.standings import Estimate
from store import seating, sums
from store.database import Transaction
from store.models.tournaments import EstimateColumns, Event, EventEstimate, EventState, OverallEstimate

Found = Mapping[int, Estimate]  # by entrant


@dataclass(frozen=True, slots=True, kw_only=True)
class EventBasis:
    """What the estimates of an event follow from, after block `block`; -1 before the first is complete."""

    event_id: UUID
    block: int
    revision: int
    is_due: bool
    sums: EventSums
    ranked: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """What was worked out from a basis: for the events that were due, by id, and over all events."""

    basis: tuple[EventBasis, ...]
    events: Mapping[UUID, Found]
    overall: Found


def basis(tx: Transaction, tournament_id: UUID) -> tuple[EventBasis, ...] | None:
    """Return what the estimates of a tournament follow from, by event; None when none are due."""
    query = select(Event).where(Event.tournament_id == tournament_id).order_by(Event.index)
    events = [event for event in tx.scalars(query) if event.state is not EventState.WAITING]
    if not any(is_due(event) for event in events):
        return None
    return tuple(
        EventBasis(
            event_id=event.id,
            block=_last_look(event),
            revision=event.revision,
            is_due=is_due(event),
            sums=_sums(tx, event),
            ranked=frozenset(sums.ranked(tx, event)),
        )
        for event in events
    )


def work_out(given: tuple[EventBasis, ...]) -> Estimates:
    """Return the estimates of the events that are due, and those over all events."""
    ranked = frozenset[int]().union(*(event.ranked for event in given))
    return Estimates(
        basis=given,
        events={
            event.event_id: estimates.of_event(event.sums, event.ranked) for event in given if event.is_due
        },
        overall=estimates.overall([event.sums for event in given], ranked),
    )


def store(tx: Transaction, tournament_id: UUID, worked: Estimates) -> None:
    """Store estimates, but for what has been changed or estimated anew meanwhile.

    What somebody else has estimated after the same block stands: one state has one estimate. All events of
    the tournament must be locked.
    """
    events = {of.event_id: tx.get_one(Event, of.event_id) for of in worked.basis}
    current = [of for of in worked.basis if _is_current(events[of.event_id], of)]
    wanted = [of for of in current if of.is_due and not _is_rated(events[of.event_id], of)]
    for of in wanted:
        event = events[of.event_id]
        event.rated_block, event.rated_revision = of.block, of.revision
        _replace(tx, EventEstimate, {"event_id": of.event_id}, worked.events[of.event_id])
    if wanted and len(current) == len(worked.basis):
        _replace(tx, OverallEstimate, {"tournament_id": tournament_id}, worked.overall)
    tx.flush()


def is_due(event: Event) -> bool:
    """Return whether estimates of an event do not follow from what they should."""
    return event.rated_revision != event.revision or event.rated_block < _last_look(event)


def of_event(tx: Transaction, event_id: UUID) -> dict[int, Estimate]:
    """Return the estimates of an event by entrant, as far as there are any."""
    query = select(EventEstimate).where(EventEstimate.event_id == event_id)
    return {row.entrant: _estimate(row) for row in tx.scalars(query)}


def overall(tx: Transaction, tournament_id: UUID) -> dict[int, Estimate]:
    """Return the estimates over all events by entrant, as far as there are any."""
    query = select(OverallEstimate).where(OverallEstimate.tournament_id == tournament_id)
    return {row.entrant: _estimate(row) for row in tx.scalars(query)}


def _last_look(event: Event) -> int:
    """Return the last complete block after which estimates are due; -1 when there is none yet."""
    if event.state is EventState.FINISHED:
        return event.block
    blocks = seating.schedule_of(event).blocks
    return max((look for look in looks(blocks) if look < event.block), default=-1)


def _is_current(event: Event, of: EventBasis) -> bool:
    """Return whether nothing was taken out of an event, or estimated after a later block, since its basis."""
    return event.revision == of.revision and event.rated_block <= of.block


def _is_rated(event: Event, of: EventBasis) -> bool:
    """Return whether an event was estimated after the block that its basis is of, or a later one."""
    return event.rated_revision == of.revision and event.rated_block >= of.block


def _sums(tx: Transaction, event: Event) -> EventSums:
    """Return what ratings and intervals follow from; fillers count as opponents."""
    everyone = set(event.field)
    return EventSums(duels=sums.duels(tx, event, everyone), units=sums.units(tx, event, everyone))


def _replace(tx: Transaction, table: Any, key: Mapping[str, UUID], found: Found) -> None:
    """Let these be the only estimates with this key."""
    tx.change(delete(table).where(*(getattr(table, name) == value for name, value in key.items())))
    rows = [{**key, "entrant": entrant, **asdict(one)} for entrant, one in sorted(found.items())]
    if rows:
        tx.execute(insert(table), rows)


def _estimate(row: EstimateColumns) -> Estimate:
    return Estimate(
        rating=row.rating,
        rating_low=row.rating_low,
        rating_high=row.rating_high,
        points_low=row.points_low,
        points_high=row.points_high,
    )
