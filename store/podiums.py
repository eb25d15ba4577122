"""Who came first in finished tournaments, for lists of them: two queries whatever their number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from uuid import UUID

from sqlalchemy import select, tuple_

from engine import ledger
from store.database import Transaction
from store.models.tournaments import Edition, Entrant, Tournament, TournamentState

PLACES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """One of the first in the final standings over all events."""

    place: int
    name: str
    points: Fraction


def of_tournaments(
    tx: Transaction, tournament_ids: Sequence[UUID], most: int = PLACES
) -> Mapping[UUID, list[Placed]]:
    """Return the first `most` rows of the latest edition of each tournament that is finished."""
    query = (
        select(Edition)
        .join(Tournament, Tournament.id == Edition.tournament_id)
        .where(Edition.tournament_id.in_(tournament_ids), Tournament.state == TournamentState.FINISHED)
        .order_by(Edition.number)
    )
    rows = {
        edition.tournament_id: ledger.overall_rows(edition.standings)[:most] for edition in tx.scalars(query)
    }
    wanted = [(tournament_id, row.entrant) for tournament_id, first in rows.items() for row in first]
    found = select(Entrant).where(tuple_(Entrant.tournament_id, Entrant.number).in_(wanted))
    names = {(entrant.tournament_id, entrant.number): entrant.name for entrant in tx.scalars(found)}
    return {
        tournament_id: [
            Placed(place=row.place, name=names[tournament_id, row.entrant], points=row.points)
            for row in first
        ]
        for tournament_id, first in rows.items()
    }
