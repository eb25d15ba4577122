"""How cards, actions and the fields of an observation look to a person in a terminal."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from api.words import VERBS
from engine.cards.hanafuda import ANIMAL, BRIGHT, CARDS, FLOWERS, JUNK, RIBBON

_COLOURS = {
    "B": Text("blue", "bright_blue"),
    "O": Text("orange", "dark_orange"),
    "K": Text("black", "bold"),
    "P": Text("purple", "magenta"),
}
_SUITS = {
    "P": Text("Pao", "green"),
    "I": Text("Isu", "bright_blue"),
    "K": Text("Koppu", "red"),
    "O": Text("Ouru", "yellow"),
    "G": Text("Guru", "magenta"),
}
_KINDS = {BRIGHT: ("★", "bold yellow"), ANIMAL: ("●", "cyan"), RIBBON: ("▬", "red"), JUNK: ("·", "")}
_PICTURES = {"rib": "ribbon", "k1": "junk 1", "k2": "junk 2", "yellow": "yellow junk"}
_HANAFUDA = {card.code: card for card in CARDS}

# Letters that stand for a colour or a suit, by the field or the verb that they stand in.
_LETTERS = {
    "centre": _COLOURS,
    "umbrellas": _COLOURS,
    "led_colour": _COLOURS,
    "open": _COLOURS,
    "trump": _SUITS,
}

_MOST_NUMBERS = 8
_BREAK = re.compile(r"(?<=  )|(?<= [|·] )|(?<=, )|(?<=\n)")  # where a line may end: not within a card
_ACTION = re.compile(r"([a-z_]+)(?:([:+])(.+))?")


def _hanafuda(found: re.Match[str]) -> Text | None:
    card = _HANAFUDA.get(found[0])
    if card is None:
        return None
    sign, style = _KINDS[card.kind]
    picture = found["name"]
    return Text(f"{sign}{card.month} {FLOWERS[card.month - 1]} {_PICTURES.get(picture, picture)}", style)


def _unsun(found: re.Match[str]) -> Text:
    suit = _SUITS[found["suit"]]
    return Text(f"{suit} {found['rank']}", suit.style)


def _seiten(found: re.Match[str]) -> Text:
    colour = _COLOURS[found["colour"]]
    return Text(f"{colour} {found['number']}", colour.style)


# The shapes of card codes, each with how such a card is shown.
_SHAPES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Text | None]], ...] = (
    (re.compile(r"(?P<month>\d{1,2})-(?P<name>[a-z]+\d?)"), _hanafuda),
    (re.compile(r"(?P<suit>[PIKOG])-(?P<rank>[A-Z][a-z]+|\d)"), _unsun),
    (re.compile(r"(?P<colour>[BOKP])(?P<number>\d{1,2})"), _seiten),
)


def card(code: str) -> Text | None:
    """Return a card by its code, None when no game has such codes."""
    for shape, show in _SHAPES:
        if found := shape.fullmatch(code):
            return show(found)
    return None


def action(text: str) -> Text:
    """Return what a seat does: an action text, or an entry of the history."""
    words, objects = _parts(text)
    return Text(words) if objects is None else Text.assemble(f"{words} ", objects)


def choices(texts: Sequence[str]) -> Text:
    """Return actions to choose from, one line for each verb."""
    alone: list[Text] = []
    by_words: dict[str, list[Text]] = {}
    for words, objects in map(_parts, texts):
        if objects is None:
            alone.append(Text(words))
        else:
            by_words.setdefault(words, []).append(objects)
    lines = [_joined(alone, " | ")] if alone else []
    for words, several in by_words.items():
        lines.append(Text.assemble((f"{words} ", "dim"), _joined(_shortened(several), " | ")))
    return Text("\n").join(lines)


def _shortened(objects: list[Text]) -> list[Text]:
    """Return what can be chosen; of a long run of numbers the first and the last."""
    if len(objects) > _MOST_NUMBERS and all(text.plain.isdigit() for text in objects):
        return [*objects[:3], Text("..."), objects[-1]]
    return objects


def _parts(text: str) -> tuple[str, Text | None]:
    """Return the verb of an action in words, and what it is about."""
    found = _ACTION.fullmatch(text)
    if found is None:
        return text, None
    verb, joint, objects = found.groups()
    words = VERBS.get(f"{verb}+" if joint == "+" else verb, verb.replace("_", " "))
    if not objects:
        return words, None
    shown = [_object(verb, part) for part in re.split(r"[+,]", objects)]
    return words, _joined(shown, ", taking " if "+" in objects else ", ")


def _object(verb: str, part: str) -> Text:
    """Return what a verb is about: a card, a letter, a number, or something hidden."""
    if part == "?":
        return Text("a card face down", "dim")
    return _letter(verb, part) or card(part) or Text(part)


def _letter(name: str, text: str) -> Text | None:
    letter = _LETTERS.get(name, {}).get(text)
    return None if letter is None else letter.copy()


def value(name: str, of: Any) -> Text:
    """Return the value of a field of an observation, on as many lines as it takes."""
    if isinstance(of, bool) or of is None:
        return Text({True: "yes", False: "no", None: "none"}[of], "dim" if not of else "")
    if isinstance(of, str):
        return _letter(name, of) or card(of) or Text(of.replace("_", " "))
    if isinstance(of, Mapping):
        parts = [Text.assemble((f"{label(key)}: ", "dim"), value(key, each)) for key, each in of.items()]
        return _joined(parts, " · ")
    if isinstance(of, Sequence):
        return _several(name, of)
    return Text(str(of))


def label(name: str) -> str:
    """Return the name of a field for people."""
    return name.replace("_", " ")


def _several(name: str, of: Sequence[Any]) -> Text:
    """Return a list: what seats did, or its parts with bars between them when they are lists themselves."""
    if not of:
        return Text("none", "dim")
    if all(map(_is_move, of)):
        return _joined([_brief(seat, text) for seat, text in of], " · ")
    is_nested = any(isinstance(each, list | Mapping) for each in of)
    return _joined([value(name, each) for each in of], " | " if is_nested else "  ")


def is_piles(of: Any) -> bool:
    """Return whether a value is lists of texts, one for each seat or side."""
    if not isinstance(of, list) or not all(isinstance(each, list) for each in of):
        return False
    return any(of) and all(isinstance(part, str) for each in of for part in each)


def _brief(seat: int, text: str) -> Text:
    """Return what a seat did, the card alone when it played one."""
    words, objects = _parts(text)
    if objects is None or words != VERBS["play"]:
        return move(seat, text)
    return Text.assemble((f"seat {seat} ", "dim"), objects)


def _is_move(entry: Any) -> bool:
    """Return whether something in an observation is a seat and what it did."""
    return isinstance(entry, list) and list(map(type, entry)) == [int, str]


def move(seat: int, text: str) -> Text:
    """Return what a seat did, with the seat."""
    return Text.assemble((f"seat {seat} ", "dim"), action(text))


def _joined(parts: Sequence[Text], between: str) -> Text:
    result = Text()
    for place, part in enumerate(parts):
        if place:
            result.append(between, "dim")
        result.append_text(part)
    return result


def lines(text: Text, width: int) -> Iterator[Text]:
    """Yield a text in lines of at most this width, if its parts are no wider; no card is cut."""
    line = Text()
    for part in text.divide([found.start() for found in _BREAK.finditer(text.plain)]):
        ends_line = line.plain.endswith("\n")
        if line and (ends_line or line.cell_len + len(part.plain.rstrip()) > width):
            line.rstrip()
            yield line
            line = Text()
        line.append_text(part)
    line.rstrip()
    yield line
