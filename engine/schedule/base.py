"""Match number -> block, table, rotation, deal and who plays which side."""

from dataclasses import dataclass

from engine.errors import BadSchedule
from engine.schedule import tables

MOST_MATCHES = 10**9


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
    """A full round robin of one event: every table plays every deal in every rotation.

    Numbers are ((block, table, rotation), deal in the block) in mixed radix; the last block may have fewer
    deals. A *group* is one (block, table, rotation): the consecutive numbers of one set of players. Raises
    BadSchedule when there are fewer entrants than sides, or more than 10**9 matches.
    """

    entrants: int
    sides: int
    deals: int
    block_deals: int

    def __post_init__(self) -> None:
        if self.entrants < self.sides:
            raise BadSchedule(f"{self.entrants} entrants cannot fill {self.sides} sides")
        if self.deals < 1 or self.block_deals < 1:
            raise BadSchedule(f"deals is {self.deals}, block_deals {self.block_deals}; allowed: at least 1")
        if self.matches > MOST_MATCHES:
            raise BadSchedule(f"{self.matches} matches; at most {MOST_MATCHES} can be scheduled")

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return tables.count(self.entrants, self.sides)

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

    def slot(self, number: int) -> Slot:
        """Return where match `number` stands; raises BadSchedule when there is no such match."""
        if not 0 <= number < self.matches:
            raise BadSchedule(f"match {number} does not exist; there are {self.matches}")
        block = number // (self.tables * self.sides * self.block_deals)
        group, deal = divmod(number - self.block_range(block).start, self.group_matches(block))
        table, rotation = divmod(group, self.sides)
        deal += block * self.block_deals
        members = tables.table(self.entrants, self.sides, table)
        order = tables.circle(members, deal)
        shifted = tuple(order[(side - rotation) % self.sides] for side in range(self.sides))
        return Slot(number=number, block=block, table=table, rotation=rotation, deal=deal, entrants=shifted)
