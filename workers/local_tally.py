"""What a local round robin adds up to: standings with intervals over deals, and the faults of each bot."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.match import RecordedFault, points
from engine.rng import Stream
from engine.standings import Row, event_rows
from engine.tallies import Tally
from workers.local import Entrant, PlayedMatch

RESAMPLES = 500
MOST_BUNCHES = 400  # deals beyond that are resampled in bunches
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the standings; fillers have no place. `interval` holds the mean points at 95%, if known."""

    name: str
    row: Row
    interval: Interval | None
    is_filler: bool


@dataclass(slots=True)
class Faults:
    """The faults of one bot: how many of each code, and the first with the number of its match."""

    codes: Counter[str] = field(default_factory=Counter)
    first: tuple[int, RecordedFault] | None = None


class LocalTally:
    """Adds up the matches of a local round robin, which must come in order of number."""

    def __init__(self, entrants: Sequence[Entrant], sides: Sequence[int]) -> None:
        self.faults = [Faults() for _ in entrants]
        self.matches = 0
        self._entrants = entrants
        self._sides = sides
        self._sides_count = len(set(sides))
        self._tally = Tally(sides)
        self._by_deal: dict[int, list[int]] = {}

    def add(self, match: PlayedMatch) -> None:
        """Count one match."""
        result, entrants = match.result, match.entrants
        self.matches += 1
        self._tally.add(
            entrants,
            scores=result.scores,
            places=result.places,
            forfeits=result.forfeits,
            fault_seats=[recorded.seat for recorded in result.faults],
        )
        of_deal = self._by_deal.setdefault(match.slot.deal, [0] * len(self._entrants))
        half_wins = points(result.places, self._sides, result.forfeits)
        for entrant, won in dict(zip(entrants, half_wins, strict=True)).items():
            of_deal[entrant] += won
        for recorded in result.faults:
            faults = self.faults[entrants[recorded.seat]]
            faults.codes[recorded.fault.code.value] += 1
            faults.first = faults.first or (match.slot.number, recorded)

    def lines(self) -> list[Line]:
        """Return the standings, best first; the fillers come last."""
        totals, duels, intervals = self._tally.totals(), self._tally.duels(), self._intervals()
        lines = []
        for is_filler in (False, True):
            chosen = {
                number: of for number, of in totals.items() if self._entrants[number].is_filler == is_filler
            }
            among = {pair: duel for pair, duel in duels.items() if chosen.keys() >= set(pair)}
            lines += [
                Line(
                    name=self._entrants[row.entrant].name,
                    row=row,
                    interval=intervals[row.entrant],
                    is_filler=is_filler,
                )
                for row in event_rows(chosen, among, self._sides_count)
            ]
        return lines

    def _intervals(self) -> list[Interval | None]:
        """Return the middle 95% of each entrant's mean points when the deals are drawn again and again."""
        if len(self._by_deal) < 2:
            return [None] * len(self._entrants)
        size = min(MOST_BUNCHES, len(self._by_deal))
        earned = np.zeros((size, len(self._entrants)))
        deals = np.zeros(size)
        for deal, half_wins in self._by_deal.items():
            earned[deal % size] += half_wins
            deals[deal % size] += 1
        stream = Stream("bootstrap")
        picks = [[stream.below(size) for _ in range(size)] for _ in range(RESAMPLES)]
        weights = np.array([np.bincount(pick, minlength=size) for pick in picks])
        matches = [totals.matches for totals in self._tally.totals().values()]
        per_deal = np.array(matches) / len(self._by_deal)
        most = 2 * (self._sides_count - 1) * np.outer(weights @ deals, per_deal)
        low, high = np.quantile(weights @ earned / most, (0.025, 0.975), axis=0)
        return list(zip(low.tolist(), high.tolist(), strict=True))
