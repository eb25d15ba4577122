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
    query = select(PairTotals).where(
        PairTotals.event_id == event_id,
        PairTotals.entrant.in_(entrants),
        PairTotals.opponent.in_(entrants),
        PairTotals.matches > 0,
    )
    meetings: dict[tuple[int, int], tuple[int, Fraction]] = {}
    for row in tx.scalars(query):
        share = Fraction(row.points, 2 * row.matches)
        meetings[row.entrant, row.opponent] = (row.matches, share)
        meetings[row.opponent, row.entrant] = (row.matches, 1 - share)
    return meetings
