"""The names of a few entrants, without loading a whole tournament."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select

from store.database import Transaction
from store.models.bots import Version
from store.models.tournaments import Entrant


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """An entrant: "owner/bot", the bot, the number of its frozen version, and whether it only fills up."""

    number: int
    name: str
    bot_id: UUID
    version: int
    filler: bool


def of_entrants(tx: Transaction, tournament_id: UUID, numbers: Collection[int]) -> Mapping[int, Named]:
    """Return the entrants of a tournament with these numbers, by number."""
    query = (
        select(Entrant, Version.bot_id, Version.number)
        .join(Version, Version.id == Entrant.version_id)
        .where(Entrant.tournament_id == tournament_id, Entrant.number.in_(numbers))
    )
    return {
        entrant.number: Named(
            number=entrant.number, name=entrant.name, bot_id=bot_id, version=version, filler=entrant.filler
        )
        for entrant, bot_id, version in tx.execute(query)
    }
