"""How ratings on a ladder went: thinned for plots, and as they were some rounds ago."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from sqlalchemy import Select, and_, func, select

from engine.online import Skill
from store.boards import BoardRow
from store.database import Transaction
from store.models.ladders import LadderMeeting, LadderSeat, Rung, Season
from store.models.tournaments import Event

Curve = list[tuple[int, Skill]]


def of_bots(tx: Transaction, season: Season, bot_ids: Collection[UUID], points: int) -> dict[UUID, Curve]:
    """Return (rounds played, rating after them) of each bot, at most `points` of them and the last one.

    All versions of a bot are one line; a bot that has not played has none.
    """
    width = max(1, -(-season.applied // points))
    stretch = (
        _applied(season)
        .with_only_columns(Rung.bot_id, func.max(LadderMeeting.round).label("round"))
        .where(Rung.bot_id.in_(bot_ids))
        .group_by(Rung.bot_id, LadderMeeting.round // width)
        .subquery()
    )
    query = (
        _applied(season)
        .with_only_columns(Rung.bot_id, LadderMeeting.round, LadderSeat.mu_after, LadderSeat.sigma_after)
        .join(stretch, and_(stretch.c.bot_id == Rung.bot_id, stretch.c.round == LadderMeeting.round))
        .order_by(LadderMeeting.round)
    )
    found: dict[UUID, Curve] = {}
    for bot_id, round_, mu, sigma in tx.execute(query):
        if mu is not None and sigma is not None:
            found.setdefault(bot_id, []).append((round_ + 1, Skill(mu=mu, sigma=sigma)))
    return found


def climbed(tx: Transaction, season: Season, rows: Sequence[BoardRow], rounds: int) -> Mapping[int, int]:
    """Return by how many places each entrant of a board has risen in the last `rounds` rounds, falls below 0.

    Who first played within them is compared with the place of the rating that it began with.
    """
    before = {row.entrant: row.order for row in rows} | _orders_before(tx, season, season.applied - rounds)
    listed = sorted((before[row.entrant] for row in rows), reverse=True)
    return {row.entrant: listed.index(before[row.entrant]) + 1 - row.place for row in rows}


def _orders_before(tx: Transaction, season: Season, round_: int) -> dict[int, float]:
    """Return what entrants that have played since a round were ordered by before it."""
    query = (
        _applied(season)
        .with_only_columns(LadderSeat.entrant, LadderSeat.mu_before, LadderSeat.sigma_before)
        .where(LadderMeeting.round >= round_)
        .order_by(LadderMeeting.round.desc())
    )
    return {
        entrant: Skill(mu=mu, sigma=sigma).order
        for entrant, mu, sigma in tx.execute(query)
        if mu is not None and sigma is not None
    }


def _applied(season: Season) -> Select[LadderSeat]:
    """Return the query of the seats of a season whose meetings are in the ratings."""
    return (
        select(LadderSeat)
        .join(Event, Event.id == LadderSeat.event_id)
        .join(
            LadderMeeting,
            and_(LadderMeeting.event_id == LadderSeat.event_id, LadderMeeting.number == LadderSeat.meeting),
        )
        .join(Rung, and_(Rung.tournament_id == Event.tournament_id, Rung.entrant == LadderSeat.entrant))
        .where(Event.tournament_id == season.tournament_id, LadderMeeting.applied_at.is_not(None))
    )
