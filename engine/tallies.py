"""What matches add up to: totals of every entrant, and of every pair that sat together on two sides."""

from collections.abc import Iterable, Sequence

from engine.contract import Seat
from engine.intervals import UnitSum
from engine.match import points
from engine.standings import Duel, Totals

_TOTALS = 6  # the fields of Totals
_DUEL = 2
_UNIT = 2


class Tally:
    """Adds up the matches of one event; `sides` is the side of each seat. A team counts once a match."""

    def __init__(self, sides: Sequence[int]) -> None:
        self._sides = sides
        self._first_seats = [sides.index(side) for side in sorted(set(sides))]
        self._totals: dict[int, list[int]] = {}
        self._duels: dict[tuple[int, int], list[int]] = {}
        self._units: dict[tuple[int, int], list[int]] = {}

    def add(
        self,
        entrants: Sequence[int],
        *,
        unit: int | None = None,
        scores: Sequence[int],
        places: Sequence[int],
        forfeits: Sequence[Seat],
        fault_seats: Iterable[Seat],
    ) -> None:
        """Add one match; everything is by seat, a seat in `fault_seats` as often as it faulted.

        `unit` is the unit of chance that its deal is counted in (engine.intervals.unit_of), if in any.
        """
        sides, first_seats = self._sides, self._first_seats
        half_wins = points(places, sides, forfeits)
        nobody = len(forfeits) == len(sides)
        faults = [0] * len(first_seats)
        for seat in fault_seats:
            faults[sides[seat]] += 1
        for seat in first_seats:
            entrant = entrants[seat]
            won = not nobody and half_wins[seat] == 2 * (len(first_seats) - 1)
            gained = (1, won, half_wins[seat], scores[seat], faults[sides[seat]], seat in forfeits)
            _add(self._totals.setdefault(entrant, [0] * _TOTALS), gained)
            if unit is not None:
                _add(self._units.setdefault((unit, entrant), [0] * _UNIT), (1, half_wins[seat]))
            for other in first_seats:
                if entrant < entrants[other] and not nobody:  # who all failed did not meet
                    duel = _half_wins(places[seat], places[other])
                    _add(self._duels.setdefault((entrant, entrants[other]), [0] * _DUEL), (1, duel))

    def totals(self) -> dict[int, Totals]:
        """Return the totals of every entrant that played, in order of number."""
        return {
            entrant: Totals(
                matches=sums[0],
                wins=sums[1],
                points=sums[2],
                score=sums[3],
                faults=sums[4],
                forfeits=sums[5],
            )
            for entrant, sums in sorted(self._totals.items())
        }

    def duels(self) -> dict[tuple[int, int], Duel]:
        """Return how every pair did (lower number first, and the points are its), in order of numbers."""
        return {
            pair: Duel(matches=matches, points=won) for pair, (matches, won) in sorted(self._duels.items())
        }

    def units(self) -> list[UnitSum]:
        """Return what every entrant did in each unit of deals, in order of units and numbers."""
        return [
            UnitSum(unit=unit, entrant=entrant, matches=matches, points=won)
            for (unit, entrant), (matches, won) in sorted(self._units.items())
        ]


def _half_wins(place: int, other: int) -> int:
    return 2 * (place < other) + (place == other)


def _add(sums: list[int], gained: Sequence[int]) -> None:
    for position, value in enumerate(gained):
        sums[position] += value
