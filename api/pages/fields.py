"""Where the fields of an observation lie on a drawn table: by name, whatever the game."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from api.words import COLOURS, SUITS


class Place(Enum):
    """Where a field is shown.

    MIDDLE on the table, SEAT and SIDE beside their seats (a list with a value for each), MARK at the seat
    that it names or at each of those that it lists, FACT in the line below, NOWHERE because it is shown
    otherwise.
    """

    MIDDLE = auto()
    SEAT = auto()
    SIDE = auto()
    MARK = auto()
    FACT = auto()
    NOWHERE = auto()


@dataclass(frozen=True, slots=True)
class Field:
    """How one field is shown: `letters` say what single letters mean, `parts` what pairs of numbers do.

    With `is_by_kind` its cards lie kind by kind.
    """

    place: Place
    title: str
    letters: Mapping[str, str] | None = None
    parts: tuple[str, ...] = ()
    is_by_kind: bool = False


_NOWHERE = ("game", "options", "seats", "seat", "sides", "hand", "legal", "history", "time", "hand_sizes")

FIELDS: Mapping[str, Field] = {
    **{name: Field(Place.NOWHERE, "") for name in _NOWHERE},
    "round": Field(Place.NOWHERE, ""),
    "rounds": Field(Place.NOWHERE, ""),
    "last_round": Field(Place.NOWHERE, ""),
    "ba": Field(Place.MIDDLE, "Ba"),
    "table": Field(Place.MIDDLE, "Table"),
    "trick": Field(Place.MIDDLE, "Trick"),
    "last_trick": Field(Place.MIDDLE, "Trick before"),
    "drawn": Field(Place.MIDDLE, "Turned card"),
    "centre": Field(Place.MIDDLE, "Umbrellas in the centre"),
    "indicator": Field(Place.MIDDLE, "Indicator"),
    "side_cards": Field(Place.MIDDLE, "Side cards"),
    "captured": Field(Place.SIDE, "Captured", is_by_kind=True),
    "shown": Field(Place.SEAT, "Shown"),
    "umbrellas": Field(Place.SEAT, "Umbrella"),
    "scores": Field(Place.SEAT, "score"),
    "stacks": Field(Place.SEAT, "coins"),
    "bets": Field(Place.SEAT, "bet"),
    "contributions": Field(Place.SEAT, "in this auction"),
    "card_points": Field(Place.SEAT, "card points"),
    "combinations": Field(Place.SEAT, "combinations"),
    "yaku": Field(Place.SIDE, "yaku"),
    "tricks_won": Field(Place.SIDE, "tricks", parts=("with", "without")),
    "transfers": Field(Place.SIDE, "transfers"),
    "opened": Field(Place.SEAT, "opened"),
    "closed": Field(Place.SEAT, "closed"),
    "oya": Field(Place.MARK, "Oya"),
    "eldest": Field(Place.MARK, "eldest"),
    "dealer": Field(Place.MARK, "dealer"),
    "leader": Field(Place.MARK, "leads"),
    "receiver": Field(Place.MARK, "receiver"),
    "in": Field(Place.MARK, "in"),
    "out": Field(Place.MARK, "out of the match"),
    "led_colour": Field(Place.FACT, "led colour", letters=COLOURS),
    "trump": Field(Place.FACT, "trump", letters=SUITS),
}


def field(name: str) -> Field:
    """Return how a field is shown; one that is not in the table is a fact."""
    return FIELDS.get(name) or Field(Place.FACT, name.replace("_", " "))
