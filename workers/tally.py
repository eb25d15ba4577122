"""What a local round robin adds up to: standings with intervals over deals, and the faults of each bot."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from engine.match import RecordedFault, points
from engine.rng import Stream
from engine.standings import Duel, Row, Totals, event_rows
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


class Tally:
    """Adds up matches, which must come in order of number."""

    def __init__(self, entrants: Sequence[Entrant], sides: Sequence[int]) -> None:
        self.faults = [Faults() for _ in entrants]
        self.matches = 0
        self._entrants = entrants
        self._sides = sides
        self._first_seats = [sides.index(side) for side in sorted(set(sides))]
        self._totals = [Totals() for _ in entrants]
        self._duels: dict[tuple[int, int], Duel] = {}
        self._by_deal: dict[int, list[int]] = {}

    def add(self, match: PlayedMatch) -> None:
        """Count one match."""
        result, sides = match.result, self._sides
        self.matches += 1
        half_wins = points(result.places, sides, result.forfeits)
        of_deal = self._by_deal.setdefault(match.slot.deal, [0] * len(self._entrants))
        for seat in self._first_seats:
            entrant = match.entrants[seat]
            of_deal[entrant] += half_wins[seat]
            self._add_totals(match, seat, half_wins[seat])
            for other in self._first_seats:
                if entrant < match.entrants[other]:
                    self._add_duel(match, seat, other)
        for recorded in result.faults:
            faults = self.faults[match.entrants[recorded.seat]]
            faults.codes[recorded.fault.code.value] += 1
            faults.first = faults.first or (match.slot.number, recorded)

    def lines(self) -> list[Line]:
        """Return the standings, best first; the fillers come last."""
        intervals = self._intervals()
        lines = []
        for is_filler in (False, True):
            chosen = {
                number: self._totals[number]
                for number, entrant in enumerate(self._entrants)
                if entrant.is_filler == is_filler
            }
            duels = {pair: duel for pair, duel in self._duels.items() if chosen.keys() >= set(pair)}
            lines += [
                Line(
                    name=self._entrants[row.entrant].name,
                    row=row,
                    interval=intervals[row.entrant],
                    is_filler=is_filler,
                )
                for row in event_rows(chosen, duels, len(self._first_seats))
            ]
        return lines

    def _add_totals(self, match: PlayedMatch, seat: int, half_wins: int) -> None:
        result, sides = match.result, self._sides
        before = self._totals[match.entrants[seat]]
        nobody = len(result.forfeits) == len(sides)
        won = not nobody and result.places[seat] == 1 and half_wins == 2 * (len(self._first_seats) - 1)
        faults = sum(sides[recorded.seat] == sides[seat] for recorded in result.faults)
        self._totals[match.entrants[seat]] = replace(
            before,
            matches=before.matches + 1,
            wins=before.wins + won,
            points=before.points + half_wins,
            score=before.score + result.scores[seat],
            faults=before.faults + faults,
            forfeits=before.forfeits + (seat in result.forfeits),
        )

    def _add_duel(self, match: PlayedMatch, seat: int, other: int) -> None:
        pair = (match.entrants[seat], match.entrants[other])
        before = self._duels.get(pair, Duel(matches=0, points=0))
        places = match.result.places
        nobody = len(match.result.forfeits) == len(self._sides)
        won = 0 if nobody else 2 * (places[seat] < places[other]) + (places[seat] == places[other])
        self._duels[pair] = Duel(matches=before.matches + 1, points=before.points + won)

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
        per_deal = np.array([totals.matches for totals in self._totals]) / len(self._by_deal)
        most = 2 * (len(self._first_seats) - 1) * np.outer(weights @ deals, per_deal)
        low, high = np.quantile(weights @ earned / most, (0.025, 0.975), axis=0)
        return list(zip(low.tolist(), high.tolist(), strict=True))
