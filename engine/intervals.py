"""How sure a result is: intervals by bootstrap over deals, and whether the named places are separated.

All tables of an event share its deals, so the deal is the unit of chance, not the match. Sums of each deal
and entrant are all that is needed; they are whole numbers, so that results are the same on every computer.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_UNITS = 64
RESAMPLES = 2000
MOST_LOOKS = 50
_NORMAL = NormalDist()


def unit_of(deal: int) -> int:
    """Return the unit of chance that a deal is counted in: itself, or with many deals every 64th together."""
    return deal % MOST_UNITS


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitSum:
    """What one entrant did in the deals of one unit: points in half-wins (engine.match.points)."""

    unit: int
    entrant: int
    matches: int
    points: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnitSums:
    """The sums of all units (rows) and entrants (columns, ascending numbers) of an event."""

    entrants: tuple[int, ...]
    sides: int
    matches: Floats
    points: Floats

    @classmethod
    def of(cls, sums: Iterable[UnitSum], sides: int) -> "UnitSums":
        """Return the table of such sums, whatever their order; several of the same place are added."""
        rows = list(sums)
        entrants = tuple(sorted({row.entrant for row in rows}))
        units = {unit: index for index, unit in enumerate(sorted({row.unit for row in rows}))}
        columns = {entrant: index for index, entrant in enumerate(entrants)}
        matches = np.zeros((len(units), len(entrants)))
        points = np.zeros((len(units), len(entrants)))
        for row in rows:
            place = units[row.unit], columns[row.entrant]
            matches[place] += row.matches
            points[place] += row.points
        return cls(entrants=entrants, sides=sides, matches=matches, points=points)

    def mean_points(self) -> Floats:
        """Return the points of a match of each entrant, 0 to 1."""
        return _share(self.points.sum(axis=0), self.matches.sum(axis=0) * 2 * (self.sides - 1))

    def residuals(self) -> Floats:
        """Return the half-wins of each unit and entrant less what its mean lets expect of so many matches."""
        expected: Floats = self.matches * _share(self.points.sum(axis=0), self.matches.sum(axis=0))
        return self.points - expected

    def deviations(self) -> Floats:
        """Return by how much each unit moves the mean points of each entrant."""
        moved: Floats = self.residuals() / np.maximum(1, self.matches.sum(axis=0) * 2 * (self.sides - 1))
        return moved


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`."""

    low: float
    high: float


def point_intervals(sums: UnitSums, confidence: float = 0.95) -> dict[int, Interval]:
    """Return an interval of the mean points of each entrant, by bootstrap over units; empty with under two.

    The percentiles of the resampled means are widened so that they hold for few units too (Hesterberg, "What
    teachers should know about the bootstrap", The American Statistician 69, 2015, section 4.3.3).
    """
    units = len(sums.matches)
    if units < 2:
        return {}
    weights = _resamples(units)
    matches = weights @ sums.matches  # sums of whole numbers: exact in any order
    means = _share(weights @ sums.points, matches * 2 * (sums.sides - 1))
    means.sort(axis=0)
    tail = _NORMAL.cdf(-sqrt(units / (units - 1)) * student_quantile((1 + confidence) / 2, units - 1))
    index = int(tail * RESAMPLES)
    return {
        entrant: Interval(float(means[index, column]), float(means[RESAMPLES - 1 - index, column]))
        for column, entrant in enumerate(sums.entrants)
    }


def mean_intervals(events: Sequence[UnitSums], confidence: float = 0.95) -> dict[int, Interval]:
    """Return an interval of the mean points over events of each entrant, each event weighing the same.

    By the errors of all events together; empty while an event that was begun has under two units.
    """
    begun = [sums for sums in events if len(sums.matches)]
    if not begun or any(len(sums.matches) < 2 for sums in begun):
        return {}
    means: dict[int, float] = {}
    variances: dict[int, float] = {}
    for sums in begun:
        units = len(sums.matches)
        of_units = (sums.deviations() ** 2).sum(axis=0) * units / (units - 1)
        for column, entrant in enumerate(sums.entrants):
            mean = float(sums.mean_points()[column]) / len(events)
            means[entrant] = means.get(entrant, 0.0) + mean
            variances[entrant] = variances.get(entrant, 0.0) + float(of_units[column]) / len(events) ** 2
    degrees = sum(len(sums.matches) - 1 for sums in begun)
    width = student_quantile((1 + confidence) / 2, degrees)
    return {
        entrant: Interval(
            max(0.0, mean - width * sqrt(variances[entrant])),
            min(1.0, mean + width * sqrt(variances[entrant])),
        )
        for entrant, mean in means.items()
    }


