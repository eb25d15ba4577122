"""The board of a ladder's season: who stands where, live from the ratings, and frozen at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from hashlib import sha256
from itertools import combinations
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import and_, func, select

from engine import climbing, online
from engine.online import Skill
from engine.ratings import Rating
from engine.record import canonical
from store import standings
from store.database import Transaction
from store.models.bots import Version
from store.models.ladders import LadderMeeting, Member, MemberState, Rung, Season, SeasonPhase
from store.models.tournaments import Entrant, Event, PairTotals, Tournament, TournamentState

_DIGITS = 6  # of a rating in frozen standings


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """One line of a board, in order of `order` (mu - 3 sigma); frozen, in order of the closing tournament.

    `rating` with its 95% interval is the published strength, on Elo's scale; None before enough is played.
    `closing_points` are the mean points of a match in the closing tournament, a fraction as text.
    """

    place: int
    entrant: int
    bot_id: UUID
    name: str
    version: int
    mu: float
    sigma: float
    order: float
    matches: int
    rating: float | None
    rating_low: float | None
    rating_high: float | None
    closing_points: str | None = None


def rows(tx: Transaction, season: Season) -> list[BoardRow]:
    """Return the board of a season, best first; equal rows share the better place."""
    if season.phase is SeasonPhase.OVER and season.standings is not None:
        return msgspec.convert(season.standings, list[BoardRow])
    return _live(tx, season)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leader:
    """One of the first on a board."""

    place: int
    bot_id: UUID
    name: str
    mu: float


def leaders(tx: Transaction, tournament_ids: Sequence[UUID], most: int) -> Mapping[UUID, list[Leader]]:
    """Return the first `most` of the boards of seasons that run, by their tournaments, in one query."""
    order = Rung.mu - 3 * Rung.sigma
    of_season: dict[str, Any] = {"partition_by": Rung.tournament_id, "order_by": order.desc()}
    ranked = (
        select(
            Rung.tournament_id,
            Rung.bot_id,
            Entrant.name,
            Rung.mu,
            func.rank().over(**of_season).label("place"),
        )
        .join(Season, Season.tournament_id == Rung.tournament_id)
        .join(Entrant, and_(Entrant.tournament_id == Rung.tournament_id, Entrant.number == Rung.entrant))
        .join(Member, and_(Member.bot_id == Rung.bot_id, Member.ladder_id == Season.ladder_id))
        .where(Rung.tournament_id.in_(tournament_ids), Rung.is_current)
        .where(Member.state == MemberState.ACTIVE)
        .subquery()
    )
    query = select(ranked).where(ranked.c.place <= most).order_by(ranked.c.place, ranked.c.name)
    found: dict[UUID, list[Leader]] = {}
    for tournament_id, bot_id, name, mu, place in tx.execute(query):
        first = found.setdefault(tournament_id, [])
        if len(first) < most:
            first.append(Leader(place=place, bot_id=bot_id, name=name, mu=mu))
    return found


def coverage(tx: Transaction, season: Season) -> Fraction | None:
    """Return the share of the pairs on the board that have met in this season; None without a pair."""
    entrants = sorted(row.entrant for row in _live(tx, season))
    if len(entrants) < 2:
        return None
    query = (
        select(PairTotals.entrant, PairTotals.opponent)
        .join(Event, Event.id == PairTotals.event_id)
        .where(
            Event.tournament_id == season.tournament_id,
            PairTotals.entrant.in_(entrants),
            PairTotals.opponent.in_(entrants),
            PairTotals.matches > 0,
        )
        .distinct()
    )
    met = sum(1 for _ in tx.execute(query))
    return Fraction(met, len(list(combinations(entrants, 2))))


def rate(tx: Transaction, season: Season, ratings: Mapping[int, Rating], applied: int) -> None:
    """Store the ratings (`batch_ratings`) that follow from the first `applied` rounds of a season."""
    for rung in tx.scalars(select(Rung).where(Rung.tournament_id == season.tournament_id)):
        found = ratings.get(rung.entrant)
        interval = None if found is None else found.interval
        rung.rating = None if found is None else found.rating
        rung.rating_low = None if interval is None else interval.low
        rung.rating_high = None if interval is None else interval.high
    season.rated = applied
    tx.flush()


def batch_ratings(tx: Transaction, tournament_id: UUID) -> dict[int, Rating]:
    """Return the rating of every entrant that has played a match that counts, clustered by meeting."""
    query = (
        select(LadderMeeting.sums)
        .join(Event, Event.id == LadderMeeting.event_id)
        .where(Event.tournament_id == tournament_id, LadderMeeting.is_rated)
        .where(LadderMeeting.applied_at.is_not(None))
        .order_by(LadderMeeting.round, LadderMeeting.number)
    )
    return climbing.rate(sums or [] for sums in tx.scalars(query))


def freeze(tx: Transaction, season: Season) -> None:
    """End a season: its standings never change afterwards. Its row must be locked.

    They are in the order of the closing tournament; where that was not played to its end, of the board as it
    is written: who is equal in all digits that are written shares a place.
    """
    board = {row.bot_id: _rounded(row) for row in _live(tx, season, with_all=True)}
    frozen = _by_closing(tx, season, board) or _placed([_rounded(row) for row in _live(tx, season)])
    season.standings = [msgspec.to_builtins(row) for row in frozen]
    season.sha256 = sha256(canonical(season.standings)).hexdigest()
    season.phase = SeasonPhase.OVER
    tx.flush()


def _live(tx: Transaction, season: Season, *, with_all: bool = False) -> list[BoardRow]:
    """Return the rows of the members that play, or of all that have played, as they stand."""
    query = (
        select(Rung, Entrant.name, Version.number)
        .join(Entrant, and_(Entrant.tournament_id == Rung.tournament_id, Entrant.number == Rung.entrant))
        .join(Version, Version.id == Entrant.version_id)
        .join(Member, and_(Member.bot_id == Rung.bot_id, Member.ladder_id == season.ladder_id))
        .where(Rung.tournament_id == season.tournament_id, Rung.is_current)
    )
    if not with_all:
        query = query.where(Member.state == MemberState.ACTIVE)
    return _placed(
        [
            BoardRow(
                place=0,
                entrant=rung.entrant,
                bot_id=rung.bot_id,
                name=name,
                version=version,
                mu=rung.mu,
                sigma=rung.sigma,
                order=Skill(mu=rung.mu, sigma=rung.sigma).order,
                matches=rung.matches,
                rating=rung.rating,
                rating_low=rung.rating_low,
                rating_high=rung.rating_high,
            )
            for rung, name, version in tx.execute(query)
        ]
    )


def _placed(board: Sequence[BoardRow]) -> list[BoardRow]:
    """Return rows with their places by `order`, best first."""
    places = online.places(row.order for row in board)
    placed = [replace(row, place=places[row.order]) for row in board]
    return sorted(placed, key=lambda row: (row.place, row.entrant))


def _by_closing(tx: Transaction, season: Season, board: Mapping[UUID, BoardRow]) -> list[BoardRow]:
    """Return the rows in the order of the closing tournament; none when it was not played to its end."""
    closing = None if season.closing_id is None else tx.get_one(Tournament, season.closing_id)
    if closing is None or closing.state is not TournamentState.FINISHED:
        return []
    query = (
        select(Entrant.number, Version.bot_id)
        .join(Version, Version.id == Entrant.version_id)
        .where(Entrant.tournament_id == closing.id)
    )
    bots = {number: bot_id for number, bot_id in tx.execute(query)}
    return [
        BoardRow(
            **{**asdict(board[bots[row.entrant]]), "place": row.place, "closing_points": str(row.points)}
        )
        for row in standings.overall(tx, closing.id)
    ]


def _rounded(row: BoardRow) -> BoardRow:
    """Return a row with the digits that are written of it."""
    written: dict[str, Any] = {
        name: round(value, _DIGITS) for name, value in asdict(row).items() if isinstance(value, float)
    }
    return replace(row, **written)
