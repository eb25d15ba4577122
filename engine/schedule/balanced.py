"""Balanced tables: a selection of O(n^2) tables at which all pairs meet equally often to within one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.schedule.families import Family, distances
from engine.schedule.tables import Counts, Table


@dataclass(frozen=True, slots=True)
class BalancedTables:
    """The shifts of each base table in turn around the circle of entrants; everyone sits equally often."""

    entrants: int
    base: Family

    @property
    def count(self) -> int:
        """How many tables there are."""
        return len(self.base) * self.entrants

    def table(self, number: int) -> Table:
        """Return the entrants of table `number`."""
        which, shift = divmod(number, self.entrants)
        return tuple(sorted((place + shift) % self.entrants for place in self.base[which]))

    def members(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the entrants of many tables at once: a row a table, in no particular order."""
        which, shifts = np.divmod(numbers, self.entrants)
        members: NDArray[np.int64] = (np.array(self.base)[which] + shifts[:, None]) % self.entrants
        return members

    def seated(self) -> Counts:
        """Return at how many tables each entrant sits."""
        return np.full(self.entrants, len(self.base) * len(self.base[0]), dtype=np.int64)

    def together(self) -> Counts:
        """Return at how many tables each two entrants sit together."""
        places = np.arange(self.entrants)
        apart = (places[:, None] - places[None, :]) % self.entrants
        pairs: Counts = distances(self.base, self.entrants)[apart]
        return pairs