def is_separated(sums: UnitSums, *, top: int, confidence: float, looks: int = 1) -> bool:
    """Return whether each of the `top` places is certainly ahead of all places below it.

    Each place is tested against every lower one by the differences of their points unit by unit, two-sided.
    Testing a leader that was chosen by looking needs no further correction, nor does going down place by
    place (Hung and Fithian, "Rank verification for exponential families", Annals of Statistics 47, 2019).
    `looks` is how often an event is looked at in all; the limit is the one of Pocock (Biometrika 64, 1977),
    so that the first error in the whole event is as improbable as promised.
    """
    units, entrants = sums.matches.shape
    if units < 2 or entrants < 2 or not sums.matches.sum(axis=0).all():
        return False
    means = sums.mean_points()
    order = np.argsort(-means, kind="stable")
    means, deviations = means[order], sums.deviations()[:, order]
    level = 2 * (1 - _NORMAL.cdf(pocock_limit(looks, confidence)))
    limit = student_quantile(1 - level / 2, units - 1)
    for place in range(min(top, entrants - 1)):
        gaps = means[place] - means[place + 1 :]
        moved = deviations[:, place, None] - deviations[:, place + 1 :]
        variances = (moved**2).sum(axis=0) * units / (units - 1)
        # As if there were one more deal without a difference: no certainty from deals that are all alike.
        errors = np.sqrt(variances + (gaps / (units + 1)) ** 2)
        if not (gaps > limit * errors).all():
            return False
    return True


def looks(blocks: int) -> tuple[int, ...]:
    """Return the blocks at whose ends an event is looked at: all of them, or 50 that are evenly spaced."""
    number = min(blocks, MOST_LOOKS)
    return tuple(ceil((look + 1) * blocks / number) - 1 for look in range(number))


@lru_cache(maxsize=256)
def pocock_limit(number: int, confidence: float) -> float:
    """Return the number of standard errors that so many looks at a growing sum do not exceed, in all.

    The looks come after equal parts of the sum. Recursive integration after Armitage, McPherson and Rowe
    (Journal of the Royal Statistical Society A 132, 1969); rounded up to four places.
    """
    low, high = _NORMAL.inv_cdf((1 + confidence) / 2), 10.0
    while high - low > 1e-6:
        limit = (low + high) / 2
        if _stays_within(limit, number) < confidence:
            low = limit
        else:
            high = limit
    return ceil(high * 10_000) / 10_000  # on every computer the same


def _stays_within(limit: float, number: int) -> float:
    """Return how probably a sum of normal parts stays below `limit` standard errors at all looks."""
    nodes, weights = _gauss_legendre()
    places = limit * nodes
    density = np.exp(-(places**2) / 2) / sqrt(2 * np.pi)
    mass = density * weights * limit
    for look in range(2, number + 1):
        further = limit * sqrt(look) * nodes
        density = np.exp(-((further[:, None] - places) ** 2) / 2) @ mass / sqrt(2 * np.pi)
        places = further
        mass = density * weights * limit * sqrt(look)
    return float(mass.sum())


@lru_cache(maxsize=1)
def _gauss_legendre() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.legendre.leggauss(120)
    return nodes, weights


@lru_cache(maxsize=1024)
def student_quantile(probability: float, degrees: int) -> float:
    """Return the quantile of Student's distribution for a probability from 1/2 on.

    With more than 1000 degrees of freedom the normal one.
    """
    if degrees > 1000:
        return _NORMAL.inv_cdf(probability)
    low, high = 0.0, np.pi / 2
    for _ in range(60):
        angle = (low + high) / 2
        if _student_within(angle, degrees) < 2 * probability - 1:
            low = angle
        else:
            high = angle
    return float(sqrt(degrees) * np.tan(high))


def _student_within(angle: float, degrees: int) -> float:
    """Return P(|t| < sqrt(degrees) tan(angle)): Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    sine, cosine = float(np.sin(angle)), float(np.cos(angle))
    is_odd = degrees % 2
    term, total = (cosine, 0.0) if is_odd else (1.0, 0.0)
    for step in range(2 + is_odd, degrees + 1, 2):
        total += term
        term *= (step - 1) / step * cosine**2
    return 2 / float(np.pi) * (angle + sine * total) if is_odd else sine * total


@lru_cache(maxsize=64)
def _resamples(units: int) -> Floats:
    """Return how often each unit (column) comes in each resample (row), by SplitMix64 (engine.rng)."""
    count = RESAMPLES * units
    with np.errstate(over="ignore"):
        state = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    drawn = ((state ^ (state >> np.uint64(31))) >> np.uint64(32)) * np.uint64(units) >> np.uint64(32)
    rows = np.repeat(np.arange(RESAMPLES), units) * units + drawn.astype(np.int64)
    return np.bincount(rows, minlength=count).reshape(RESAMPLES, units).astype(np.float64)


def _share(part: Floats, whole: Floats) -> Floats:
    """Return part / whole; 0 where there is nothing."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
