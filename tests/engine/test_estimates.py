"""Estimates: what of ratings and intervals is shown with standings."""

from dataclasses import asdict

from engine import estimates
from engine.intervals import UnitSum, UnitSums, mean_intervals, point_intervals
from engine.ratings import EventSums, rate
from engine.standings import Duel, Estimate, Totals, event_rows


def event(*half_wins: tuple[int, int, int]) -> EventSums:
    """Return an event of three entrants who meet in pairs; a unit is 4 matches with each other."""
    rows = [
        UnitSum(unit=unit, entrant=entrant, matches=8, points=won)
        for unit, of_all in enumerate(half_wins)
        for entrant, won in enumerate(of_all)
    ]
    units = len(half_wins)
    duels = {pair: Duel(matches=4 * units, points=5 * units) for pair in ((0, 1), (0, 2), (1, 2))}
    return EventSums(duels=duels, units=UnitSums.of(rows, 2))


TWELVE = event(*[(10, 8, 6), (12, 8, 4), (8, 8, 8), (11, 7, 6)] * 3)


def test_an_estimate_is_the_rating_and_its_interval_rounded() -> None:
    found = estimates.of_event(TWELVE, [0, 1, 2])
    exact, points = rate([TWELVE], [0, 1, 2]), point_intervals(TWELVE.units)
    for entrant, one in found.items():
        rating, interval = exact[entrant], exact[entrant].interval
        assert interval is not None
        assert one == Estimate(
            rating=round(rating.rating, 1),
            rating_low=round(interval.low, 1),
            rating_high=round(interval.high, 1),
            points_low=round(points[entrant].low, 4),
            points_high=round(points[entrant].high, 4),
        )


def test_a_filler_counts_in_the_fit_and_has_no_estimate() -> None:
    found = estimates.of_event(TWELVE, [0, 1])
    assert set(found) == {0, 1}
    assert found[0] == estimates.of_event(TWELVE, [0, 1, 2])[0]


def test_one_who_has_not_played_has_no_estimate() -> None:
    assert set(estimates.of_event(TWELVE, [0, 7])) == {0}
    assert estimates.of_event(EventSums(duels={}, units=UnitSums.of([], 2)), [0, 1]) == {}


def test_one_deal_gives_a_rating_without_intervals() -> None:
    (one,) = estimates.of_event(event((10, 8, 6)), [0]).values()
    assert one.rating is not None
    assert [value for name, value in asdict(one).items() if name != "rating"] == [None] * 4


def test_an_event_of_one_deal_leaves_nothing_certain_overall() -> None:
    (one,) = estimates.overall([TWELVE, event((10, 8, 6))], [0]).values()
    assert (one.rating_low, one.points_low) == (None, None)
    nothing = EventSums(duels={}, units=UnitSums.of([], 2))
    (other,) = estimates.overall([TWELVE, nothing], [0]).values()
    assert other.rating_low is not None


def test_the_interval_over_events_lies_around_the_mean_and_is_narrower_than_that_of_each() -> None:
    (alone,) = [mean_intervals([TWELVE.units])[0]]
    both = mean_intervals([TWELVE.units, TWELVE.units])[0]
    middle = float(TWELVE.units.mean_points()[0])
    for interval in (alone, both):
        assert abs((interval.low + interval.high) / 2 - middle) < 1e-12
    assert both.high - both.low < alone.high - alone.low
    bootstrap = point_intervals(TWELVE.units)[0]
    assert abs((bootstrap.high - bootstrap.low) / (alone.high - alone.low) - 1) < 0.15


def test_an_event_that_was_not_played_counts_as_0_points() -> None:
    middle = float(TWELVE.units.mean_points()[0]) / 2
    interval = mean_intervals([TWELVE.units, UnitSums.of([], 2)])[0]
    assert abs((interval.low + interval.high) / 2 - middle) < 1e-12


def test_rows_keep_what_they_are_and_get_their_estimates() -> None:
    rows = event_rows({0: Totals(matches=8, points=10), 1: Totals(matches=8, points=8)}, {}, 2)
    sure = estimates.attached(rows, estimates.of_event(TWELVE, [0]))
    assert (sure[0].entrant, sure[0].points, sure[0].reason) == (0, rows[0].points, rows[0].reason)
    assert sure[0].rating is not None
    assert sure[1] == rows[1]
