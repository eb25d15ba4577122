"""Bots against each other, game by game: what they did in all matches in which two of them met."""

from collections.abc import Collection, Mapping
from fractions import Fraction
from uuid import UUID

from sqlalchemy import and_, func, select
from sqlalchemy.orm import aliased

from store.database import Transaction
from store.models.bots import Version
from store.models.tournaments import Entrant, Event, PairTotals

Duels = Mapping[tuple[UUID, UUID], tuple[int, Fraction]]  # matches, and the share of the first, 0 to 1


def by_game(tx: Transaction, bot_ids: Collection[UUID]) -> dict[str, Duels]:
    """Return by game, in order, what each two of these bots did against each other; both orders are there."""
    met: dict[str, dict[tuple[UUID, UUID], tuple[int, int]]] = {}
    for game, one, other, matches, points in _rows(tx, bot_ids):
        of_game = met.setdefault(game, {})
        _add(of_game, (one, other), matches, points)
        _add(of_game, (other, one), matches, 2 * matches - points)
    return {
        game: {pair: (matches, Fraction(points, 2 * matches)) for pair, (matches, points) in of_game.items()}
        for game, of_game in sorted(met.items())
    }


def _add(
    of_game: dict[tuple[UUID, UUID], tuple[int, int]], pair: tuple[UUID, UUID], matches: int, points: int
) -> None:
    before, won = of_game.get(pair, (0, 0))
    of_game[pair] = before + matches, won + points


def _rows(tx: Transaction, bot_ids: Collection[UUID]) -> list[tuple[str, UUID, UUID, int, int]]:
    """Return (game, bot, other bot, matches, half-wins of the first) of the pairs that met."""
    own, other, own_version, other_version = (
        aliased(Entrant),
        aliased(Entrant),
        aliased(Version),
        aliased(Version),
    )
    query = (
        select(
            Event.game,
            own_version.bot_id,
            other_version.bot_id,
            func.sum(PairTotals.matches),
            func.sum(PairTotals.points),
        )
        .select_from(own_version)
        .join(own, own.version_id == own_version.id)
        .join(Event, Event.tournament_id == own.tournament_id)
        .join(PairTotals, and_(PairTotals.event_id == Event.id, PairTotals.entrant == own.number))
        .join(
            other,
            and_(other.tournament_id == own.tournament_id, other.number == PairTotals.opponent),
        )
        .join(other_version, other_version.id == other.version_id)
        .where(own_version.bot_id.in_(bot_ids), other_version.bot_id.in_(bot_ids))
        .where(own_version.bot_id != other_version.bot_id, PairTotals.matches > 0)
        .group_by(Event.game, own_version.bot_id, other_version.bot_id)
    )
    return [
        (game, one, opponent, int(matches), int(points))
        for game, one, opponent, matches, points in tx.execute(query)
    ]
