"""What rounds of the capturing games differ by: phases, set-up, words, how one ends, who leads the next."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from engine.cards.hanafuda import CardMask
from engine.cards.matching import Captures, captures
from engine.cards.yaku import Yaku
from engine.contract import Seat
from engine.native import compiled


class Phase(StrEnum):
    """What is to be decided: a hand card, a target of the Gaji or of a turned card, to stop or go on."""

    PLAY = "play"
    WILD = "wild"
    DRAW = "draw"
    STOP = "stop"
    OVER = "over"


# Every turn begins with these: a name costs a tenth of what an attribute of an enum costs.
PLAY, WILD, DRAW, STOPPING = Phase.PLAY, Phase.WILD, Phase.DRAW, Phase.STOP


@compiled(native_class=False)
@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What the options make of a match: how it is dealt, who shares a pile, what cards and yaku count.

    Sizes are numbers of cards, `sides` is the side of each seat, `values` the value of each card.
    `ends_at_once`: a yaku that is made by a hand card keeps the stock from being turned.
    `dead_stock`: the round ends with the hands, what is left of the stock is never turned.
    """

    rounds: int
    hand_size: int
    field_size: int
    sides: tuple[int, ...]
    values: tuple[int, ...]
    yaku: tuple[Yaku, ...]
    ends_at_once: bool = False
    dead_stock: bool = False
    captures: Captures = field(init=False)
    watched: CardMask = field(init=False)  # the cards of all yaku: no other changes what a side holds

    def __post_init__(self) -> None:
        object.__setattr__(self, "captures", captures(self.values))
        object.__setattr__(self, "watched", reduce(or_, [yaku.cards for yaku in self.yaku], 0))


@compiled(native_class=False)
@dataclass(frozen=True, slots=True)
class LastRound:
    """How the round before ended: its score per seat, the way, and its history from the last decision on."""

    scores: tuple[int, ...]
    end: str
    tail: tuple[tuple[Seat, str], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the field `last_round` of an observation."""
        return {"scores": [*self.scores], "end": self.end, "tail": [[seat, text] for seat, text in self.tail]}


class Words(NamedTuple):
    """What an observation of this game calls the leader of a round, the field, and the yaku held per side."""

    leader: str
    field: str
    held: str


def nearest_best(keys: Sequence[int], start: Seat) -> Seat:
    """Return the seat with the highest key; of several the one nearest to `start`, `start` itself first."""
    seat: Seat = max([*range(start, len(keys)), *range(start)], key=keys.__getitem__)
    return seat
