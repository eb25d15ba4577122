"""Ratings: against choix, against the truth of simulated tournaments, and where there is little to go by."""

from itertools import combinations
from math import isfinite
from time import perf_counter

import choix
import numpy as np
import pytest
from support.simulated import simulated_event, simulated_meetings

from engine.intervals import Floats, Interval, UnitSums
from engine.ratings import SCALE, EventSums, Meetings, Rating, rate, rate_meetings
from engine.standings import Duel


def duel(matches: int, points: int) -> Duel:
    return Duel(matches=matches, points=points)


def event(duels: dict[tuple[int, int], Duel], points: list[list[float]], sides: int = 2) -> EventSums:
    table = np.array(points, dtype=np.float64)
    matches = np.full_like(table, table.max() / 2 if table.max() else 1)
    units = UnitSums(entrants=tuple(range(table.shape[1])), sides=sides, matches=matches, points=table)
    return EventSums(duels=duels, units=units)


def meetings(*rows: tuple[int, int, int, float, float], weight: float = 1.0) -> Meetings:
    columns = np.array(rows, dtype=np.float64).T
    cluster, first, second = columns[:3].astype(np.int64)
    return Meetings(
        cluster=cluster,
        first=first,
        second=second,
        matches=columns[3],
        points=columns[4],
        weight=np.full(len(rows), weight),
    )


def strengths(ratings: dict[int, Rating]) -> Floats:
    return np.array([(ratings[number].rating - 1500) / SCALE for number in sorted(ratings)])


def interval(rating: Rating) -> Interval:
    assert rating.interval is not None
    return rating.interval


def test_equal_to_choix_within_a_millionth_on_untied_results() -> None:
    rng = np.random.default_rng(7)
    truth = rng.normal(size=9)
    data = []
    for _ in range(3000):
        one, other = rng.choice(9, size=2, replace=False)
        wins = rng.random() < 1 / (1 + np.exp(truth[other] - truth[one]))
        data.append((int(one), int(other)) if wins else (int(other), int(one)))
    expected = choix.opt_pairwise(9, data, alpha=0.005, tol=1e-12)  # its prior: variance 1 / (2 alpha)
    rows = [(number, won, lost, 1, 2) for number, (won, lost) in enumerate(data)]
    found = strengths(rate_meetings(meetings(*rows), 9, ridge=0.01))
    assert np.abs(found - found.mean() - (expected - expected.mean())).max() < 1e-6
    ilsr = choix.ilsr_pairwise(9, data, alpha=0, tol=1e-10)
    found = strengths(rate_meetings(meetings(*rows), 9, ridge=0))
    assert np.abs(found - found.mean() - (ilsr - ilsr.mean())).max() < 1e-6


def test_a_share_of_ten_elevenths_is_four_hundred() -> None:
    ratings = rate([event({(0, 1): duel(1100, 2000)}, [[1000, 100], [1000, 100]])], range(2))
    assert ratings[0].rating - ratings[1].rating == pytest.approx(400, abs=0.1)
    assert ratings[0].rating + ratings[1].rating == pytest.approx(3000)


def test_ties_are_half_wins() -> None:
    tied = rate_meetings(meetings((0, 0, 1, 10, 10), (1, 1, 2, 10, 10), (2, 0, 2, 10, 10)), 3)
    assert strengths(tied) == pytest.approx([0, 0, 0])
    halves = rate_meetings(meetings((0, 0, 1, 2, 4), (1, 0, 1, 2, 0)), 2)
    assert strengths(halves) == pytest.approx([0, 0])


def test_the_order_of_results_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    rows = [(n, *sorted(rng.choice(6, 2, replace=False)), 1, float(rng.integers(3))) for n in range(300)]
    first = rate_meetings(meetings(*rows), 6)
    rng.shuffle(rows)
    again = rate_meetings(meetings(*rows), 6)
    for number in range(6):
        assert again[number].rating == pytest.approx(first[number].rating, abs=1e-8)
        assert interval(again[number]).low == pytest.approx(interval(first[number]).low, abs=1e-8)


def test_sums_give_what_the_meetings_themselves_give() -> None:
    tables = list(combinations(range(6), 3))
    played = simulated_event(np.linspace(-1, 1, 6), tables, deals=20, shared=0.5, seed=1)
    sums = rate([played.sums()], range(6))
    exact = rate_meetings(played.meetings(), 6)
    for number in range(6):
        assert sums[number].rating == pytest.approx(exact[number].rating, abs=1e-6)
        assert interval(sums[number]).low == pytest.approx(interval(exact[number]).low, abs=0.05)


