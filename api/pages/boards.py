"""A position of a match as a drawn table: seats and their cards, what lies between them, what is open."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from api.pages import cards, fields, spoken
from api.pages.cards import Symbol
from api.pages.fields import Field, Place
from api.pages.spoken import Choice, Piece, Spoken
from engine.contract import Observation

MOST_HISTORY = 14
_HIDDEN = ":?"

# How many seats sit at the bottom, left, top and right of the table, clockwise from seat 0, by their number.
_AROUND: Mapping[int, tuple[int, int, int, int]] = {
    2: (1, 0, 1, 0),
    3: (1, 1, 0, 1),
    4: (1, 1, 1, 1),
    5: (1, 1, 2, 1),
    6: (2, 1, 2, 1),
    7: (2, 1, 3, 1),
    8: (3, 1, 3, 1),
    9: (3, 2, 2, 2),
    10: (3, 2, 3, 2),
}
SIDES = ("bottom", "left", "top", "right")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Cards that lie together under a title; `is_past` where they are there only to look back."""

    title: str
    pieces: tuple[Piece, ...]
    is_past: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something that a seat did, or that happened to it."""

    seat: int
    action: Spoken


@dataclass(slots=True, kw_only=True)
class Chair:
    """One seat: its hand (backs when it is not to be seen), what lies before it, and numbers about it."""

    seat: int
    side: int
    is_to_move: bool
    hand: tuple[Piece, ...]
    marks: list[str] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    values: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """One step of a match: the observation of every seat, who decides, what is open and what was chosen."""

    observations: Sequence[Observation]
    to_move: int | None
    legal: Sequence[str]
    chosen: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """All that is drawn of a position; `choices` is empty where they are not to be seen."""

    around: Mapping[str, list[Chair]]
    back: Symbol
    middle: list[Group]
    facts: list[tuple[str, str]]
    choices: list[Choice]
    action: Spoken | None
    to_move: int | None
    history: list[Line]
    round: int
    rounds: int


def draw(position: Position, viewer: int | None) -> Board:
    """Return the table as a seat sees it, or with `viewer` None all that there is."""
    shown = _whole(position) if viewer is None else position.observations[viewer]
    is_open = viewer is None or viewer == position.to_move
    pack = cards.pack_of(_texts([observation["hand"] for observation in position.observations] + [shown]))
    chairs = [_chair(position, seat, viewer, pack) for seat in range(len(position.observations))]
    middle: list[Group] = []
    facts: list[tuple[str, str]] = []
    for name, value in shown.items():
        of = fields.field(name)
        if of.place is Place.MIDDLE:
            middle += _group(of, value)
        elif of.place is Place.FACT:
            facts += [(of.title, text) for text in _words(of, value)]
        elif of.place is not Place.NOWHERE:
            _furnish(chairs, of, value)
    return Board(
        around=_around(chairs),
        back=cards.back(pack),
        middle=middle,
        facts=facts,
        choices=spoken.choices(position.legal, position.chosen) if is_open else [],
        action=spoken.spoken(position.chosen) if is_open and position.chosen else None,
        to_move=position.to_move,
        history=[
            Line(seat=seat, action=spoken.spoken(text)) for seat, text in shown["history"][-MOST_HISTORY:]
        ],
        round=shown["round"],
        rounds=shown["rounds"],
    )


def _whole(position: Position) -> Observation:
    """Return what all seats know together: that of the seat to move, with what others hide from it."""
    views = position.observations
    whole = dict(views[position.to_move or 0])
    for name, value in whole.items():
        if isinstance(value, Mapping) and "plays" in value:
            own = [view[name]["plays"] for view in views]
            whole[name] = {**value, "plays": _revealed(value["plays"], own)}
        elif _is_moves(value):
            whole[name] = _revealed(value, [view[name] for view in views])
    return whole


def _revealed(moves: Sequence[Sequence[Any]], views: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    return [views[move[0]][i] if move[1].endswith(_HIDDEN) else move for i, move in enumerate(moves)]


def _is_moves(value: object) -> bool:
    """Return whether a value is a list of what seats did."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(entry, list) and [type(part) for part in entry] == [int, str] for entry in value)
    )


