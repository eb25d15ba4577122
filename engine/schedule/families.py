"""Families of base tables that, shifted around the circle of entrants, let every pair meet equally often.

The entrants stand on a circle of n places. A base table that is shifted by 0, 1, ..., n - 1 gives n tables.
There everyone sits k times, and two entrants d places apart meet once for each pair of the base table that is
d places apart (twice when d is half of the circle). So the distances within the base tables decide all: when
each occurs equally often to within one, so does each meeting. A local search finds such families, the same
ones everywhere. (Difference families: Colbourn and Dinitz, "Handbook of Combinatorial Designs", VI.16.)
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count, islice
from math import comb

import numpy as np
from numpy.typing import NDArray

from engine.rng import Stream
from engine.schedule.tables import Table

Family = tuple[Table, ...]

_SIZES = 20  # that are tried at most
_TRIES = 2  # of each size
_STEPS = 4000  # of a try
_NEVER = 1 << 40

# Where n - 1 divides k (k - 1) all distances must occur exactly equally often, which the search seldom hits.
_EXACT: dict[tuple[int, int], Family] = {
    (31, 10): ((1, 3, 4, 9, 17, 20, 21, 23, 27, 30), (0, 1, 7, 8, 9, 10, 12, 16, 22, 27)),
    (37, 9): ((1, 7, 9, 10, 12, 16, 26, 33, 34),),
    (43, 7): ((0, 6, 8, 21, 26, 33, 40), (0, 1, 2, 6, 10, 29, 32)),
    (46, 10): tuple(
        tuple(sorted(pow(3, power, 46) * place % 46 for place in table))
        for table in ((0, 3, 19, 21, 27, 29, 30, 35, 41, 44), (0, 17, 18, 20, 21, 22, 25, 35, 42, 45))
        for power in range(11)
    ),
    (57, 8): ((0, 1, 5, 7, 17, 35, 38, 49),),
    (73, 9): ((1, 2, 4, 8, 16, 32, 37, 55, 64),),
    (91, 10): ((0, 1, 3, 9, 27, 49, 56, 61, 77, 81),),
}


@lru_cache(maxsize=256)
def family(entrants: int, sides: int, least: int = 1) -> Family | None:
    """Return base tables with which all pairs meet equally often to within one, and at least `least` times.

    No two shifts of base tables are the same table. None when all sets of so many entrants are as few tables,
    or no family was found. Where most entrants sit at a table, those who sit out are planned instead.
    """
    chosen = min(sides, entrants - sides)
    known = _EXACT.get((entrants, sides))
    if known is not None and distances(known, entrants)[1] >= least:
        return known
    for size in islice(_sizes(entrants, chosen, least if chosen == sides else 0), _SIZES):
        if chosen == 0 or size * entrants >= comb(entrants, chosen):
            return None
        found = _found(entrants, chosen, size)
        if found is not None and chosen < sides:
            found = tuple(_others(table, entrants) for table in found)
        if found is not None and distances(found, entrants)[1:].min() >= least:
            return found
    return None


def distances(base: Family, entrants: int) -> NDArray[np.int64]:
    """Return how often entrants that are 0, 1, ..., n - 1 places apart meet over all shifts of `base`."""
    tables = np.array(base)
    apart = (tables[:, :, None] - tables[:, None, :]) % entrants
    meetings = np.bincount(apart.ravel(), minlength=entrants)
    meetings[0] = 0
    return meetings


def _sizes(entrants: int, chosen: int, least: int) -> Iterator[int]:
    """Yield numbers of base tables to try, from few to many; `least` 0: every number.

    Else those for which a pair meets about half a time more than a whole number in the mean, where the search
    has most room; near a whole number it has hardly any in a field that is not small.
    """
    if least == 0:
        yield from count(1)
    last, pairs = 0, chosen * (chosen - 1)
    if entrants > 32 and pairs % (entrants - 1) == 0:
        return
    for meetings in count(least):
        size = max(1, round((meetings + 0.5) * (entrants - 1) / pairs))
        rest = size * pairs % (entrants - 1)
        if size > last and (entrants <= 32 or 4 <= rest <= entrants - 5):
            yield size
        last = max(size, last)


def _found(entrants: int, chosen: int, size: int) -> Family | None:
    """Return a family of this size, none of whose tables comes twice; None when none was found."""
    for attempt in range(_TRIES):
        search = _Search(entrants, chosen, size, Stream(f"family/{entrants}/{chosen}/{size}/{attempt}"))
        found = search.run()
        if found is not None and _has_no_table_twice(found, entrants):
            return found
    return None


class _Search:
    """Base tables that are changed one place at a time, until all distances occur about equally often.

    The sum of the squares of the meetings of all pairs falls with every step or stays; for a given number of
    meetings it is least exactly when they are equal to within one.
    """

    def __init__(self, entrants: int, sides: int, size: int, stream: Stream) -> None:
        self._entrants = entrants
        self._stream = stream
        self._occurs = np.zeros(entrants, dtype=np.int64)  # distance in either direction -> how often
        self._twice = np.ones(entrants, dtype=np.int64)
        if entrants % 2 == 0:
            self._twice[entrants // 2] = 2
        self._tables: list[list[int]] = []
        for _ in range(size):
            table = [0]
            while len(table) < sides:
                self._sit(table, self._best_place(table))
            self._tables.append(table)

    def run(self) -> Family | None:
        """Return the tables once they are good, or None after so many steps."""
        for _ in range(_STEPS):
            meetings = (self._occurs * self._twice)[1:]
            if meetings.max() - meetings.min() <= 1:
                return tuple(tuple(sorted(table)) for table in self._tables)
            table = self._stream.choice(self._tables)
            left = table.pop(self._stream.below(len(table)))
            self._count(table, left, -1)
            self._sit(table, self._best_place(table, avoided=left))
        return None

    def _sit(self, table: list[int], place: int) -> None:
        self._count(table, place, 1)
        table.append(place)

    def _count(self, table: Sequence[int], place: int, change: int) -> None:
        """Add `change` to the distances between a place and a table."""
        for other in table:
            distance = (place - other) % self._entrants
            self._occurs[distance] += change
            if 2 * distance != self._entrants:
                self._occurs[-distance] += change

    def _best_place(self, table: Sequence[int], avoided: int | None = None) -> int:
        """Return a place with the least sum of squares, `avoided` only when there is no other as good."""
        added = self._twice * (2 * self._occurs + 1)
        added[0] = _NEVER
        circle = np.concatenate([added, added])
        costs = np.zeros(self._entrants, dtype=np.int64)
        for place in table:
            costs += circle[self._entrants - place : 2 * self._entrants - place]
        if avoided is not None:
            costs[avoided] += 1
        best: list[int] = np.flatnonzero(costs == costs.min()).tolist()
        return self._stream.choice(best)


def _others(table: Table, entrants: int) -> Table:
    return tuple(sorted(set(range(entrants)) - set(table)))


def _has_no_table_twice(base: Family, entrants: int) -> bool:
    """Return whether all shifts of all base tables differ: compared by their first shifts in order."""
    shapes = set()
    for table in base:
        shifts = sorted(tuple(sorted((place - start) % entrants for place in table)) for start in table)
        if len(shifts) > 1 and shifts[0] == shifts[1]:
            return False
        shapes.add(shifts[0])
    return len(shapes) == len(base)
