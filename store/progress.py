"""How far tournaments are, read for many at once."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from store.database import Transaction
from store.models.tournaments import EventState, Tournament, TournamentState


@dataclass(frozen=True, slots=True, kw_only=True)
class EventProgress:
    """How far one event is."""

    index: int
    state: EventState
    block: int
    matches: int
    played: int
    set_aside: int
    dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a tournament is: its events in order, and their sums."""

    tournament_id: UUID
    state: TournamentState
    matches: int
    played: int
    set_aside: int
    dropped: int
    events: tuple[EventProgress, ...]


def of_tournaments(tx: Transaction, tournament_ids: Collection[UUID]) -> dict[UUID, Progress]:
    """Return how far each of these tournaments is; two queries whatever their number."""
    query = select(Tournament).where(Tournament.id.in_(tournament_ids))
    return {row.id: _progress(row) for row in tx.scalars(query.options(selectinload(Tournament.events)))}


def _progress(tournament: Tournament) -> Progress:
    events = tuple(
        EventProgress(
            index=event.index,
            state=event.state,
            block=event.block,
            matches=event.matches,
            played=event.played,
            set_aside=event.set_aside,
            dropped=event.dropped,
        )
        for event in tournament.events
    )
    return Progress(
        tournament_id=tournament.id,
        state=tournament.state,
        matches=sum(event.matches for event in events),
        played=sum(event.played for event in events),
        set_aside=sum(event.set_aside for event in events),
        dropped=sum(event.dropped for event in events),
        events=events,
    )
