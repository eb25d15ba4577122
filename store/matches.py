"""Matches as others see them: lists, records, replays; hidden cards stay hidden while their event runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from itertools import takewhile
from typing import Any
from uuid import UUID

from sqlalchemy import func, or_, select
from sqlalchemy.orm import defer

from engine.match import points
from engine.record import Record
from engine.schedule import Slot
from store import archives, deals, seating, timings
from store.database import Transaction
from store.errors import Conflict, NotFound
from store.models.matches import FaultRow, Result
from store.models.tournaments import Event, EventState, Tournament, TournamentState

ALL = "all"
_RANGES_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchView:
    """A finished match; `entrants`, `scores`, `places` and `points` are by seat, `table` by side."""

    id: str
    tournament_id: UUID
    event_id: UUID
    event_index: int
    number: int
    game: str
    block: int
    deal: int
    rotation: int
    table: tuple[int, ...]
    entrants: tuple[int, ...]
    scores: tuple[int, ...]
    places: tuple[int, ...]
    points: tuple[Fraction, ...]
    forfeits: tuple[int, ...]
    faults: int
    decisions: int
    played_at: datetime


def page(
    tx: Transaction,
    tournament_id: UUID,
    *,
    event_index: int | None = None,
    entrant: int | None = None,
    after: tuple[int, int] | None = None,
    limit: int,
) -> list[MatchView]:
    """Return at most `limit` matches in the order of (event index, number), after the one given."""
    found: list[tuple[Event, Result]] = []
    for event in _events(tx, tournament_id, event_index, after):
        is_begun = after is not None and event.index == after[0]
        first = after[1] + 1 if after is not None and is_begun else 0
        found += ((event, row) for row in _results(tx, event, entrant, first, limit - len(found)))
        if len(found) == limit:
            break
    return _views(tx, found)


def get(tx: Transaction, match_id: str) -> MatchView:
    """Return a finished match; raises NotFound."""
    return _views(tx, [_find(tx, match_id)])[0]


def record(tx: Transaction, match_id: str) -> Record:
    """Return the record of a match, which shows every card: Conflict while its event is running."""
    event, result = _find(tx, match_id)
    _require_over(tx, event, result)
    return _record(tx, event, result)


def faults(tx: Transaction, match_id: str) -> list[FaultRow]:
    """Return the faults of a match, in order of step."""
    event, result = _find(tx, match_id)
    query = (
        select(FaultRow)
        .where(FaultRow.event_id == event.id, FaultRow.number == result.number)
        .order_by(FaultRow.step)
    )
    return list(tx.scalars(query))


def spent_us(tx: Transaction, match_id: str) -> Mapping[int, int]:
    """Return what each decision of a match took, in microseconds by step, as far as it was counted."""
    event, result = _find(tx, match_id)
    return timings.unpack(archives.kept(tx, event, result).spent)


def observation(tx: Transaction, event_id: UUID, number: int, step: int, seat: int) -> dict[str, Any]:
    """Return what a seat was shown at one step of a finished match: evidence for its owner alone."""
    event, result = _find(tx, match_id_of(event_id, number))
    for position, (state, _) in enumerate(_record(tx, event, result).states()):
        if position == step:
            return state.observation(seat)
    raise NotFound(f"match {match_id_of(event_id, number)} has no step {step}")


def replay(tx: Transaction, match_id: str, *, viewer: str | int = ALL) -> dict[str, Any]:
    """Return a finished match step by step, as `viewer` (a seat, or "all") sees it."""
    event, result = _find(tx, match_id)
    _require_over(tx, event, result)
    if viewer != ALL and viewer not in range(event.seats):
        raise NotFound(f"match {match_id} has no seat {viewer}; it has {event.seats} seats", field="seat")
    replayed = _record(tx, event, result)
    return {
        "record": replayed.to_json(),
        "steps": list(_steps(replayed, viewer)),
        "faults": [[row.step, row.seat, row.code] for row in faults(tx, match_id)],
        "spent": sorted([step, used / 1000] for step, used in spent_us(tx, match_id).items()),
    }


def match_id_of(event_id: UUID, number: int) -> str:
    """Return the public id of a match."""
    return f"{event_id.hex}-{number}"


def _events(
    tx: Transaction, tournament_id: UUID, index: int | None, after: tuple[int, int] | None
) -> list[Event]:
    """Return the events whose matches are wanted, in order."""
    query = select(Event).where(Event.tournament_id == tournament_id).order_by(Event.index)
    if index is not None:
        query = query.where(Event.index == index)
    if after is not None:
        query = query.where(Event.index >= after[0])
    return list(tx.scalars(query))


def _results(tx: Transaction, event: Event, entrant: int | None, first: int, limit: int) -> list[Result]:
    """Return at most `limit` results of an event from number `first` on, of one entrant if it is given."""
    query = select(Result).where(Result.event_id == event.id).order_by(Result.number)
    query = query.options(defer(Result.actions, raiseload=True))
    if entrant is None:
        return list(tx.scalars(query.where(Result.number >= first).limit(limit)))
    last = tx.scalar(select(func.max(Result.number)).where(Result.event_id == event.id))
    found: list[Result] = []
    if last is None:
        return found
    ranges = takewhile(lambda numbers: numbers.start <= last, seating.numbers_of(tx, event, entrant, first))
    while len(found) < limit and (some := _enough(ranges, limit - len(found))):
        wanted = or_(*(Result.number.between(numbers.start, numbers.stop - 1) for numbers in some))
        found += tx.scalars(query.where(wanted).limit(limit - len(found)))
    return found


def _enough(ranges: Iterator[range], rows: int) -> list[range]:
    """Return the next ranges that hold so many numbers together, at most as many as one query may name."""
    some: list[range] = []
    while sum(map(len, some)) < rows and len(some) < _RANGES_AT_ONCE:
        numbers = next(ranges, None)
        if numbers is None:
            break
        some.append(numbers)
    return some


def _find(tx: Transaction, match_id: str) -> tuple[Event, Result]:
    event_hex, _, number = match_id.partition("-")
    found = None
    if len(event_hex) == 32 and number.isascii() and number.isdigit() and len(number) < 19:
        try:
            event_id = UUID(hex=event_hex)
        except ValueError:
            event_id = None
        if event_id is not None:
            found = tx.execute(
                select(Event, Result)
                .join(Result, Result.event_id == Event.id)
                .where(Event.id == event_id, Result.number == int(number))
            ).one_or_none()
    if found is None:
        raise NotFound(f"there is no finished match {match_id[:80]!r}")
    return found[0], found[1]


def _require_over(tx: Transaction, event: Event, result: Result) -> None:
    """Refuse to show the cards of a match while others play its deals; meetings of a ladder share none."""
    if event.state is EventState.FINISHED:
        return
    if tx.get_one(Tournament, event.tournament_id).state is TournamentState.CANCELLED:
        return
    if seating.is_ladder(event):
        if seating.is_applied(tx, event, result.number):
            return
        raise Conflict("the round of the match is still being played: its cards are hidden until it ends")
    raise Conflict("the event is still running: its cards are hidden until it ends")


def _views(tx: Transaction, rows: Sequence[tuple[Event, Result]]) -> list[MatchView]:
    """Return finished matches, each with its event, as others see them."""
    numbers: dict[UUID, tuple[Event, list[int]]] = {}
    for event, result in rows:
        numbers.setdefault(event.id, (event, []))[1].append(result.number)
    slots = {event_id: seating.slots(tx, *of_event) for event_id, of_event in numbers.items()}
    return [_view(event, slots[event.id][result.number], result) for event, result in rows]


def _view(event: Event, slot: Slot, result: Result) -> MatchView:
    half_wins = points(result.places, seating.sides_of(event), result.forfeits)
    scale = 2 * (event.sides - 1)
    return MatchView(
        id=match_id_of(event.id, result.number),
        tournament_id=event.tournament_id,
        event_id=event.id,
        event_index=event.index,
        number=result.number,
        game=event.game,
        block=slot.block,
        deal=slot.deal,
        rotation=slot.rotation,
        table=seating.table_of(event, slot),
        entrants=seating.seats_of(event, slot),
        scores=tuple(result.scores),
        places=tuple(result.places),
        points=tuple(Fraction(won, scale) for won in half_wins),
        forfeits=tuple(result.forfeits),
        faults=result.faults,
        decisions=result.decisions,
        played_at=result.played_at,
    )


def _record(tx: Transaction, event: Event, result: Result) -> Record:
    tournament = tx.get_one(Tournament, event.tournament_id)
    slots = seating.slots(tx, event, [result.number])
    return Record(
        game=event.game,
        options=event.options,
        seats=event.seats,
        seed=deals.of_slots(tx, tournament, event, slots)[result.number],
        actions=archives.kept(tx, event, result).actions,
    )


def _steps(replayed: Record, viewer: str | int) -> Iterator[dict[str, Any]]:
    for step, (state, action) in enumerate(replayed.states()):
        viewers: Sequence[int] = range(replayed.seats) if viewer == ALL else [int(viewer)]
        legal = state.legal_actions() if state.to_move is not None else []
        yield {
            "step": step,
            "seat": state.to_move,
            "action": action,
            "legal": [state.action_text(option) for option in legal],
            "observations": {str(seat): state.observation(seat) for seat in viewers},
        }
