"""An observation as a vector of fixed length; needs numpy alone, so that a bot can take this file with it.

Every slot of the vector has a name, which says what is written there:

    scores.2                 a number of the observation, as it is: here the third of the list `scores`
    phase=draw               1 when this field is this word
    hand=5-k1                1 when this word (a card, say) is in this list
    hand#                    the length of a list
    leader?                  1 when there is a value, in fields that may be null
    history/1.play=5-k1      seat 1 played this card; the value is 1 for the latest entry of the list and
                             lower, but above 0, the longer ago, so that it also says in which order
    history/1.play+5-rib     the same of what stands behind a "+" in the text of an action
    history/1.bid            the number in the latest text "bid:<number>" of seat 1
    unnamed                  how many marks of the observation have no slot: words too rare to be named
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]

LARGEST = 1_000_000  # numbers beyond are cut to it
# What is not encoded: the same in every match of a layout, or in the mask of legal actions.
LEFT_OUT = frozenset({"game", "options", "legal"})
UNNAMED = "unnamed"


class Mark(NamedTuple):
    """One thing that a text says: the name of its slot in two parts, and the number in it, if it is one."""

    stem: str
    word: str
    number: float | None = None


class Encoder:
    """Encodes the observations of one game with one number of seats.

    `slots` are the names of the vector's elements, `by_place` the lists of words in which the place counts,
    `nullable` the fields that may be null.
    """

    def __init__(self, slots: Sequence[str], by_place: Sequence[str], nullable: Sequence[str]) -> None:
        self.slots = tuple(slots)
        self.by_place = frozenset(by_place)
        self.nullable = frozenset(nullable)
        self._index = {name: index for index, name in enumerate(self.slots)}
        self._unnamed = self._index[UNNAMED]
        self._known: dict[tuple[str, str], list[tuple[int, float | None]]] = {}

    @classmethod
    def from_json(cls, data: Mapping[str, Sequence[str]]) -> "Encoder":
        """Return the encoder that `to_json` wrote down."""
        return cls(data["slots"], data["by_place"], data["nullable"])

    def to_json(self) -> dict[str, list[str]]:
        """Return all that makes this encoder, JSON-ready."""
        return {
            "slots": list(self.slots),
            "by_place": sorted(self.by_place),
            "nullable": sorted(self.nullable),
        }

    def encode(self, observation: Mapping[str, Any]) -> Vector:
        """Return a new vector that says what the observation says; no number in it is beyond LARGEST."""
        values: dict[int, float] = {}
        for name, value in observation.items():
            if name not in LEFT_OUT:
                self._write(values, name, value)
        vector = np.zeros(len(self.slots), np.float32)
        vector[list(values)] = list(values.values())
        return vector.clip(-LARGEST, LARGEST, out=vector)

    def _write(self, values: dict[int, float], path: str, value: Any) -> None:
        """Write the marks of one field and of all fields in it."""
        if isinstance(value, str):
            self._write_text(values, path, value, 1.0)
            return
        if value is None:
            return
        if path in self.nullable:
            self._write_mark(values, path + "?", 1.0)
        if isinstance(value, dict):
            for name, part in value.items():
                self._write(values, f"{path}.{name}", part)
        elif isinstance(value, list):
            self._write_list(values, path, value)
        else:
            self._write_mark(values, path, float(value))

    def _write_list(self, values: dict[int, float], path: str, value: list[Any]) -> None:
        """Write the marks of a list: of events, of words, or of one value a place."""
        self._write_mark(values, path + "#", float(len(value)))
        if is_events(value):
            for number, (seat, text) in enumerate(value, 1):
                self._write_text(values, f"{path}/{seat}", text, number / len(value))
        elif is_bag(value) and path not in self.by_place:
            for word in value:
                self._write_text(values, path, word, 1.0)
        else:
            for place, part in enumerate(value):
                self._write(values, f"{path}.{place}", part)

    def _write_text(self, values: dict[int, float], path: str, text: str, weight: float) -> None:
        """Write the marks of one text, which are looked up once and remembered."""
        known = self._known.get((path, text))
        if known is None:
            known = self._known[path, text] = [
                (self._index.get(mark.stem + mark.word, -1), mark.number) for mark in marks(path, text)
            ]
        for index, number in known:
            if index < 0:
                values[self._unnamed] = values.get(self._unnamed, 0.0) + 1.0
            else:
                values[index] = weight if number is None else number

    def _write_mark(self, values: dict[int, float], name: str, value: float) -> None:
        index = self._index.get(name)
        if index is None:
            values[self._unnamed] = values.get(self._unnamed, 0.0) + 1.0
        else:
            values[index] = value


def is_events(value: list[Any]) -> bool:
    """Return whether a list is one of entries (seat, text)."""
    first = value[0] if value else None
    return (
        isinstance(first, list)
        and len(first) == 2
        and isinstance(first[0], int)
        and isinstance(first[1], str)
    )


def is_bag(value: list[Any]) -> bool:
    """Return whether a list holds nothing but texts."""
    return all(isinstance(part, str) for part in value)


def marks(path: str, text: str) -> Iterator[Mark]:
    """Yield what one text says: a verb with its arguments, or a mere word."""
    verb, _, rest = text.partition(":")
    if not rest:
        rest, verb = verb, ""
    stem = f"{path}.{verb}" if verb else path
    main, *targets = rest.split("+")
    for word in main.split(","):
        yield Mark(stem, "", float(word)) if word.isdecimal() else Mark(stem, "=" + word)
    for target in targets:
        yield Mark(stem, "+" + target)
