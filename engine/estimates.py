"""How sure standings are: a rating and intervals for every row, rounded as they are shown and recorded."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TypeVar

from engine.intervals import Interval, mean_intervals, point_intervals
from engine.ratings import EventSums, Rating, rate
from engine.standings import Estimate, OverallRow, Row

# What two computers may differ by: their mathematics rounds differently in the last place.
RATING_TOLERANCE = 0.1
POINTS_TOLERANCE = 0.0002
TOLERANCES = {
    "rating": RATING_TOLERANCE,
    "rating_low": RATING_TOLERANCE,
    "rating_high": RATING_TOLERANCE,
    "points_low": POINTS_TOLERANCE,
    "points_high": POINTS_TOLERANCE,
}
_RATING_DIGITS = 1
_POINTS_DIGITS = 4

R = TypeVar("R", Row, OverallRow)


def of_event(sums: EventSums, entrants: Iterable[int]) -> dict[int, Estimate]:
    """Return the estimates of those of these entrants who have played in an event."""
    playing = sorted(set(entrants) & set(sums.units.entrants))
    return _estimates(rate([sums], playing), point_intervals(sums.units))


def overall(events: Sequence[EventSums], entrants: Iterable[int]) -> dict[int, Estimate]:
    """Return the estimates of those of these entrants who have played in any of a tournament's events."""
    playing = sorted(set(entrants) & {number for event in events for number in event.units.entrants})
    intervals = mean_intervals([event.units for event in events])
    return _estimates(rate([event for event in events if event.units.entrants], playing), intervals)


def attached(rows: Sequence[R], estimates: Mapping[int, Estimate]) -> list[R]:
    """Return rows with the estimates of their entrants, as far as there are any."""
    return [
        replace(row, **asdict(estimates[row.entrant])) if row.entrant in estimates else row for row in rows
    ]


def _estimates(ratings: Mapping[int, Rating], points: Mapping[int, Interval]) -> dict[int, Estimate]:
    found = {}
    for entrant, rating in ratings.items():
        rating_low, rating_high = _bounds(rating.interval, _RATING_DIGITS)
        points_low, points_high = _bounds(points.get(entrant), _POINTS_DIGITS)
        found[entrant] = Estimate(
            rating=_rounded(rating.rating, _RATING_DIGITS),
            rating_low=rating_low,
            rating_high=rating_high,
            points_low=points_low,
            points_high=points_high,
        )
    return found


def _bounds(interval: Interval | None, digits: int) -> tuple[float | None, float | None]:
    if interval is None:
        return None, None
    return _rounded(interval.low, digits), _rounded(interval.high, digits)


def _rounded(value: float, digits: int) -> float:
    return round(value, digits) + 0.0  # no minus in front of 0
