"""Match number -> block, table, rotation, deal and who plays which side."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

import numpy as np

from engine.errors import BadSchedule
from engine.schedule.apart import ApartFullTables, Owners, keep_apart
from engine.schedule.balanced import BalancedTables
from engine.schedule.families import family
from engine.schedule.tables import Counts, FullTables, Tables, circle

MOST_MATCHES = 10**9


class Format(StrEnum):
    """Which tables there are: all sets of entrants, or a selection in which all pairs meet equally often."""

    FULL = "full"
    BALANCED = "balanced"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Where a match stands in its event; all from 0; `entrants` is the entrant on each side."""

    number: int
    block: int
    table: int
    rotation: int
    deal: int
    entrants: tuple[int, ...]

    def deal_name(self, *, own: bool) -> str:
        """Return what the deal's seed is made from; `own`: a deal of this table and rotation alone."""
        return f"{self.deal}/{self.table}/{self.rotation}" if own else str(self.deal)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A round robin of one event: every table plays every deal in every rotation.

    Numbers are ((block, table, rotation), deal in the block) in mixed radix; the last block may have fewer
    deals. A *group* is one (block, table, rotation): the consecutive numbers of one set of players. `apart`
    is the owner of each entrant when entrants of one owner must not meet: the tables with two of them are
    left out, the others are numbered without gaps. Raises BadSchedule when there are fewer entrants than
    sides, no tables, or more than 10**9 matches.
    """

    entrants: int
    sides: int
    deals: int
    block_deals: int
    format: Format = Format.FULL
    apart: Owners = ()
    _tables: Tables = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 2 <= self.sides <= self.entrants:
            raise BadSchedule(f"{self.entrants} entrants cannot fill {self.sides} sides")
        if self.deals < 1 or self.block_deals < 1:
            raise BadSchedule(f"deals is {self.deals}, block_deals {self.block_deals}; allowed: at least 1")
        if self.apart and len(self.apart) != self.entrants:
            raise BadSchedule(f"apart has {len(self.apart)} owners for {self.entrants} entrants")
        object.__setattr__(self, "_tables", _tables(self.format, self.entrants, self.sides, self.apart))
        if self.tables == 0:
            raise BadSchedule("every table would have two entrants of one owner")
        if self.matches > MOST_MATCHES:
            raise BadSchedule(f"{self.matches} matches; at most {MOST_MATCHES} can be scheduled")

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return self._tables.count

    @property
    def matches(self) -> int:
        """How many matches the event has."""
        return self.tables * self.sides * self.deals

    @property
    def blocks(self) -> int:
        """How many blocks of deals there are."""
        return -(-self.deals // self.block_deals)

    def block_range(self, block: int) -> range:
        """Return the match numbers of a block."""
        width = self.tables * self.sides
        return range(
            width * self.block_deals * block, width * min(self.deals, self.block_deals * (block + 1))
        )

    def group_matches(self, block: int) -> int:
        """Return how many matches a group of this block has: its deals."""
        return min(self.deals - block * self.block_deals, self.block_deals)

    def block_of(self, number: int) -> int:
        """Return the block that match `number` is in."""
        return number // (self.tables * self.sides * self.block_deals)

    def group(self, number: int) -> range:
        """Return the match numbers of the group that match `number` is in."""
        block = self.block_of(number)
        start, size = self.block_range(block).start, self.group_matches(block)
        first = start + (number - start) // size * size
        return range(first, first + size)

    def slot(self, number: int) -> Slot:
        """Return where match `number` stands; raises BadSchedule when there is no such match."""
        if not 0 <= number < self.matches:
            raise BadSchedule(f"match {number} does not exist; there are {self.matches}")
        block = self.block_of(number)
        group, deal = divmod(number - self.block_range(block).start, self.group_matches(block))
        table, rotation = divmod(group, self.sides)
        deal += block * self.block_deals
        order = circle(self._tables.table(table), deal)
        shifted = tuple(order[(side - rotation) % self.sides] for side in range(self.sides))
        return Slot(number=number, block=block, table=table, rotation=rotation, deal=deal, entrants=shifted)

    def numbers_of(self, entrant: int, first: int = 0) -> Iterator[range]:
        """Yield the numbers of an entrant's matches from `first` on, in order, one range for each table."""
        for block in range(self.blocks):
            numbers = self.block_range(block)
            width = self.sides * self.group_matches(block)
            for table in range(max(0, first - numbers.start) // width, self.tables):
                if entrant in self._tables.table(table):
                    low = numbers.start + table * width
                    yield range(max(low, first), low + width)

    def seat_counts(self) -> Counts:
        """Return how many matches each entrant (row) plays on each side (column)."""
        return np.repeat(self._tables.seated()[:, None], self.sides, axis=1) * self.deals

    def pair_counts(self) -> Counts:
        """Return how many matches each two entrants play together: symmetric, zeros in the diagonal."""
        return self._tables.together() * (self.sides * self.deals)

    def entrant_matches(self, block: int) -> Counts:
        """Return how many matches each entrant plays in a block."""
        return self._tables.seated() * (self.sides * self.group_matches(block))


def default_format(entrants: int, sides: int, deals: int, most_matches: int) -> Format:
    """Return `full` when it has at most so many matches, else `balanced`."""
    matches = FullTables(entrants, sides).count * sides * deals
    return Format.FULL if matches <= most_matches else Format.BALANCED


@lru_cache(maxsize=64)
def _tables(format_: Format, entrants: int, sides: int, apart: Owners) -> Tables:
    """Return the tables of a schedule; what they hold is at most in proportion to the entrants.

    All sets of entrants where `balanced` would not be fewer. Balanced tables without those of siblings must
    let all others meet, so the least number of meetings goes up until they do.
    """
    is_apart = len(set(apart)) < len(apart)
    full: Tables = ApartFullTables(apart, sides) if is_apart else FullTables(entrants, sides)
    if format_ is Format.FULL:
        return full
    for least in range(1, sides + 1):
        base = family(entrants, sides, least)
        if base is None:
            return full
        tables = BalancedTables(entrants, base)
        if not is_apart:
            return tables
        kept = keep_apart(tables, apart)
        if kept.count >= full.count:
            return full
        if np.array_equal(kept.together() > 0, full.together() > 0):
            return kept
    return full
