"""Seeds of deals: what every match is dealt from, bound to who plays."""

from collections.abc import Mapping
from uuid import UUID

from sqlalchemy import select

from engine import seeds
from engine.schedule import Slot
from store import seating
from store.database import Transaction
from store.models.bots import Bot, BotKind, Version
from store.models.ladders import LadderMeeting
from store.models.tournaments import Entrant, Event, Tournament


def of_slots(
    tx: Transaction, tournament: Tournament, event: Event, slots: Mapping[int, Slot]
) -> dict[int, bytes]:
    """Return the seed of each of these matches."""
    sitting = {entrant for slot in slots.values() for entrant in seating.table_of(event, slot)}
    endpoints = _endpoints(tx, tournament.id, sitting)
    bindings = _bindings(tx, event, {slot.table for slot in slots.values()})
    return {
        number: seed(tournament, event, slot, endpoints, bindings.get(slot.table))
        for number, slot in slots.items()
    }


def seed(
    tournament: Tournament, event: Event, slot: Slot, endpoints: set[int], binding: str | None = None
) -> bytes:
    """Return the seed of a match; a table with an endpoint has deals of its own, unless asked not to.

    `binding` is the hash of those who play it, by default of all entrants.
    """
    has_endpoint = not endpoints.isdisjoint(seating.table_of(event, slot))
    own = has_endpoint and not tournament.endpoint_duplicates
    entrants_sha256 = binding or tournament.entrants_sha256
    assert entrants_sha256 is not None, "a started tournament has its entrants frozen"
    return seeds.deal_seed(tournament.secret, entrants_sha256, event.index, slot.deal_name(own=own))


def _bindings(tx: Transaction, event: Event, meetings: set[int]) -> dict[int, str]:
    """Return the hash that binds each of these meetings of a ladder; none for another event."""
    if not seating.is_ladder(event):
        return {}
    query = select(LadderMeeting.number, LadderMeeting.entrants_sha256).where(
        LadderMeeting.event_id == event.id, LadderMeeting.number.in_(meetings)
    )
    return {number: binding for number, binding in tx.execute(query)}


def _endpoints(tx: Transaction, tournament_id: UUID, among: set[int]) -> set[int]:
    """Return which of these entrants are endpoints."""
    query = (
        select(Entrant.number)
        .join(Version, Version.id == Entrant.version_id)
        .join(Bot, Bot.id == Version.bot_id)
        .where(Entrant.tournament_id == tournament_id, Entrant.number.in_(among))
        .where(Bot.kind == BotKind.ENDPOINT)
    )
    return set(tx.scalars(query))
