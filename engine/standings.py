"""Standings: totals of entrants -> ranked rows, with the reason for every place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What one entrant has done: `points` in half-wins (engine.match.points)."""

    matches: int = 0
    wins: int = 0
    points: int = 0
    score: int = 0
    faults: int = 0
    forfeits: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """How an entrant did against one other: matches, and points in half-wins of the first of the two."""

    matches: int
    points: int


Duels = Mapping[tuple[int, int], Duel]  # by (lower entrant, higher entrant); points of the lower one


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """How sure a row is: a rating and the points, each with its 95% interval where there is one yet."""

    rating: float | None = None
    rating_low: float | None = None
    rating_high: float | None = None
    points_low: float | None = None
    points_high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Estimate):
    """One line of an event's standings; points are the mean of a match, 0 to 1.

    `wins` are matches in which the entrant's side alone came first. `reason` says what puts the row ahead of
    the next one, or that they share the place; empty in the last row.
    """

    entrant: int
    place: int
    matches: int
    wins: int
    points: Fraction
    mean_score: Fraction
    faults: int
    forfeits: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallRow(Estimate):
    """One line of a tournament's standings: `points` and `mean_score` are means over its events.

    Each event weighs the same.

    `places` is the place in each event that the entrant played, by event index.
    """

    entrant: int
    place: int
    points: Fraction
    mean_score: Fraction
    matches: int
    wins: int
    faults: int
    forfeits: int
    places: Mapping[int, int]
    reason: str = ""


_Key = tuple[Fraction, ...]
_Criteria = tuple[str, ...]
_CRITERIA: _Criteria = ("points", "head-to-head", "mean score", "fewer faults")


def event_rows(totals: Mapping[int, Totals], duels: Duels, sides: int) -> list[Row]:
    """Return the standings of one event, best first.

    Ranked by points; ties by head-to-head within the tied set, then mean score, then fewer faults, then the
    place is shared. Entrants without a match come last, with zeros.
    """
    points = {e: _mean(t.points, t.matches * 2 * (sides - 1)) for e, t in totals.items()}
    scores = {e: _mean(t.score, t.matches) for e, t in totals.items()}
    keys: dict[int, _Key] = {}
    for tied in _tied_sets(points):
        for entrant in tied:
            keys[entrant] = (
                points[entrant],
                _head_to_head(entrant, tied, duels),
                scores[entrant],
                Fraction(-totals[entrant].faults),
            )
    rows = []
    for entrant, place, reason in _ranked(keys, _CRITERIA):
        of = totals[entrant]
        rows.append(
            Row(
                entrant=entrant,
                place=place,
                matches=of.matches,
                wins=of.wins,
                points=points[entrant],
                mean_score=scores[entrant],
                faults=of.faults,
                forfeits=of.forfeits,
                reason=reason,
            )
        )
    return rows


def overall_rows(events: Mapping[int, Sequence[Row]], duels: Mapping[int, Duels]) -> list[OverallRow]:
    """Return the standings over all events (by index), best first: every event weighs the same.

    Ties by head-to-head within the tied set (the mean over the events in which they met), then mean score,
    then fewer faults, then the place is shared. An event that an entrant did not play counts as 0 points and
    a score of 0.
    """
    by_entrant: dict[int, dict[int, Row]] = {}
    for index, rows in events.items():
        for row in rows:
            by_entrant.setdefault(row.entrant, {})[index] = row
    points, scores = _means(by_entrant, len(events))
    keys: dict[int, _Key] = {}
    for tied in _tied_sets(points):
        for entrant in tied:
            met = [_head_to_head(entrant, tied, of_event) for of_event in duels.values()]
            faults = sum(row.faults for row in by_entrant[entrant].values())
            keys[entrant] = (points[entrant], _mean_of(met), scores[entrant], Fraction(-faults))
    return [
        _overall_row(entrant, place, reason, points[entrant], scores[entrant], by_entrant[entrant])
        for entrant, place, reason in _ranked(keys, _CRITERIA)
    ]


def _means(
    by_entrant: Mapping[int, Mapping[int, Row]], events: int
) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
    """Return the mean points and the mean score of each entrant over so many events."""
    points, scores = {}, {}
    for entrant, rows in by_entrant.items():
        points[entrant] = sum((row.points for row in rows.values()), Fraction(0)) / events
        scores[entrant] = sum((row.mean_score for row in rows.values()), Fraction(0)) / events
    return points, scores


def _overall_row(
    entrant: int, place: int, reason: str, points: Fraction, mean_score: Fraction, rows: Mapping[int, Row]
) -> OverallRow:
    return OverallRow(
        entrant=entrant,
        place=place,
        points=points,
        mean_score=mean_score,
        matches=sum(row.matches for row in rows.values()),
        wins=sum(row.wins for row in rows.values()),
        faults=sum(row.faults for row in rows.values()),
        forfeits=sum(row.forfeits for row in rows.values()),
        places={index: row.place for index, row in sorted(rows.items())},
        reason=reason,
    )


def _mean(total: int, count: int) -> Fraction:
    return Fraction(total, count) if count else Fraction(0)


def _mean_of(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


def _tied_sets(points: Mapping[int, Fraction]) -> list[list[int]]:
    """Return the entrants in sets of equal points, best set first."""
    key: Callable[[int], Fraction] = points.__getitem__
    ordered = sorted(sorted(points), key=key, reverse=True)
    return [list(tied) for _, tied in groupby(ordered, key=key)]


def _head_to_head(entrant: int, tied: Sequence[int], duels: Duels) -> Fraction:
    """Return the share of half-wins (0 to 1) of `entrant` in its meetings with the tied set."""
    won = met = 0
    for other in tied:
        duel = duels.get((min(entrant, other), max(entrant, other)))
        if other == entrant or duel is None:
            continue
        met += 2 * duel.matches
        won += duel.points if entrant < other else 2 * duel.matches - duel.points
    return _mean(won, met)


def _ranked(keys: Mapping[int, _Key], criteria: _Criteria) -> list[tuple[int, int, str]]:
    """Return (entrant, place, reason) best first; equal keys share the better place, in order of entry."""
    ordered = sorted(sorted(keys), key=keys.__getitem__, reverse=True)
    ranked = []
    place = 1
    for position, entrant in enumerate(ordered, start=1):
        if position == 1 or keys[entrant] != keys[ordered[position - 2]]:
            place = position
        following = keys[ordered[position]] if position < len(ordered) else None
        ranked.append((entrant, place, _reason(keys[entrant], following, criteria)))
    return ranked


def _reason(key: _Key, following: _Key | None, criteria: _Criteria) -> str:
    """Say what puts a row ahead of the next one."""
    if following is None:
        return ""
    for name, own, other in zip(criteria, key, following, strict=True):
        if own != other:
            return f"ahead by {name}: {_shown(own)} to {_shown(other)}"
    return "shares the place: equal in " + ", ".join(criteria)


def _shown(value: Fraction) -> str:
    """Return a number for people; what counts faults is negated inside, so that more is better."""
    number = abs(value) if value.denominator == 1 and value < 0 else value
    return str(number) if number.denominator == 1 else f"{float(number):.4f}"
