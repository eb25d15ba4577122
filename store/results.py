"""Results of a batch: matches, faults, logs and totals, written together and once."""

import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import insert, update
from sqlalchemy.dialects import postgresql, sqlite

from engine.match import MatchResult, points
from store import batches, seating
from store.batches import Claim
from store.database import Transaction
from store.models.bots import BotLog
from store.models.matches import FaultRow, Result
from store.models.tournaments import EntrantTotals, Event, PairTotals


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One match that was played: its number in the event, and how it ended."""

    number: int
    result: MatchResult


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
    seats = {match.number: _seats(event, match.number) for match in played}
    _insert_results(tx, event, played, now)
    faults = list(_fault_rows(event, played, seats, versions, now))
    if faults:
        tx.execute(insert(FaultRow), faults)
    if logs:
        tx.execute(insert(BotLog), [_log_row(event, log, now) for log in logs])
    _add_totals(tx, event, played, seats)
    tx.change(update(Event).where(Event.id == event.id).values(played=Event.played + len(played)))
    return True


def pack_actions(actions: Iterable[str]) -> bytes:
    """Return action texts as stored: joined by blanks (no text has one) and deflated."""
    return zlib.compress(" ".join(actions).encode())


def unpack_actions(data: bytes) -> tuple[str, ...]:
    """Return the action texts of a stored match."""
    return tuple(zlib.decompress(data).decode().split())


def _seats(event: Event, number: int) -> tuple[int, ...]:
    return seating.seats_of(event, seating.schedule_of(event).slot(number))


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
            "played_at": now,
        }
        for match in played
    ]
    tx.execute(insert(Result), rows)


def _fault_rows(
    event: Event,
    played: Sequence[Played],
    seats: dict[int, tuple[int, ...]],
    versions: dict[int, UUID],
    now: datetime,
) -> Iterable[dict[str, Any]]:
    for match in played:
        for recorded in match.result.faults:
            yield {
                "event_id": event.id,
                "number": match.number,
                "step": recorded.step,
                "seat": recorded.seat,
                "version_id": versions[seats[match.number][recorded.seat]],
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
    tx: Transaction, event: Event, played: Sequence[Played], seats: dict[int, tuple[int, ...]]
) -> None:
    """Add a batch to the totals: every entrant and every pair that sat together, once each."""
    sides = seating.sides_of(event)
    first_seats = [sides.index(side) for side in range(event.sides)]
    totals: dict[tuple[int, ...], list[int]] = defaultdict(lambda: [0] * len(_TOTALS))
    pairs: dict[tuple[int, ...], list[int]] = defaultdict(lambda: [0, 0])
    for match in played:
        result, by_seat = match.result, seats[match.number]
        half_wins = points(result.places, sides, result.forfeits)
        nobody = len(result.forfeits) == len(by_seat)
        for seat in first_seats:
            entrant = by_seat[seat]
            won = not nobody and result.places[seat] == 1 and half_wins[seat] == 2 * (event.sides - 1)
            faults = sum(sides[recorded.seat] == sides[seat] for recorded in result.faults)
            values = (1, won, half_wins[seat], result.scores[seat], faults, seat in result.forfeits)
            _add(totals[(entrant,)], values)
            for other in first_seats:
                if entrant < by_seat[other]:
                    duel = 0 if nobody else _duel(result.places[seat], result.places[other])
                    _add(pairs[(entrant, by_seat[other])], (1, duel))
    _upsert(tx, EntrantTotals.__table__, event.id, ("entrant",), _TOTALS, totals)
    _upsert(tx, PairTotals.__table__, event.id, ("entrant", "opponent"), ("matches", "points"), pairs)


_TOTALS = ("matches", "wins", "points", "score", "faults", "forfeits")


def _duel(place: int, other: int) -> int:
    """Return the half-wins of a side against another one: 2, 1 or 0."""
    return 2 * (place < other) + (place == other)


def _add(sums: list[int], values: Iterable[int]) -> None:
    for position, value in enumerate(values):
        sums[position] += value


def _upsert(
    tx: Transaction,
    table: Any,
    event_id: UUID,
    keys: tuple[str, ...],
    columns: tuple[str, ...],
    sums: dict[tuple[int, ...], list[int]],
) -> None:
    """Add `sums` (by key) to the rows of a totals table, making those that are not there, in order of key."""
    if not sums:
        return
    dialect = sqlite if tx.get_bind().dialect.name == "sqlite" else postgresql
    statement = dialect.insert(table)
    added = {name: table.c[name] + statement.excluded[name] for name in columns}
    statement = statement.on_conflict_do_update(index_elements=["event_id", *keys], set_=added)
    rows = [
        {"event_id": event_id, **dict(zip(keys, key, strict=True)), **dict(zip(columns, values, strict=True))}
        for key, values in sorted(sums.items())
    ]
    tx.execute(statement, rows)
