"""Ratings by maximum likelihood on results: the same for every order of the results, with 95% intervals.

The model is the one of Bradley and Terry, fitted to all pairs of sides of a match, ties as half a win; the
pairs of a match with k sides weigh 2/k each. Pairs of a match are not independent, nor are the matches of a
deal: the errors are those of the sandwich estimator, clustered by deal.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from engine.intervals import Floats, Interval, UnitSums, student_quantile
from engine.standings import Duels

Places = NDArray[np.int64]

SCALE = 400 / log(10)  # a difference of 400 is odds of 10 to 1, as Elo's
MEAN = 1500.0  # of the field, each entrant weighing as much as is known of it
RIDGE = 0.01  # a priori precision of a strength, for who won or lost everything
CONFIDENCE = 0.95
MOST_GROUPS = 1024  # of clusters; with more of them, every 1024th together
_MOST_STEP = 2.0
_MOST_STEPS = 200
_CLOSE = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """How strong an entrant is, on Elo's scale with the field's mean at 1500, and a 95% interval.

    There is no interval before two units of deals are played in each event that was begun.
    """

    rating: float
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSums:
    """One event in sums: its pairs (engine.standings), and what each entrant did in each unit of deals."""

    duels: Duels
    units: UnitSums


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Meetings:
    """Pairs of sides that met, in parallel arrays; `points` are half-wins of `first`, of 2 x `matches`.

    `cluster` says what they have in common by chance: the deal, or the match where each has its own. `weight`
    is 2/k for pairs of a match with k sides.
    """

    cluster: Places
    first: Places
    second: Places
    matches: Floats
    points: Floats
    weight: Floats


def rate(events: Sequence[EventSums], entrants: Iterable[int]) -> dict[int, Rating]:
    """Return the rating of each of these entrants over events, each of which weighs the same.

    The sums suffice because every deal of an event has the same matches: a deal moves the results of an
    entrant by its points less the mean, whoever the opponents were. Entrants that are not asked for (fillers)
    count as opponents all the same.
    """
    rated = sorted(set(entrants))
    if not rated:
        return {}
    numbers = sorted({*rated, *(number for event in events for number in event.units.entrants)})
    index = {entrant: place for place, entrant in enumerate(numbers)}
    weights = _event_weights(events)
    won = np.zeros((len(numbers), len(numbers)))
    scores: list[Floats] = []
    for event, weight in zip(events, weights, strict=True):
        for (one, other), duel in sorted(event.duels.items()):
            won[index[one], index[other]] += weight * duel.points / 2
            won[index[other], index[one]] += weight * (duel.matches - duel.points / 2)
        columns = [index[entrant] for entrant in event.units.entrants]
        scores.append(np.zeros((len(event.units.matches), len(numbers))))
        scores[-1][:, columns] = weight * event.units.residuals() / 2
    strengths = _fit(won, RIDGE)
    errors, degrees = _errors(strengths, won, scores, RIDGE)
    ratings = _ratings(numbers, strengths, errors, degrees)
    return {entrant: ratings[entrant] for entrant in rated}


def rate_meetings(meetings: Meetings, entrants: int, ridge: float = RIDGE) -> dict[int, Rating]:
    """Return the rating of each of `entrants` players, numbered from 0, from meetings of any kind.

    For a ladder, where not every deal has the same matches. `ridge` must be above 0 when somebody won or lost
    everything, or the field falls into parts.
    """
    of_first, of_second = meetings.points / 2, meetings.matches - meetings.points / 2
    first, second, weight = meetings.first, meetings.second, meetings.weight
    won = _table(first, second, weight * of_first, (entrants, entrants))
    won += _table(second, first, weight * of_second, (entrants, entrants))
    strengths = _fit(won, ridge)
    residual = weight * (of_first - meetings.matches * _wins(strengths[first] - strengths[second]))
    group = meetings.cluster % MOST_GROUPS
    scores = _table(group, first, residual, (MOST_GROUPS, entrants))
    scores -= _table(group, second, residual, (MOST_GROUPS, entrants))
    played = scores[np.bincount(group, minlength=MOST_GROUPS) > 0]
    errors, degrees = _errors(strengths, won, [played], ridge)
    return _ratings(range(entrants), strengths, errors, degrees)


def _table(rows: Places, columns: Places, values: Floats, shape: tuple[int, int]) -> Floats:
    """Return a table with each of the values added at its place."""
    flat = np.bincount(rows * shape[1] + columns, weights=values, minlength=shape[0] * shape[1])
    return flat.reshape(shape).astype(np.float64)


def _event_weights(events: Sequence[EventSums]) -> list[float]:
    """Return what a pair of each event weighs: 2/k times what makes all events weigh the same in all."""
    of_pair = [2 / event.units.sides for event in events]
    totals = [
        weight * sum(duel.matches for duel in event.duels.values())
        for weight, event in zip(of_pair, events, strict=True)
    ]
    mean = sum(totals) / max(1, sum(total > 0 for total in totals))
    return [weight * mean / total if total else 0.0 for weight, total in zip(of_pair, totals, strict=True)]


def _wins(differences: Floats) -> Floats:
    """Return the probability to win at such differences of strength; it cannot overflow."""
    wins: Floats = (1 + np.tanh(differences / 2)) / 2
    return wins


def _fit(won: Floats, ridge: float) -> Floats:
    """Return the strengths with the greatest likelihood, weighted mean 0: Newton's method with bounded steps.

    `won` is the weight of the wins of each entrant (row) over each other (column).
    """
    met = won + won.T
    strengths = np.zeros(len(won))
    for _ in range(_MOST_STEPS):
        wins = _wins(strengths[:, None] - strengths[None, :])
        gradient = (won - met * wins).sum(axis=1) - ridge * strengths
        step = _newton_step(met, wins, ridge, gradient)
        furthest = float(np.abs(step).max(initial=0))
        strengths += step * min(1.0, _MOST_STEP / max(furthest, _CLOSE))
        if furthest < _CLOSE:
            break
    return strengths - _field_weights(met, strengths) @ strengths


def _field_weights(met: Floats, strengths: Floats) -> Floats:
    """Return what each entrant counts in the mean of the field: as much as is known of it.

    So one that never lost, or did not play yet, makes nobody else less certain.
    """
    wins = _wins(strengths[:, None] - strengths[None, :])
    known = (met * wins * (1 - wins)).sum(axis=1)
    total = float(known.sum())
    return known / total if total else np.full(len(known), 1 / len(known))


def _newton_step(met: Floats, wins: Floats, ridge: float, gradient: Floats) -> Floats:
    """Return the inverse of the information times the gradient; a third of the work of inverting it."""
    information, scale = _information(met, wins, ridge)
    return np.linalg.solve(information, gradient).astype(np.float64) - float(gradient.mean()) / scale


def _inverse_information(met: Floats, wins: Floats, ridge: float) -> Floats:
    """Return the inverse of the information on strengths with mean 0: inv(H + c J) - J / c, J = 11'/n."""
    information, scale = _information(met, wins, ridge)
    inverse: Floats = np.linalg.inv(information).astype(np.float64)
    return inverse - 1 / (len(met) * scale)