@pytest.mark.parametrize("ties", [False, True], ids=["untied", "ties"])
@pytest.mark.parametrize(("entrants", "sides", "deals"), [(8, 2, 12), (7, 4, 12), (8, 3, 60)])
def test_intervals_hold_the_truth_as_often_as_they_say(
    entrants: int, sides: int, deals: int, ties: bool
) -> None:
    """Half of the matches of a deal have its luck in common, so that matches are far from independent."""
    strength = np.linspace(-1, 1, entrants)
    tables = list(combinations(range(entrants), sides))
    many = simulated_event(strength, tables, deals=3000, shared=0, seed=99, ties=ties)
    truth = strengths(rate([many.sums()], range(entrants)))
    held, runs = 0, 150
    for seed in range(runs):
        played = simulated_event(strength, tables, deals=deals, shared=0.5, seed=seed, ties=ties)
        ratings = rate([played.sums()], range(entrants))
        for number, of_truth in enumerate(truth):
            found = interval(ratings[number])
            held += found.low <= 1500 + SCALE * of_truth <= found.high
    assert 0.93 <= held / (runs * entrants) <= 0.97


def test_every_event_weighs_the_same_over_all() -> None:
    long = event({(0, 1): duel(1000, 1500)}, [[750, 250], [750, 250]])
    short = event({(0, 1): duel(10, 5)}, [[2, 8], [3, 7]])
    ratings = rate([long, short], range(2))
    assert ratings[0].rating == pytest.approx(1500)
    assert rate([short, long], range(2))[0].rating == pytest.approx(ratings[0].rating)


def test_fillers_are_opponents_but_not_rated() -> None:
    duels = {(0, 1): duel(10, 10), (0, 9): duel(10, 20), (1, 9): duel(10, 15)}
    ratings = rate([rated_with_filler(duels)], range(2))
    assert sorted(ratings) == [0, 1]
    assert ratings[0].rating > ratings[1].rating > 1500


def rated_with_filler(duels: dict[tuple[int, int], Duel]) -> EventSums:
    points = np.array([[16.0, 12, 2], [14, 13, 3]])
    units = UnitSums(entrants=(0, 1, 9), sides=2, matches=np.full((2, 3), 10.0), points=points)
    return EventSums(duels=duels, units=units)


@pytest.mark.parametrize(
    "rows",
    [
        [(0, 0, 1, 10**9, 2 * 10**9)],  # undefeated
        [(0, 0, 1, 10**6, 2 * 10**6), (1, 1, 2, 10**6, 2 * 10**6), (2, 2, 3, 10**6, 2 * 10**6)],
        [(0, 0, 1, 5, 7), (1, 2, 3, 5, 3)],  # two fields that never met
        [(0, 0, 1, 1, 1)],
    ],
)
def test_extreme_results_give_finite_ratings(rows: list[tuple[int, int, int, float, float]]) -> None:
    ratings = rate_meetings(meetings(*rows), 5)
    assert all(isfinite(rating.rating) for rating in ratings.values())
    for rating in ratings.values():
        assert rating.interval is None or rating.interval.low < rating.rating < rating.interval.high


def test_who_never_met_a_match_or_anyone_is_most_uncertain() -> None:
    rows = [(deal, 0, 1, 1, float(deal % 3)) for deal in range(30)]
    ratings = rate_meetings(meetings(*rows), 3)
    widths = [interval(rating).high - interval(rating).low for rating in ratings.values()]
    assert widths[2] > 5 * max(widths[:2])


def test_no_interval_before_two_deals() -> None:
    assert rate_meetings(meetings((0, 0, 1, 4, 5)), 2)[0].interval is None
    assert rate_meetings(meetings((0, 0, 1, 4, 5), (1, 0, 1, 4, 2)), 2)[0].interval is not None


def test_nobody_played() -> None:
    nothing = EventSums(duels={}, units=UnitSums.of([], 2))
    assert rate([nothing], range(3))[1] == Rating(rating=1500.0, interval=None)
    assert rate([], []) == {}


def test_a_hundred_thousand_matches_take_under_half_a_second() -> None:
    many = simulated_meetings(np.linspace(-1, 1, 20), matches=100_000, sides=4, seed=5)
    fastest = min(timed(many) for _ in range(3))
    assert fastest < 0.5


def timed(many: Meetings) -> float:
    start = perf_counter()
    rate_meetings(many, 20)
    return perf_counter() - start
