"""Where bots stand on the ladders that they are on: in the last season of each."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import and_, func, select
from sqlalchemy.orm import joinedload

from store.database import Transaction
from store.models.bots import Version
from store.models.ladders import Ladder, Member, MemberState, Rung, Season
from store.models.tournaments import Entrant


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one bot stands on one ladder; `season` has its ladder."""

    season: Season
    bot_id: UUID
    version: int
    state: MemberState
    mu: float
    sigma: float
    matches: int
    rating: float | None
    rating_low: float | None
    rating_high: float | None


def of_bots(tx: Transaction, bot_ids: Collection[UUID]) -> list[Standing]:
    """Return where these bots stand, those on the newest ladder first; who has not played is left out."""
    last = (
        select(Season.ladder_id, func.max(Season.number).label("number"))
        .join(Member, Member.ladder_id == Season.ladder_id)
        .where(Member.bot_id.in_(bot_ids))
        .group_by(Season.ladder_id)
        .subquery()
    )
    query = (
        select(Season, Rung, Version.number, Member.state)
        .join(last, and_(last.c.ladder_id == Season.ladder_id, last.c.number == Season.number))
        .join(Ladder, Ladder.id == Season.ladder_id)
        .join(Rung, Rung.tournament_id == Season.tournament_id)
        .join(Entrant, and_(Entrant.tournament_id == Rung.tournament_id, Entrant.number == Rung.entrant))
        .join(Version, Version.id == Entrant.version_id)
        .join(Member, and_(Member.ladder_id == Season.ladder_id, Member.bot_id == Rung.bot_id))
        .where(Rung.bot_id.in_(bot_ids), Rung.is_current)
        .options(joinedload(Season.ladder))
        .order_by(Ladder.created_at.desc(), Ladder.id, Rung.entrant)
    )
    return [
        Standing(
            season=season,
            bot_id=rung.bot_id,
            version=version,
            state=state,
            mu=rung.mu,
            sigma=rung.sigma,
            matches=rung.matches,
            rating=rung.rating,
            rating_low=rung.rating_low,
            rating_high=rung.rating_high,
        )
        for season, rung, version, state in tx.execute(query)
    ]
