"""Who did how well against whom: the meetings of an event, read from its totals."""

from collections.abc import Collection, Mapping
from fractions import Fraction
from uuid import UUID

from sqlalchemy import select

from store.database import Transaction
from store.models.tournaments import PairTotals


def of_event(
    tx: Transaction, event_id: UUID, entrants: Collection[int]
) -> Mapping[tuple[int, int], tuple[int, Fraction]]:
    """Return by (entrant, opponent) their matches and the share (0 to 1) of half-wins of the first.

    Both orders are there; entrants that have not met are not.
    """
    query = select(PairTotals.entrant, PairTotals.opponent, PairTotals.matches, PairTotals.points).where(
        PairTotals.event_id == event_id,
        PairTotals.entrant.in_(entrants),
        PairTotals.opponent.in_(entrants),
        PairTotals.matches > 0,
    )
    meetings: dict[tuple[int, int], tuple[int, Fraction]] = {}
    for entrant, opponent, matches, points in tx.execute(query):
        share = Fraction(points, 2 * matches)
        meetings[entrant, opponent] = (matches, share)
        meetings[opponent, entrant] = (matches, 1 - share)
    return meetings
