"""The play of one match without I/O: a generator that asks, is sent answers, and returns the result."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from engine.contract import Action, Game, Seat, State
from engine.errors import FudabaError, IllegalAction
from engine.options import OptionValue
from engine.policies import Answer, Ask, Fault, FaultCode
from engine.record import Record


class PlatformFault(FudabaError):
    """The platform failed, not a bot: the match counts for nothing and is played again."""

    code = "platform"

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.detail)
        self.fault = fault


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedFault:
    """A fault where it happened: the step of the match (from 0), the seat, and the fault itself."""

    step: int
    seat: Seat
    fault: Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """A finished match: its record, faults in order, seats that forfeited, score and place per seat."""

    record: Record
    faults: tuple[RecordedFault, ...]
    forfeits: tuple[Seat, ...]
    scores: tuple[int, ...]
    places: tuple[int, ...]


Play = Generator[Ask, Answer, MatchResult]


def play(
    game: Game,
    *,
    seats: int,
    options: dict[str, OptionValue],
    seed: bytes,
    max_faults: int = 3,
    absent: Sequence[Seat] = (),
) -> Play:
    """Play one match: yields every decision with a choice, expects the answer, returns the result.

    Decisions with one legal action are played without asking. A fault, or an answer that is not legal, is
    answered by the lowest legal action; the `max_faults`th of a side forfeits the match for the whole side,
    whose further decisions are played the same way without asking. Seats in `absent` (benched) forfeit from
    the start. Raises PlatformFault when it is sent one.
    """
    sides = game.sides(seats, options)
    state = game.start(seats, options, seed)
    faults: list[RecordedFault] = []
    fault_counts = [0] * (max(sides) + 1)
    forfeited = {sides[seat] for seat in absent}
    actions: list[Action] = []
    while (seat := state.to_move) is not None:
        legal = state.legal_actions()
        action = legal[0]
        if len(legal) > 1 and sides[seat] not in forfeited:
            step = len(actions)
            chosen = _chosen(state, legal, (yield Ask(step, seat, legal, state)))
            if isinstance(chosen, Fault):
                faults.append(RecordedFault(step=step, seat=seat, fault=chosen))
                fault_counts[sides[seat]] += 1
                if fault_counts[sides[seat]] >= max_faults:
                    forfeited.add(sides[seat])
            else:
                action = chosen
        actions.append(action)
        state.apply(action)
    record = Record(
        game=game.id,
        options=options,
        seats=seats,
        seed=seed,
        actions=tuple(map(state.action_text, actions)),
    )
    scores, places = outcome(state, sides, forfeited)
    return MatchResult(
        record=record,
        faults=tuple(faults),
        forfeits=tuple(seat for seat in range(seats) if sides[seat] in forfeited),
        scores=scores,
        places=places,
    )


def _chosen(state: State, legal: list[Action], answer: Answer) -> Action | Fault:
    """Return the action that an answer names, or the fault that it is."""
    if isinstance(answer, Fault):
        if answer.code is FaultCode.PLATFORM:
            raise PlatformFault(answer)
        return answer
    if type(answer) is int:
        if 0 <= answer < len(legal):
            return legal[answer]
        return Fault(
            code=FaultCode.ILLEGAL,
            detail=f"index {answer} is not in legal; allowed: 0 to {len(legal) - 1}",
            evidence={"reply": answer if abs(answer) < 1 << 53 else str(answer)[:40]},
        )
    if type(answer) is not str:
        return Fault(
            code=FaultCode.BAD_REPLY,
            detail=f"an answer of type {type(answer).__name__}; expected an action text or an index",
            evidence={"reply": repr(answer)[:200]},
        )
    try:
        action = state.parse_action(answer)
    except IllegalAction:
        action = -1
    if action in legal:
        return action
    return Fault(
        code=FaultCode.ILLEGAL,
        detail=f"{answer[:80]!r} is not legal here; legal: {', '.join(map(state.action_text, legal[:8]))}"
        + (", ..." if len(legal) > 8 else ""),
        evidence={"reply": answer[:200]},
    )


def outcome(
    state: State, sides: Sequence[int], forfeited: set[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the scores and places per seat of a finished match, after forfeits.

    Sides that forfeited are placed after all others, equal among themselves, and the others close up; their
    score is as it came out, but not above the lowest of a side that did not forfeit.
    """
    scores, places = state.scores(), state.placements()
    if not forfeited:
        return tuple(scores), tuple(places)
    place_of_side = dict(zip(sides, places, strict=True))
    stayed = sorted(place for side, place in place_of_side.items() if side not in forfeited)
    lowest = min((s for s, side in zip(scores, sides, strict=True) if side not in forfeited), default=None)
    capped = [
        s if side not in forfeited or lowest is None else min(s, lowest)
        for s, side in zip(scores, sides, strict=True)
    ]
    moved = [
        len(stayed) + 1 if side in forfeited else stayed.index(place_of_side[side]) + 1 for side in sides
    ]
    return tuple(capped), tuple(moved)


def points(places: Sequence[int], sides: Sequence[int], forfeits: Sequence[Seat]) -> tuple[int, ...]:
    """Return the points of each seat's side in half-wins: 2 for each side beaten, 1 for each side tied with.

    Divided by 2 x (sides - 1) they are the points of the design, from 0 to 1. Nobody gets any when all
    forfeited.
    """
    if len(forfeits) == len(places):
        return (0,) * len(places)
    place_of_side = dict(zip(sides, places, strict=True))
    of_side = {
        side: sum(2 * (own < other) + (own == other) for other in place_of_side.values()) - 1
        for side, own in place_of_side.items()
    }
    return tuple(of_side[side] for side in sides)


def run(match: Play, answer: Callable[[Ask], Answer]) -> MatchResult:
    """Drive a match in a plain loop; `answer` maps each ask to an answer."""
    try:
        ask = next(match)
        while True:
            ask = match.send(answer(ask))
    except StopIteration as stop:
        result: MatchResult = stop.value
        return result
