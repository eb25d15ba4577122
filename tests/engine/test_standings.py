"""Standings: points, ties and the chain of tie-breaks."""

from fractions import Fraction

from engine.standings import Duel, Totals, event_rows, overall_rows


def totals(points: int, *, matches: int = 10, score: int = 0, faults: int = 0) -> Totals:
    return Totals(matches=matches, wins=points // 2, points=points, score=score, faults=faults)


def places(
    table: dict[int, Totals], duels: dict[tuple[int, int], Duel] | None = None
) -> list[tuple[int, int]]:
    return [(row.entrant, row.place) for row in event_rows(table, duels or {}, 2)]


def test_more_points_a_match_come_first_whatever_the_number_of_matches() -> None:
    table = {0: totals(10, matches=10), 1: totals(12, matches=20), 2: totals(30, matches=20)}
    rows = event_rows(table, {}, 2)
    assert [(row.entrant, row.place, row.points) for row in rows] == [
        (2, 1, Fraction(3, 4)),
        (0, 2, Fraction(1, 2)),
        (1, 3, Fraction(3, 10)),
    ]
    assert rows[0].reason == "ahead by points: 0.7500 to 0.5000"
    assert rows[-1].reason == ""


def test_equal_in_everything_share_the_better_place() -> None:
    table = {0: totals(10), 1: totals(10), 2: totals(4)}
    assert places(table) == [(0, 1), (1, 1), (2, 3)]
    assert event_rows(table, {}, 2)[0].reason.startswith("shares the place")


def test_head_to_head_counts_all_matches_within_the_tied_set() -> None:
    table = {0: totals(10, score=99), 1: totals(10), 2: totals(10), 3: totals(2)}
    duels = {
        (0, 1): Duel(matches=4, points=2),
        (0, 2): Duel(matches=4, points=5),
        (1, 2): Duel(matches=4, points=1),
        (0, 3): Duel(matches=4, points=8),  # outside of the tied set: does not count
    }
    rows = event_rows(table, duels, 2)  # shares of 16 half-wins: 0 has 7, 1 has 7, 2 has 10; then mean score
    assert [(row.entrant, row.place) for row in rows] == [(2, 1), (0, 2), (1, 3), (3, 4)]
    assert rows[0].reason == "ahead by head-to-head: 0.6250 to 0.4375"
    assert rows[1].reason == "ahead by mean score: 9.9000 to 0"


def test_then_mean_score_then_fewer_faults() -> None:
    assert places({0: totals(10, score=1), 1: totals(10, score=2)}) == [(1, 1), (0, 2)]
    assert places({0: totals(10, faults=3), 1: totals(10, faults=1)}) == [(1, 1), (0, 2)]
    assert event_rows({0: totals(10, faults=3), 1: totals(10, faults=1)}, {}, 2)[0].reason == (
        "ahead by fewer faults: 1 to 3"
    )


def test_an_entrant_without_a_match_has_zeros_and_comes_last() -> None:
    rows = event_rows({0: Totals(), 1: totals(2)}, {}, 2)
    assert [(row.entrant, row.points, row.mean_score) for row in rows] == [
        (1, Fraction(1, 10), 0),
        (0, 0, 0),
    ]


def test_overall_weighs_every_event_the_same() -> None:
    long = event_rows({0: totals(200, matches=100), 1: totals(0, matches=100)}, {}, 2)
    short = event_rows({0: totals(0, matches=1), 1: totals(2, matches=1), 2: totals(1, matches=1)}, {}, 2)
    rows = overall_rows({0: long, 1: short}, {0: {}, 1: {}})
    assert [(row.entrant, row.place, row.points) for row in rows] == [
        (0, 1, Fraction(1, 2)),
        (1, 1, Fraction(1, 2)),
        (2, 3, Fraction(1, 4)),
    ]
    assert rows[0].places == {0: 1, 1: 3}
    assert rows[2].places == {1: 2}


def test_overall_ties_are_broken_by_their_meetings() -> None:
    event = event_rows({0: totals(10), 1: totals(10)}, {}, 2)
    duels = {(0, 1): Duel(matches=10, points=9)}
    rows = overall_rows({0: event}, {0: duels})
    assert [(row.entrant, row.place) for row in rows] == [(1, 1), (0, 2)]


def test_overall_ties_are_then_broken_by_the_mean_score_and_by_fewer_faults() -> None:
    event = event_rows({0: totals(10, score=3), 1: totals(10, score=5), 2: totals(10, score=5)}, {}, 2)
    other = event_rows({0: totals(10), 1: totals(10, faults=1), 2: totals(10)}, {}, 2)
    rows = overall_rows({0: event, 1: other}, {})
    assert [(row.entrant, row.place, row.mean_score) for row in rows] == [
        (2, 1, Fraction(1, 4)),
        (1, 2, Fraction(1, 4)),
        (0, 3, Fraction(3, 20)),
    ]
    assert [row.reason for row in rows] == [
        "ahead by fewer faults: 0 to 1",
        "ahead by mean score: 0.2500 to 0.1500",
        "",
    ]
