"""Meetings of a ladder: one table that plays a few deals, each in every rotation, with numbers of its own."""

from dataclasses import dataclass

from engine.schedule.base import Slot
from engine.schedule.tables import circle


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """The entrants at a table (by side) and the deals that they play; `block` is the round of the ladder.

    Match numbers of a ladder are (meeting, rotation, deal of the meeting) in mixed radix; a *group* is one
    (meeting, rotation). No two meetings share a deal.
    """

    number: int
    block: int
    table: tuple[int, ...]
    deals: int

    @property
    def numbers(self) -> range:
        """The numbers of its matches."""
        size = meeting_matches(len(self.table), self.deals)
        return range(self.number * size, (self.number + 1) * size)

    def slot(self, number: int) -> Slot:
        """Return where match `number` of this meeting stands; seated as in a round robin."""
        assert number in self.numbers, "the match is of this meeting"
        sides = len(self.table)
        rotation, deal = divmod(number - self.numbers.start, self.deals)
        deal += self.number * self.deals
        order = circle(self.table, deal)
        shifted = tuple(order[(side - rotation) % sides] for side in range(sides))
        return Slot(
            number=number,
            block=self.block,
            table=self.number,
            rotation=rotation,
            deal=deal,
            entrants=shifted,
        )


def meeting_matches(sides: int, deals: int) -> int:
    """Return how many matches a meeting has."""
    return sides * deals
