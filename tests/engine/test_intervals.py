"""Intervals and separation: published values, simulated coverage and errors, and edges."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from support.simulated import simulated_event

from engine.intervals import (
    Interval,
    UnitSum,
    UnitSums,
    is_separated,
    looks,
    pocock_limit,
    point_intervals,
    student_quantile,
    unit_of,
)

GOLDEN_INTERVAL = Interval(0.4166666666666667, 0.8541666666666666)


def two(points: Sequence[float], matches: int = 2) -> UnitSums:
    """Return two entrants that met so many times in each deal; `points` are half-wins of the first."""
    first = np.array(points, dtype=np.float64)
    table = np.stack([first, 2 * matches - first], axis=1)
    return UnitSums(entrants=(0, 1), sides=2, matches=np.full(table.shape, float(matches)), points=table)


@pytest.mark.parametrize(
    ("probability", "degrees", "value"),
    [(0.975, 1, 12.706), (0.975, 2, 4.303), (0.975, 11, 2.201), (0.995, 30, 2.750), (0.95, 120, 1.658)],
)
def test_student_quantiles_are_those_of_the_tables(probability: float, degrees: int, value: float) -> None:
    assert student_quantile(probability, degrees) == pytest.approx(value, abs=5e-4)


@pytest.mark.parametrize(("number", "limit"), [(1, 1.960), (2, 2.178), (5, 2.413), (10, 2.555), (20, 2.672)])
def test_limits_are_those_that_pocock_published(number: int, limit: float) -> None:
    assert pocock_limit(number, 0.95) == pytest.approx(limit, abs=6e-4)


def test_sums_are_put_together_in_any_order() -> None:
    rows = [
        UnitSum(unit=unit, entrant=entrant, matches=2, points=unit + entrant)
        for unit in range(3)
        for entrant in (4, 7)
    ]
    sums = UnitSums.of(rows[::-1] + rows, 2)
    assert sums.entrants == (4, 7)
    assert sums.matches.tolist() == [[4, 4]] * 3
    assert sums.points.tolist() == [[8, 14], [10, 16], [12, 18]]
    assert sums.mean_points().tolist() == [30 / 24, 48 / 24]


def test_many_deals_share_64_units_evenly() -> None:
    units = np.bincount([unit_of(deal) for deal in range(1000)])
    assert len(units) == 64
    assert units.max() - units.min() <= 1
    assert [unit_of(deal) for deal in range(64)] == list(range(64))


def test_an_interval_is_the_same_every_time_and_ignores_the_order_of_entry() -> None:
    points = [3, 4, 1, 2, 4, 4, 0, 2, 3, 4, 3, 1]
    found = point_intervals(two(points))
    assert found == point_intervals(two(points))
    assert found[0] == GOLDEN_INTERVAL
    assert found[1].low == pytest.approx(1 - found[0].high)
    assert found[1].high == pytest.approx(1 - found[0].low)


def test_deals_without_luck_have_no_width() -> None:
    assert point_intervals(two([3] * 12))[0] == Interval(0.75, 0.75)


def test_one_deal_says_nothing() -> None:
    assert point_intervals(two([4])) == {}
    assert not is_separated(two([4]), top=1, confidence=0.95)
    assert not is_separated(UnitSums.of([], 2), top=1, confidence=0.95)


@pytest.mark.parametrize(("entrants", "sides", "deals"), [(6, 3, 12), (8, 2, 60)])
def test_intervals_hold_the_truth_as_often_as_they_say(entrants: int, sides: int, deals: int) -> None:
    strengths = np.linspace(-1, 1, entrants)
    tables = list(combinations(range(entrants), sides))
    beats = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    truth = (beats.sum(axis=1) - 0.5) / (entrants - 1)
    held, runs = 0, 200
    for seed in range(runs):
        played = simulated_event(strengths, tables, deals=deals, shared=0.5, seed=seed)
        found = point_intervals(played.sums().units)
        held += sum(found[number].low <= truth[number] <= found[number].high for number in range(entrants))
    assert 0.93 <= held / (runs * entrants) <= 0.97


def test_all_50_looks_are_even_and_the_last_is_the_end() -> None:
    assert looks(4) == (0, 1, 2, 3)
    many = looks(1001)
    assert (len(many), many[-1]) == (50, 1000)
    assert {20, 21} >= set(np.diff(many).tolist())


def test_a_clear_lead_is_separated_and_a_tie_is_not() -> None:
    clear = [4, 3, 4, 4, 2, 4, 3, 4, 4, 4, 3, 4]
    assert is_separated(two(clear), top=1, confidence=0.95)
    assert is_separated(two([4 - points for points in clear]), top=1, confidence=0.95)
    assert not is_separated(two([2] * 12), top=1, confidence=0.95)
    assert not is_separated(two([4, 0] * 6), top=1, confidence=0.95)


def test_deals_that_are_all_alike_are_not_certain_at_once() -> None:
    assert not is_separated(two([4, 4, 4]), top=1, confidence=0.95)
    assert is_separated(two([4] * 12), top=1, confidence=0.95, looks=20)


def test_more_looks_and_more_confidence_ask_for_more() -> None:
    points = [4, 3, 1, 4, 2, 4, 2, 3, 4, 2, 3, 1]
    assert is_separated(two(points), top=1, confidence=0.95)
    assert not is_separated(two(points), top=1, confidence=0.95, looks=20)
    assert not is_separated(two(points), top=1, confidence=0.999)


def test_every_named_place_counts_and_no_other() -> None:
    strengths = np.array([3.0, 1.5, 0.0, 0.0])
    played = simulated_event(strengths, list(combinations(range(4), 2)), deals=64, shared=0.3, seed=2)
    units = played.sums().units
    assert [is_separated(units, top=top, confidence=0.95) for top in (1, 2, 3, 4)] == [
        True,
        True,
        False,
        False,
    ]


def test_looking_at_every_block_keeps_the_error() -> None:
    """Two equals: any stop is an error, so that a rule without the correction would err far more often."""
    rng = np.random.default_rng(11)
    corrected = plain = 0
    for _ in range(600):
        points = (rng.binomial(2, 0.5, size=120) * 2.0).tolist()
        seen = [two(points[: 12 * (look + 1)]) for look in range(10)]
        corrected += any(is_separated(sums, top=1, confidence=0.95, looks=10) for sums in seen)
        plain += any(is_separated(sums, top=1, confidence=0.95) for sums in seen)
    assert corrected / 600 < 0.07
    assert plain / 600 > 0.12