def _chair(position: Position, seat: int, viewer: int | None, pack: str) -> Chair:
    observation = position.observations[seat]
    is_to_move = seat == position.to_move
    if viewer is None or viewer == seat:
        open_ = {spoken.first_object(text) for text in position.legal} if is_to_move else set()
        taken = spoken.first_object(position.chosen or "") if is_to_move else ""
        marks = {code: "legal" for code in open_} | ({taken: "chosen"} if taken else {})
        hand = tuple(spoken.piece(code, marks.get(code, "")) for code in observation["hand"])
    else:
        hidden = cards.back(pack)
        hand = tuple(Piece(symbol=hidden, text=hidden.label) for _ in observation["hand"])
    return Chair(seat=seat, side=observation["sides"][seat], is_to_move=is_to_move, hand=hand)


def _around(chairs: Sequence[Chair]) -> dict[str, list[Chair]]:
    """Return the chairs by the side of the table that they stand at."""
    counts, rest = _AROUND.get(len(chairs), (len(chairs), 0, 0, 0)), iter(chairs)
    return {side: [next(rest) for _ in range(count)] for side, count in zip(SIDES, counts, strict=True)}


def _furnish(chairs: Sequence[Chair], of: Field, value: Any) -> None:
    """Put a value of a field that belongs to seats beside them."""
    if of.place is Place.MARK:
        named = value if isinstance(value, list) else [value]
        for chair in chairs:
            chair.marks += [of.title] if chair.seat in named else []
    elif isinstance(value, Mapping):
        for key, each in value.items():
            _furnish(chairs, Field(Place.SEAT, f"{of.title}, {key}", of.letters, of.parts), each)
    elif isinstance(value, list):
        seen: set[int] = set()
        for chair in chairs:
            place = chair.seat if of.place is Place.SEAT else chair.side
            _put(chair, of, value[place], is_first=place not in seen)
            seen.add(place)


def _put(chair: Chair, of: Field, value: Any, *, is_first: bool) -> None:
    """Put one value beside a seat; the cards of a team lie before its first seat."""
    group = _group(of, value)
    if group:
        chair.groups += group if is_first else []
    else:
        chair.values += [(of.title, text) for text in _words(of, value)]


def _group(of: Field, value: Any) -> list[Group]:
    """Return the cards that a value shows, nothing when it shows none."""
    pieces = tuple(_by_kind(value) if of.is_by_kind else _pieces(value))
    is_past = isinstance(value, Mapping)
    return [Group(title=of.title, pieces=pieces, is_past=is_past)] if pieces else []


def _by_kind(codes: Sequence[str]) -> Iterator[Piece]:
    """Yield cards kind by kind, the first of each kind apart from those before it."""
    for _, alike in groupby(sorted(codes, key=cards.kind), cards.kind):
        for position, code in enumerate(alike):
            yield spoken.piece(code, "" if position else "apart")


def _pieces(value: Any) -> Iterator[Piece]:
    """Yield the cards of a value: a code, a list of them, plays of seats, or a trick with its winner."""
    if isinstance(value, Mapping) and "plays" in value:
        for seat, text in value["plays"]:
            yield _play(seat, text, "takes it" if seat == value["winner"] else "")
    elif _is_moves(value):
        for seat, text in value:
            yield _play(seat, text, "")
    elif isinstance(value, list):
        for each in value:
            yield from _pieces(each) if isinstance(each, str) else ()
    elif isinstance(value, str) and cards.find(value):
        yield spoken.piece(value)


def _play(seat: int, text: str, more: str) -> Piece:
    said = spoken.spoken(text)
    note = f"seat {seat}" + (f", {more}" if more else "")
    if not said.pieces:
        return Piece(symbol=None, text=said.words, note=note)
    first = said.pieces[0]
    return Piece(symbol=first.symbol, text=first.text, mark="winner" if more else "", note=note)


def _words(of: Field, value: Any) -> Iterator[str]:
    """Yield a value in words; nothing when there is nothing to say."""
    if value is None or value is False or value == []:
        return
    if value is True:
        yield "yes"
    elif of.letters is not None and isinstance(value, str):
        yield of.letters.get(value, value)
    elif of.parts and isinstance(value, list):
        yield ", ".join(f"{number} {part}" for number, part in zip(value, of.parts, strict=True))
    elif isinstance(value, list):
        yield ", ".join(str(each).replace("_", " ") for each in value)
    elif not isinstance(value, Mapping):
        yield str(value).replace("_", " ")


def _texts(value: object) -> Iterator[str]:
    """Yield every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from _texts(each)
