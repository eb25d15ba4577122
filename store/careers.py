"""What a bot has done in all tournaments: its results by game, and against each other bot."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, func, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from store.database import Transaction
from store.models.bots import Version
from store.models.tournaments import Entrant, EntrantTotals, Event, PairTotals, Tournament


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """What a bot did in one game; `points` is the mean of a match, 0 to 1."""

    game: str
    matches: int
    wins: int
    points: Fraction
    faults: int
    forfeits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """How a bot did against another; `share` is its part of the half-wins, 0 to 1."""

    bot_id: UUID
    name: str
    matches: int
    share: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One tournament that a bot is entered in."""

    tournament_id: UUID
    tournament: str
    state: str
    version: int


def games(tx: Transaction, bot_id: UUID) -> list[GameRecord]:
    """Return what the bot did in each game that it has played, by the id of the game."""
    of = EntrantTotals
    query = (
        select(
            Event.game,
            Event.sides,
            *(func.sum(column) for column in (of.matches, of.wins, of.points, of.faults, of.forfeits)),
        )
        .join(Event, Event.id == of.event_id)
        .join(Entrant, _is_entrant(Entrant, Event, of.entrant))
        .join(Version, Version.id == Entrant.version_id)
        .where(Version.bot_id == bot_id)
        .group_by(Event.game, Event.sides)
    )
    found: dict[str, list[tuple[int, ...]]] = {}
    for game, *numbers in tx.execute(query):
        found.setdefault(game, []).append(tuple(int(number) for number in numbers))
    return [_game_record(game, rows) for game, rows in sorted(found.items())]


def rivals(tx: Transaction, bot_id: UUID, limit: int) -> list[Rival]:
    """Return the bots that this one met, those first that it met most often; at most `limit`."""
    met: dict[UUID, tuple[str, int, int]] = {}
    for is_first in (True, False):
        for other_id, name, matches, points in tx.execute(_meetings(bot_id, is_first=is_first)):
            own = int(points) if is_first else 2 * int(matches) - int(points)
            _, before, won = met.get(other_id, (name, 0, 0))
            met[other_id] = (name, before + int(matches), won + own)
    rows = [
        Rival(bot_id=other_id, name=name, matches=matches, share=Fraction(won, 2 * matches))
        for other_id, (name, matches, won) in met.items()
        if matches and other_id != bot_id
    ]
    return sorted(rows, key=lambda rival: (-rival.matches, rival.name))[:limit]


def entries(tx: Transaction, bot_id: UUID, limit: int) -> Sequence[Entry]:
    """Return the latest tournaments that the bot is entered in, the newest first."""
    query = (
        select(Tournament.id, Tournament.name, Tournament.state, Version.number)
        .join(Entrant, Entrant.tournament_id == Tournament.id)
        .join(Version, Version.id == Entrant.version_id)
        .where(Version.bot_id == bot_id, Entrant.filler.is_(False))
        .order_by(Tournament.created_at.desc(), Tournament.id.desc())
        .limit(limit)
    )
    return [
        Entry(tournament_id=id_, tournament=name, state=state.value, version=number)
        for id_, name, state, number in tx.execute(query)
    ]


def _is_entrant(
    entrant: type[Entrant], event: type[Event], number: InstrumentedAttribute[int]
) -> ColumnElement[bool]:
    return and_(entrant.tournament_id == event.tournament_id, entrant.number == number)


def _meetings(bot_id: UUID, *, is_first: bool) -> Select[UUID, str, int, int]:
    """Return the query of (other bot, its name, matches, half-wins of the first of the pair)."""
    own, other, other_version = aliased(Entrant), aliased(Entrant), aliased(Version)
    first, second = (own, other) if is_first else (other, own)
    return (
        select(
            other_version.bot_id,
            func.min(other.name),
            func.sum(PairTotals.matches),
            func.sum(PairTotals.points),
        )
        .select_from(PairTotals)
        .join(Event, Event.id == PairTotals.event_id)
        .join(first, _is_entrant(first, Event, PairTotals.entrant))
        .join(second, _is_entrant(second, Event, PairTotals.opponent))
        .join(Version, Version.id == own.version_id)
        .join(other_version, other_version.id == other.version_id)
        .where(Version.bot_id == bot_id)
        .group_by(other_version.bot_id)
    )


def _game_record(game: str, rows: list[tuple[int, ...]]) -> GameRecord:
    """Add up rows of (sides, matches, wins, points in half-wins, faults, forfeits)."""
    matches = sum(row[1] for row in rows)
    won = sum((Fraction(row[3], 2 * (row[0] - 1)) for row in rows), Fraction(0))
    return GameRecord(
        game=game,
        matches=matches,
        wins=sum(row[2] for row in rows),
        points=won / matches if matches else Fraction(0),
        faults=sum(row[4] for row in rows),
        forfeits=sum(row[5] for row in rows),
    )
