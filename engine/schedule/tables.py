"""Sets of tables, numbered from 0, so that any table is found without listing the others."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Table = tuple[int, ...]  # the entrants, ascending
Counts = NDArray[np.int64]


class Tables(Protocol):
    """The tables of one event, in the order of their numbers."""

    @property
    def count(self) -> int:
        """How many tables there are."""

    def table(self, number: int) -> Table:
        """Return the entrants of table `number`; it must be below `count`."""

    def seated(self) -> Counts:
        """Return at how many tables each entrant sits."""

    def together(self) -> Counts:
        """Return at how many tables each two entrants sit together: symmetric, zeros in the diagonal."""


@dataclass(frozen=True, slots=True)
class FullTables:
    """Every set of `sides` entrants once, in lexicographic order."""

    entrants: int
    sides: int

    @property
    def count(self) -> int:
        """How many tables there are."""
        return comb(self.entrants, self.sides)

    def table(self, number: int) -> Table:
        """Return the entrants of table `number`.

        The combinatorial number system, chair by chair: of the tables out of the entrants that are left, the
        first C(left, chairs) - C(left - c, chairs) begin with one of the first c.
        """
        chosen: list[int] = []
        first, rest = 0, number
        for chairs in range(self.sides, 0, -1):
            left = self.entrants - first
            before = partial(_tables_before, left, chairs)
            skipped = bisect_right(range(left + 1), rest, key=before) - 1
            rest -= before(skipped)
            chosen.append(first + skipped)
            first += skipped + 1
        return tuple(chosen)

    def seated(self) -> Counts:
        """Return at how many tables each entrant sits."""
        return np.full(self.entrants, comb(self.entrants - 1, self.sides - 1), dtype=np.int64)

    def together(self) -> Counts:
        """Return at how many tables each two entrants sit together."""
        pairs = np.full(
            (self.entrants, self.entrants), comb(self.entrants - 2, self.sides - 2), dtype=np.int64
        )
        np.fill_diagonal(pairs, 0)
        return pairs


def _tables_before(left: int, chairs: int, skipped: int) -> int:
    return comb(left, chairs) - comb(left - skipped, chairs)


def circle(members: Table, number: int) -> Table:
    """Return circular order `number` modulo (k-1)! of `members`: the first stays, the others are permuted.

    The orders come in lexicographic order of the factorial number system, so that (k-1)! deals in a row show
    every way to sit around the table, relative to one another, exactly once.
    """
    pool = list(members[1:])
    radices = range(1, len(pool) + 1)
    digits = []
    for radix in radices:
        number, digit = divmod(number, radix)
        digits.append(digit)
    return (members[0], *(pool.pop(digit) for digit in reversed(digits)))