def _information(met: Floats, wins: Floats, ridge: float) -> tuple[Floats, float]:
    """Return the information on strengths, plus c J with J = 11'/n so that it can be inverted, and c."""
    number = len(met)
    information: Floats = -met * wins * (1 - wins)
    np.fill_diagonal(information, information.diagonal() - information.sum(axis=1))
    scale = (float(np.trace(information)) + ridge * (number - 1)) / number
    information += (scale - ridge) / number
    np.fill_diagonal(information, information.diagonal() + ridge)
    return information, scale


def _errors(strengths: Floats, won: Floats, scores: Sequence[Floats], ridge: float) -> tuple[Floats, int]:
    """Return the standard error of each strength, and the degrees of freedom that it rests on.

    `scores` is for each event what each cluster (row) adds to the gradient of each entrant (column). A single
    cluster says nothing about chance: where an event has no more, there are no degrees of freedom.
    """
    wins = _wins(strengths[:, None] - strengths[None, :])
    inverse = _inverse_information(won + won.T, wins, ridge)
    inverse = (inverse - _field_weights(won + won.T, strengths) @ inverse).T
    variances = ridge * (inverse**2).sum(axis=0)
    degrees = 0
    for of_event in scores:
        clusters = len(of_event)
        if clusters > 1:
            variances += ((of_event @ inverse) ** 2).sum(axis=0) * clusters / (clusters - 1)
            degrees += clusters - 1
    is_known = all(len(of_event) != 1 for of_event in scores)
    return np.sqrt(variances), degrees if is_known else 0


def _ratings(numbers: Sequence[int], strengths: Floats, errors: Floats, degrees: int) -> dict[int, Rating]:
    width = student_quantile((1 + CONFIDENCE) / 2, degrees) if degrees else 0.0
    ratings = {}
    for number, strength, error in zip(numbers, strengths.tolist(), errors.tolist(), strict=True):
        rating = MEAN + SCALE * strength
        reach = SCALE * width * error
        interval = Interval(rating - reach, rating + reach) if degrees else None
        ratings[number] = Rating(rating=rating, interval=interval)
    return ratings
