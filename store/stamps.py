"""Stamps: what standings follow from, as a short text that is different once they may be."""

from hashlib import sha256
from uuid import UUID

import msgspec
from sqlalchemy import func, select

from store.database import Transaction
from store.errors import NotFound
from store.models.tournaments import Edition, Event, Tournament, TournamentState


def of_standings(tx: Transaction, tournament_id: UUID) -> str | None:
    """Return the stamp of a tournament's standings, None while their entrants may change; raises NotFound.

    Whatever changes totals changes a count of their event in the same transaction, or its revision; what is
    frozen once a tournament has started is in no stamp.
    """
    newest = select(func.max(Edition.number)).where(Edition.tournament_id == tournament_id).scalar_subquery()
    query = (
        select(Tournament.state, Tournament.is_season, newest, Event.__table__)
        .outerjoin(Event, Event.tournament_id == Tournament.id)
        .where(Tournament.id == tournament_id)
        .order_by(Event.index)
    )
    rows = tx.execute(query).all()
    if not rows:
        raise NotFound(f"there is no tournament {tournament_id}")
    if rows[0].is_season or rows[0].state is TournamentState.DRAFT:
        return None
    return sha256(msgspec.json.encode([tuple(row) for row in rows])).hexdigest()
