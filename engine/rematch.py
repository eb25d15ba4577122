"""Plays a recorded match again and holds what comes of it to what was written down."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from engine import games
from engine.contract import Seat
from engine.errors import BadRecord, FudabaError
from engine.ledger import EventPart, MatchLine, SettingPart, WrongLine
from engine.match import MatchResult, play, points, run
from engine.policies import Answer, Ask, Fault, FaultCode
from engine.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A match to be played again: where it stands, what its event is, which seats were benched."""

    line: int
    match: MatchLine
    event: EventPart | SettingPart
    max_faults: int
    absent: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """How many matches were played again, and the error that was come upon, if any."""

    matches: int
    wrong: WrongLine | None


Chunk = Sequence[Task | WrongLine]


def sides_of(event: EventPart | SettingPart) -> tuple[int, ...]:
    """Return the side of each seat."""
    return games.get(event.game).sides(event.seats, event.options)


def replay_bare(lines: Iterable[bytes]) -> int:
    """Return how many matches there are in a file of records by themselves, one a line.

    All that such a record can show is that its actions are legal and end the match; raises WrongLine for the
    first one that does not.
    """
    number = 0
    for number, line in enumerate(lines, start=1):
        try:
            Record.from_bytes(line).final()
        except BadRecord as error:
            raise WrongLine(number, str(error)) from error
    return number


def replay(chunk: Chunk) -> Checked:
    """Play matches again in order, as far as they are right."""
    for done, task in enumerate(chunk):
        if isinstance(task, WrongLine):
            return Checked(done, task)
        try:
            _require_replays(task)
        except FudabaError as error:
            return Checked(done, WrongLine(task.line, str(error)))
    return Checked(len(chunk), None)


def _require_replays(task: Task) -> None:
    """Raise BadRecord unless the rules make of the actions and faults exactly what the line says."""
    match = task.match
    result = _replayed(task)
    claimed = {(step, seat, code) for step, seat, code in match.faults}
    found = [(one.step, one.seat, one.fault.code) for one in result.faults]
    for recorded in result.faults:
        if (recorded.step, recorded.seat, recorded.fault.code) not in claimed:
            raise BadRecord(f"action {recorded.step}: {recorded.fault.detail}")
    _require_equal("actions", match.actions, list(result.record.actions))
    _require_equal("faults", match.faults, found)
    _require_equal("forfeits", match.forfeits, list(result.forfeits))
    _require_equal("scores", match.scores, list(result.scores))
    _require_equal("places", match.places, list(result.places))
    sides = sides_of(task.event)
    half_wins = points(result.places, sides, result.forfeits)
    shares = [str(Fraction(won, 2 * max(sides))) for won in half_wins]
    _require_equal("points", match.points, shares)


def _replayed(task: Task) -> MatchResult:
    match, event = task.match, task.event
    codes = {step: code for step, _, code in match.faults}

    def answer(ask: Ask) -> Answer:
        if (code := codes.get(ask.step)) is not None:
            if code is FaultCode.PLATFORM:
                raise BadRecord("a fault of the platform is nobody's: such a match is played again")
            return Fault(code=code, detail="a fault that the match was not recorded with")
        if ask.step >= len(match.actions):
            raise BadRecord(f"the match is not over after its {len(match.actions)} actions")
        return match.actions[ask.step]

    return run(
        play(
            games.get(event.game),
            seats=event.seats,
            options=dict(event.options),
            seed=bytes.fromhex(match.seed),
            max_faults=task.max_faults,
            absent=task.absent,
        ),
        answer,
    )


def _require_equal(name: str, said: Sequence[object], found: Sequence[object]) -> None:
    """Raise BadRecord naming the first place where two lists differ."""
    for position, (one, other) in enumerate(zip(said, found, strict=False)):
        if one != other:
            raise BadRecord(f"{name}: number {position} is {one!r}; the match played again gives {other!r}")
    if len(said) != len(found):
        raise BadRecord(f"{name}: there are {len(said)}; the match played again gives {len(found)}")
