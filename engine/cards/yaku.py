"""Yaku: which combinations a captured pile holds, and what they pay; the tables stand in the games."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.cards.hanafuda import CardMask
from engine.native import compiled


@compiled(native_class=False)
@dataclass(frozen=True, slots=True)
class Yaku:
    """A combination: a pile holds it that has `least` of `cards` (all of them when `least` is 0).

    A pile that holds it does not count the yaku named by `replaces`.
    """

    name: str
    cards: CardMask
    value: int
    least: int = 0
    replaces: str = ""

    def is_in(self, pile: CardMask) -> bool:
        """Return whether `pile` holds this yaku."""
        found = pile & self.cards
        return found == self.cards or 0 < self.least <= found.bit_count()


def held(table: Sequence[Yaku], pile: CardMask) -> tuple[Yaku, ...]:
    """Return the yaku of `table` that `pile` holds, in the table's order, without those that are replaced."""
    found = [yaku for yaku in table if yaku.cards & pile == yaku.cards or (yaku.least and yaku.is_in(pile))]
    replaced = found and {yaku.replaces for yaku in found if yaku.replaces}
    return tuple([yaku for yaku in found if yaku.name not in replaced] if replaced else found)


def total(found: Iterable[Yaku]) -> int:
    """Return the sum of the values of some yaku."""
    return sum([yaku.value for yaku in found])


def payments(values: Sequence[int]) -> list[int]:
    """Return what each seat gains when each other one pays it its value; the gains sum to 0."""
    everything = sum(values)
    return [len(values) * value - everything for value in values]
