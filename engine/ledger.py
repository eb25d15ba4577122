"""The record of a tournament: lines of canonical JSON, each holding the hash of the line before."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from typing import Any, Literal, TypeVar, get_args

import msgspec

from engine.errors import BadRecord
from engine.options import OptionValue
from engine.policies import FaultCode
from engine.record import canonical
from engine.standings import OverallRow, Row

FORMAT = 1
NO_LINE = "0" * 64
OVERALL: Literal["overall"] = "overall"
Table = dict[str, Any]  # {"event": index or "overall", "rows": [...]}, as it stands in a `standings` line


class WrongLine(BadRecord):
    """A line of a record that is not what it must be; lines count from 1."""

    code = "wrong_record"

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason

    def __reduce__(self) -> tuple[type["WrongLine"], tuple[int, str]]:
        """Return how to make it anew, so that it can come back from another process."""
        return type(self), (self.line, self.reason)


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is written as an object."""


class EventPart(_Part, frozen=True):
    """One event: what is played, by whom (`field`, fillers last) and by which schedule.

    `stopped_after_block` is the block at whose end the rule of the header ended it before its time; `matches`
    counts what there was to play up to there. No match at a table with one of the entrants `dropped` counts.
    Where bots of one owner do not meet, `apart` has for each of the field the position of the first of them.
    """

    game: str
    seats: int
    options: dict[str, OptionValue]
    schedule: str
    deals: int
    block_deals: int
    field: list[int]
    apart: list[int]
    matches: int
    stopped_after_block: int | None
    dropped: list[int]


class RerunEventPart(_Part, frozen=True):
    """What a re-run had played again of one event: ranges (first, count) of match numbers.

    `ranges` were chosen, `followed` came of other decisions between blocks.
    """

    event: int
    ranges: list[tuple[int, int]]
    followed: list[tuple[int, int]]


class RerunPart(_Part, frozen=True):
    """A re-run: matches whose first results were taken out by the organiser, and why."""

    number: int
    reason: str
    undone: bool
    events: list[RerunEventPart]


class EditionPart(_Part, frozen=True):
    """The frozen standings that the record ends with: `sha256` is `digest` of their tables."""

    number: int
    sha256: str


class Line(_Part, frozen=True, tag_field="kind"):
    """A line of a record without its `prev`."""


class Header(Line, frozen=True, tag="header"):
    """The first line: what was agreed on before play, and the secret that was revealed after it."""

    format: int
    engine: str
    tournament: str
    name: str
    commitment: str
    secret_seed: str
    entrants_sha256: str
    endpoint_teams: bool
    endpoint_duplicates: bool
    owners_apart: bool
    limits: dict[str, int]
    stop: dict[str, Any] | None
    events: list[EventPart]
    reruns: list[RerunPart]
    edition: EditionPart


class EntrantLine(Line, frozen=True, tag="entrant"):
    """One entrant; `games` is empty when it claims all, `sha256` that of its upload, URL or house name."""

    number: int
    owner: str
    bot: str
    version: int
    sha256: str
    bot_kind: Literal["house", "module", "endpoint"]
    filler: bool
    games: list[str]

    def frozen(self) -> dict[str, object]:
        """Return the part that the seeds of the deals are bound to."""
        return {
            "number": self.number,
            "owner": self.owner,
            "bot": self.bot,
            "version": self.version,
            "sha256": self.sha256,
        }


class MatchLine(Line, frozen=True, tag="match"):
    """One match; lists are by seat, `faults` are (step, seat, code), points are fractions as text."""

    event: int
    number: int
    table: int
    deal: int
    rotation: int
    entrants: list[int]
    seed: str
    actions: list[str]
    faults: list[tuple[int, int, FaultCode]]
    forfeits: list[int]
    scores: list[int]
    places: list[int]
    points: list[str]


