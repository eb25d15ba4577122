"""Simulated events: entrants of known strength whose results follow Plackett and Luce, deal by deal."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from engine.intervals import Floats, UnitSums
from engine.ratings import EventSums, Meetings
from engine.standings import Duel


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedEvent:
    """The half-wins, 2, 1 or 0, of each side of each match over each other one, and who sits where."""

    entrants: int
    seats: NDArray[np.int64]  # match in the deal, side
    half_wins: NDArray[np.int8]  # deal, match, side, other side

    def sums(self) -> EventSums:
        """Return the event in sums, each deal a unit."""
        deals, _, sides, _ = self.half_wins.shape
        points = np.zeros((deals, self.entrants))
        matches = np.zeros((deals, self.entrants))
        won = np.zeros((self.entrants, self.entrants), dtype=np.int64)
        met = np.zeros_like(won)
        for side in range(sides):
            matches += np.bincount(self.seats[:, side], minlength=self.entrants)
            for other in range(sides):
                if other != side:
                    gained = self.half_wins[:, :, side, other].astype(np.int64)
                    np.add.at(points.T, self.seats[:, side], gained.T)
                    np.add.at(won, (self.seats[:, side], self.seats[:, other]), gained.sum(axis=0))
                    np.add.at(met, (self.seats[:, side], self.seats[:, other]), deals)
        duels = {
            (one, other): Duel(matches=int(met[one, other]), points=int(won[one, other]))
            for one, other in combinations(range(self.entrants), 2)
            if met[one, other]
        }
        numbers = tuple(range(self.entrants))
        units = UnitSums(entrants=numbers, sides=sides, matches=matches, points=points)
        return EventSums(duels=duels, units=units)

    def meetings(self) -> Meetings:
        """Return all pairs of all matches, clustered by deal."""
        deals, matches, sides, _ = self.half_wins.shape
        pairs = np.array(list(combinations(range(sides), 2)))
        shape = (deals, matches, len(pairs))
        return Meetings(
            cluster=np.broadcast_to(np.arange(deals)[:, None, None], shape).ravel(),
            first=np.broadcast_to(self.seats[:, pairs[:, 0]], shape).ravel(),
            second=np.broadcast_to(self.seats[:, pairs[:, 1]], shape).ravel(),
            matches=np.ones(deals * matches * len(pairs)),
            points=self.half_wins[:, :, pairs[:, 0], pairs[:, 1]].astype(np.float64).ravel(),
            weight=np.full(deals * matches * len(pairs), 2 / sides),
        )


def simulated_event(
    strengths: Floats,
    tables: Sequence[Sequence[int]],
    *,
    deals: int,
    shared: float,
    seed: int,
    ties: bool = False,
) -> SimulatedEvent:
    """Return an event in which every table plays every deal once for each of its sides.

    Performance is strength plus Gumbel noise, so that each pair alone follows the logistic model. With
    probability `shared` a match has the noise of its deal, else its own. `ties`: performances are cut to
    whole numbers.
    """
    rng = np.random.default_rng(seed)
    sides = len(tables[0])
    seats = np.repeat(np.array(tables), sides, axis=0)
    own = rng.gumbel(size=(deals, *seats.shape))
    of_deal = rng.gumbel(size=(deals, len(strengths)))[:, seats]
    is_shared = rng.random((deals, len(seats), 1)) < shared
    performance = np.where(is_shared, of_deal, own) + strengths[seats]
    return SimulatedEvent(
        entrants=len(strengths),
        seats=seats,
        half_wins=_half_wins(np.floor(performance) if ties else performance),
    )


def simulated_meetings(strengths: Floats, *, matches: int, sides: int, seed: int) -> Meetings:
    """Return the pairs of matches between random entrants, each match with a deal of its own."""
    rng = np.random.default_rng(seed)
    seats = rng.random((matches, len(strengths))).argsort(axis=1)[:, :sides]
    half_wins = _half_wins(rng.gumbel(size=seats.shape) + strengths[seats])
    pairs = np.array(list(combinations(range(sides), 2)))
    return Meetings(
        cluster=np.repeat(np.arange(matches), len(pairs)),
        first=seats[:, pairs[:, 0]].ravel(),
        second=seats[:, pairs[:, 1]].ravel(),
        matches=np.ones(matches * len(pairs)),
        points=half_wins[:, pairs[:, 0], pairs[:, 1]].astype(np.float64).ravel(),
        weight=np.full(matches * len(pairs), 2 / sides),
    )


def _half_wins(performance: Floats) -> NDArray[np.int8]:
    """Return 2, 1 or 0 for each side (last but one axis) against each other (last axis)."""
    own, other = performance[..., :, None], performance[..., None, :]
    half_wins: NDArray[np.int8] = (own > other).astype(np.int8) * np.int8(2) + (own == other)
    return half_wins
