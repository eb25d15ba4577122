"""Actions and entries of a history as people say them: a verb, and the cards that it is about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from api.pages import cards
from api.pages.cards import Symbol
from api.words import VERBS

MOST_NUMBERS = 8
_ACTION = re.compile(r"([a-z_]+)(?:([:+])(.+))?")
_HIDDEN = "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A card, or a text where there is none to draw.

    `mark` is "legal", "chosen", "winner", "apart" (from the card before it) or nothing.
    """

    symbol: Symbol | None
    text: str
    mark: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """What a seat does; with `is_capture` the first piece takes the others."""

    words: str
    pieces: tuple[Piece, ...] = ()
    is_capture: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An action that was open, and whether it was taken."""

    action: Spoken
    is_chosen: bool


def piece(code: str, mark: str = "", note: str = "") -> Piece:
    """Return the card with this code, or the text itself."""
    symbol = cards.find(code)
    return Piece(symbol=symbol, text=symbol.label if symbol else code, mark=mark, note=note)


def spoken(text: str) -> Spoken:
    """Return what an action text, or an entry of the history, says."""
    found = _ACTION.fullmatch(text)
    if found is None:
        return Spoken(words=text)
    verb, joint, objects = found.groups()
    words = VERBS.get(f"{verb}+" if joint == "+" else verb, verb.replace("_", " "))
    if not objects:
        return Spoken(words=words)
    if objects == _HIDDEN:
        return Spoken(words=words, pieces=(Piece(symbol=None, text="a card face down"),))
    parts = tuple(piece(part) for part in re.split(r"[+,]", objects))
    return Spoken(words=words, pieces=parts, is_capture="+" in objects)


def first_object(text: str) -> str:
    """Return the first thing that an action is about, an empty text when there is none."""
    _, _, objects = text.partition(":")
    return re.split(r"[+,]", objects)[0]


def choices(legal: Sequence[str], chosen: str | None) -> list[Choice]:
    """Return the open actions; of a long run of numbers the first, the last and the chosen one."""
    return [Choice(action=spoken(text), is_chosen=text == chosen) for text in _shortened(legal, chosen)]


def _shortened(legal: Sequence[str], chosen: str | None) -> Iterator[str]:
    numbered = [text for text in legal if first_object(text).isdigit()]
    hidden = set(numbered[2:-1]) - {chosen} if len(numbered) > MOST_NUMBERS else set()
    yield from (text for text in legal if text not in hidden)