class SetAsideLine(Line, frozen=True, tag="set_aside"):
    """A match that was not played: the platform could not, or somebody at its table was dropped."""

    event: int
    number: int


class WithdrawalLine(Line, frozen=True, tag="withdrawal"):
    """An entrant that has left: its matches are forfeits without asking from block `from_block` on."""

    event: int
    entrant: int
    from_block: int


class BenchLine(Line, frozen=True, tag="bench"):
    """An entrant whose matches are forfeits from block `from_block` on, for so many in the block before."""

    event: int
    entrant: int
    from_block: int
    forfeits: int
    matches: int


class StandingsLine(Line, frozen=True, tag="standings"):
    """One table of the final standings, of an event (by index) or "overall"."""

    event: int | Literal["overall"]
    rows: list[dict[str, Any]]


class SettingPart(_Part, frozen=True):
    """A setting that a ladder's season was played in: `matches` of it, in meetings of `deals` deals."""

    game: str
    seats: int
    options: dict[str, OptionValue]
    deals: int
    matches: int


class SeasonHeader(Line, frozen=True, tag="season"):
    """The first line of the record of a ladder's season: what was agreed on, and the secret of its rounds.

    `closing` is the tournament that closed it, whose record follows the rounds; null when there was none.
    `sha256` is over the canonical JSON of the rows of the frozen board.
    """

    format: int
    engine: str
    tournament: str
    name: str
    commitment: str
    secret_seed: str
    limits: dict[str, int]
    rounds: int
    events: list[SettingPart]
    closing: str | None
    closing_commitment: str
    sha256: str


class MeetingLine(Line, frozen=True, tag="meeting"):
    """A table of one round, its matches follow; lists are by side of the first deal.

    `before` and `after` are the online ratings (mu, sigma) that its entrants came and went with, null for
    fillers; `entrants_sha256` binds the seeds of its deals.
    """

    event: int
    number: int
    round: int
    is_rated: bool
    entrants: list[int]
    entrants_sha256: str
    before: list[tuple[float, float] | None]
    after: list[tuple[float, float] | None]


class BoardLine(Line, frozen=True, tag="board"):
    """The frozen standings of a season."""

    rows: list[dict[str, Any]]


class EndLine(Line, frozen=True, tag="end"):
    """The last line: how many lines there are, this one included."""

    lines: int


_LINES = (
    Header
    | EntrantLine
    | MatchLine
    | SetAsideLine
    | WithdrawalLine
    | BenchLine
    | StandingsLine
    | SeasonHeader
    | MeetingLine
    | BoardLine
    | EndLine
)
_KINDS: dict[type[Line], str] = {kind: str(kind.__struct_config__.tag) for kind in get_args(_LINES)}
L = TypeVar("L", bound=Line)


class Chain:
    """Writes lines, each bound to the one before."""

    def __init__(self) -> None:
        self.lines = 0
        self._prev = NO_LINE

    def append(self, line: Line) -> bytes:
        """Return the bytes of the next line, with its newline."""
        data = canonical({**msgspec.to_builtins(line), "prev": self._prev})
        self._prev = sha256(data).hexdigest()
        self.lines += 1
        return data + b"\n"

    def end(self) -> bytes:
        """Return the bytes of the last line."""
        return self.append(EndLine(lines=self.lines + 1))


