"""Results of a batch: matches, faults, logs and totals, written together and once."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import insert, select, update

from engine.intervals import unit_of
from engine.match import MatchResult
from engine.schedule import Slot
from engine.tallies import Tally
from store import batches, seating, timings, totals
from store.batches import Claim
from store.database import Transaction
from store.models.bots import BotLog, Version
from store.models.matches import FaultRow, Result
from store.models.tournaments import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One match that was played: its number in the event, how it ended, and what decisions took (by step)."""

    number: int
    result: MatchResult
    spent_us: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What a bot at one seat of a group printed: the group's first match number, the seat, the text."""

    version_id: UUID
    first_number: int
    seat: int
    text: str


def write(
    tx: Transaction,
    claim: Claim,
    played: Sequence[Played],
    logs: Sequence[Log],
    versions: dict[int, UUID],
    now: datetime,
) -> bool:
    """Write all results of a claimed batch and close it; False, and nothing written, when it is lost.

    `versions` is the bot version of each entrant number. The event's row is locked first, so that batches of
    one event never wait for each other in a circle.
    """
    event = tx.get_one(Event, claim.event_id, with_for_update=True, populate_existing=True)
    if not batches.close(tx, claim, now):
        return False
    slots = seating.slots(tx, event, [match.number for match in played])
    seats = {number: seating.seats_of(event, slot) for number, slot in slots.items()}
    _insert_results(tx, event, played, now)
    bots = _bots(tx, versions) if any(match.result.faults for match in played) else {}
    faults = list(_fault_rows(event, played, seats, versions, bots, now))
    if faults:
        tx.execute(insert(FaultRow), faults)
    if logs:
        tx.execute(insert(BotLog), [_log_row(event, log, now) for log in logs])
    _add_totals(tx, event, played, seats, slots)
    rest = claim.count - len(played)  # at tables with somebody who was dropped
    counts = {"played": Event.played + len(played), "dropped": Event.dropped + rest}
    tx.change(update(Event).where(Event.id == event.id).values(counts))
    return True


def pack_actions(actions: Iterable[str]) -> bytes:
    """Return action texts as stored: joined by blanks (no text has one) and deflated."""
    return zlib.compress(" ".join(actions).encode())


def unpack_actions(data: bytes) -> tuple[str, ...]:
    """Return the action texts of a stored match."""
    return tuple(zlib.decompress(data).decode().split())


def _insert_results(tx: Transaction, event: Event, played: Sequence[Played], now: datetime) -> None:
    rows = [
        {
            "event_id": event.id,
            "number": match.number,
            "scores": list(match.result.scores),
            "places": list(match.result.places),
            "forfeits": list(match.result.forfeits),
            "is_forfeited": bool(match.result.forfeits),
            "faults": len(match.result.faults),
            "decisions": len(match.result.record.actions),
            "actions": pack_actions(match.result.record.actions),
            "spent": timings.pack(match.spent_us),
            "played_at": now,
        }
        for match in played
    ]
    if rows:
        tx.execute(insert(Result), rows)


def _bots(tx: Transaction, versions: Mapping[int, UUID]) -> dict[UUID, UUID]:
    """Return the bot of each of these versions."""
    query = select(Version.id, Version.bot_id).where(Version.id.in_(set(versions.values())))
    return {version_id: bot_id for version_id, bot_id in tx.execute(query)}


def _fault_rows(
    event: Event,
    played: Sequence[Played],
    seats: dict[int, tuple[int, ...]],
    versions: dict[int, UUID],
    bots: Mapping[UUID, UUID],
    now: datetime,
) -> Iterable[dict[str, Any]]:
    for match in played:
        for recorded in match.result.faults:
            version_id = versions[seats[match.number][recorded.seat]]
            yield {
                "event_id": event.id,
                "number": match.number,
                "step": recorded.step,
                "seat": recorded.seat,
                "bot_id": bots[version_id],
                "version_id": version_id,
                "code": recorded.fault.code.value,
                "detail": recorded.fault.detail,
                "evidence": dict(recorded.fault.evidence),
                "created_at": now,
            }


def _log_row(event: Event, log: Log, now: datetime) -> dict[str, Any]:
    return {
        "version_id": log.version_id,
        "event_id": event.id,
        "first_number": log.first_number,
        "seat": log.seat,
        "text": log.text.replace("\0", "�"),
        "created_at": now,
    }


def _add_totals(
    tx: Transaction,
    event: Event,
    played: Sequence[Played],
    seats: Mapping[int, tuple[int, ...]],
    slots: Mapping[int, Slot],
) -> None:
    """Add a batch to the totals: of every entrant, pair that sat together and unit of deals, once each."""
    tally = Tally(seating.sides_of(event))
    for match in played:
        result = match.result
        tally.add(
            seats[match.number],
            unit=None if seating.is_ladder(event) else unit_of(slots[match.number].deal),
            scores=result.scores,
            places=result.places,
            forfeits=result.forfeits,
            fault_seats=[recorded.seat for recorded in result.faults],
        )
    totals.add(tx, event, tally)
