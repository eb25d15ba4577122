"""Tables at which no two entrants have the same owner."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine.schedule.balanced import BalancedTables
from engine.schedule.tables import Counts, Table

Owners = tuple[Hashable, ...]  # of each entrant


def of_owners(owners: Sequence[str | None]) -> tuple[int, ...]:
    """Return for each entrant the number of the first one with its owner; who has none (None) is alone."""
    first: dict[str | int, int] = {}
    return tuple(
        first.setdefault(number if owner is None else owner, number) for number, owner in enumerate(owners)
    )


class ApartFullTables:
    """Every set of entrants of different owners once.

    In lexicographic order of (owner, entrant), owners in the order of their first entrants. The counts are
    elementary symmetric polynomials of the numbers of entrants of the owners: O(owners x sides) numbers.
    """

    def __init__(self, owners: Owners, sides: int) -> None:
        self._owners = owners
        self._sides = sides
        groups: dict[Hashable, list[int]] = {}
        for entrant, owner in enumerate(owners):
            groups.setdefault(owner, []).append(entrant)
        self._groups = list(groups.values())
        self._from = _choices([len(group) for group in self._groups], sides)

    @property
    def count(self) -> int:
        """How many tables there are."""
        return self._from[0][self._sides]

    def table(self, number: int) -> Table:
        """Return the entrants of table `number`: chair by chair the owner, then which of its entrants."""
        chosen: list[int] = []
        owner, rest = 0, number
        for chairs in range(self._sides, 0, -1):
            before = partial(self._tables_before, owner, chairs)
            skipped = bisect_right(range(owner, len(self._from)), rest, key=before) - 1
            rest -= before(owner + skipped)
            owner += skipped + 1
            member, rest = divmod(rest, self._from[owner][chairs - 1])
            chosen.append(self._groups[owner - 1][member])
        return tuple(sorted(chosen))

    def _tables_before(self, owner: int, chairs: int, other: int) -> int:
        """Return how many choices for so many chairs begin with an owner from `owner` on, before `other`."""
        return self._from[owner][chairs] - self._from[other][chairs]

    def seated(self) -> Counts:
        """Return at how many tables each entrant sits."""
        sizes = Counter(len(group) for group in self._groups)
        of_size = {size: _choices(_without(sizes, size), self._sides - 1)[0][-1] for size in sizes}
        seated = np.zeros(len(self._owners), dtype=np.int64)
        for group in self._groups:
            seated[group] = of_size[len(group)]
        return seated

    def together(self) -> Counts:
        """Return at how many tables each two entrants sit together."""
        sizes = Counter(len(group) for group in self._groups)
        kinds = sorted(sizes)
        of_kinds = np.array(
            [
                [_choices(_without(sizes, one, other), self._sides - 2)[0][-1] for other in kinds]
                for one in kinds
            ]
        )
        kind = np.zeros(len(self._owners), dtype=np.int64)
        owner = np.zeros(len(self._owners), dtype=np.int64)
        for number, group in enumerate(self._groups):
            kind[group] = kinds.index(len(group))
            owner[group] = number
        pairs: Counts = of_kinds[kind[:, None], kind[None, :]]
        return np.where(owner[:, None] == owner[None, :], 0, pairs)


def _choices(sizes: Sequence[int], most: int) -> list[list[int]]:
    """Return how many ways there are to choose 0, 1, ..., `most` entrants of owners from each position on."""
    rows = [[1] + [0] * most]
    for size in reversed(sizes):
        after = rows[-1]
        rows.append([1, *(after[j] + size * after[j - 1] for j in range(1, most + 1))])
    return rows[::-1]


def _without(sizes: Counter[int], *left_out: int) -> list[int]:
    """Return the sizes of all owners but for one of each size that is left out (none when there is none)."""
    return list((sizes - Counter(left_out)).elements())


@dataclass(frozen=True, slots=True, eq=False)
class ApartBalancedTables:
    """Balanced tables without those, numbered in `left_out`, at which entrants of one owner would meet."""

    all: BalancedTables
    left_out: NDArray[np.int64]

    @property
    def count(self) -> int:
        """How many tables there are."""
        return self.all.count - len(self.left_out)

    def table(self, number: int) -> Table:
        """Return the entrants of table `number` of those that stay."""
        left_out = bisect_right(range(len(self.left_out)), number, key=self._stay_before)
        return self.all.table(number + left_out)

    def _stay_before(self, index: int) -> int:
        return int(self.left_out[index]) - index

    def seated(self) -> Counts:
        """Return at how many tables each entrant sits."""
        seated = self.all.seated()
        np.subtract.at(seated, self.all.members(self.left_out), 1)
        return seated

    def together(self) -> Counts:
        """Return at how many tables each two entrants sit together."""
        pairs = self.all.together()
        members = self.all.members(self.left_out)
        np.subtract.at(pairs, (members[:, :, None], members[:, None, :]), 1)
        np.fill_diagonal(pairs, 0)
        return pairs


def keep_apart(tables: BalancedTables, owners: Owners) -> ApartBalancedTables:
    """Return the tables at which no two entrants have the same owner."""
    numbers = {owner: number for number, owner in enumerate(dict.fromkeys(owners))}
    owner = np.array([numbers[name] for name in owners])
    seated = np.sort(owner[tables.members(np.arange(tables.count))], axis=1)
    has_siblings = (seated[:, 1:] == seated[:, :-1]).any(axis=1)
    return ApartBalancedTables(tables, np.flatnonzero(has_siblings))