class Reader:
    """Reads lines (bytes with their newline) one by one, each held to its form and to the chain."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self.number = 0
        self.prev = NO_LINE
        self._header = 1
        self._lines = iter(lines)
        self._following: Line | None = None
        self._is_over = False

    def take(self, kind: type[L]) -> L:
        """Return the next line, which must be of this kind; raises WrongLine."""
        line = self._peek()
        self.number += 1
        self._following = None
        if isinstance(line, kind):
            self._header = self.number if issubclass(kind, Header | SeasonHeader) else self._header
            return line
        found = "there is no such line" if line is None else f"its kind is {_KINDS[type(line)]}"
        raise self.wrong(f"{found}; expected a line of kind {_KINDS[kind]}")

    def is_next(self, kind: type[Line]) -> bool:
        """Return whether the next line is of this kind; raises WrongLine when there is none."""
        line = self._peek()
        if line is None:
            raise WrongLine(self.number + 1, "there is no such line: the record is cut off")
        return isinstance(line, kind)

    def finish(self) -> None:
        """Raise WrongLine when there is another line."""
        if self._peek() is not None:
            raise WrongLine(self.number + 1, "comes after the end")

    def wrong(self, reason: str) -> WrongLine:
        """Return the error that the line taken last is wrong."""
        return WrongLine(self.number, reason)

    def wrong_header(self, reason: str) -> WrongLine:
        """Return the error that the header of the present tournament or season is wrong."""
        return WrongLine(self._header, reason)

    def require(self, said: object, expected: object, name: str) -> None:
        """Raise WrongLine for the line taken last unless it says what it must."""
        if said != expected:
            raise self.wrong(f"{name} is {said!r}; it must be {expected!r}")

    def _peek(self) -> Line | None:
        if self._following is None and not self._is_over:
            raw = next(self._lines, None)
            self._is_over = raw is None
            if raw is not None:
                self._following = self._parsed(raw, self.number + 1)
        return self._following

    def _parsed(self, raw: bytes, number: int) -> Line:
        if not raw.endswith(b"\n"):
            raise WrongLine(number, "does not end with a newline: the record is cut off")
        content = raw[:-1]
        try:
            data = msgspec.json.decode(content)
        except (msgspec.DecodeError, RecursionError) as error:
            raise WrongLine(number, f"is not JSON: {error}") from error
        if not isinstance(data, dict) or canonical(data) != content:
            raise WrongLine(number, "is not an object in canonical JSON")
        if data.pop("prev", None) != self.prev:
            before = f"the SHA-256 of line {number - 1}" if number > 1 else "64 zeros"
            raise WrongLine(number, f"prev is not {before}: something was changed, left out or put in")
        try:
            line: Line = msgspec.convert(data, _LINES)
        except (msgspec.ValidationError, RecursionError) as error:
            raise WrongLine(number, f"{error}") from error
        self.prev = sha256(content).hexdigest()
        return line


def tables(events: Mapping[int, Sequence[Row]], overall: Sequence[OverallRow]) -> list[Table]:
    """Return standings as JSON-ready tables: of every event in order of index, then over all of them.

    Fractions are texts such as "7/12" or "1", so that nothing is rounded.
    """
    rows_of: dict[int | str, Sequence[Row | OverallRow]] = {**dict(sorted(events.items())), OVERALL: overall}
    return [
        {"event": event, "rows": msgspec.to_builtins(list(rows), str_keys=True, enc_hook=str)}
        for event, rows in rows_of.items()
    ]


def digest(standings: Sequence[Table]) -> str:
    """Return the SHA-256, in lower-case hex, of the canonical JSON of all tables."""
    return sha256(canonical(list(standings))).hexdigest()


def event_rows(standings: Sequence[Table], event: int) -> list[Row]:
    """Return the rows of an event from tables made by `tables`; none when it has no table."""
    return _rows(standings, event, Row)


def overall_rows(standings: Sequence[Table]) -> list[OverallRow]:
    """Return the rows over all events from tables made by `tables`."""
    return _rows(standings, OVERALL, OverallRow)


R = TypeVar("R", Row, OverallRow)


def _rows(standings: Sequence[Table], event: int | str, kind: type[R]) -> list[R]:
    found = [row for table in standings if table["event"] == event for row in table["rows"]]
    return msgspec.convert(found, list[kind], str_keys=True, dec_hook=_fraction)  # type: ignore[valid-type]


def _fraction(kind: type, value: object) -> object:
    return Fraction(str(value)) if kind is Fraction else value
