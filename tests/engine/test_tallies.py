"""Tallies: what single matches add up to, counted by hand."""

from hypothesis import given
from hypothesis import strategies as st

from engine.intervals import UnitSum
from engine.standings import Duel, Totals
from engine.tallies import Tally


def test_a_match_counts_for_every_side_once() -> None:
    tally = Tally((0, 1, 2))
    tally.add((5, 3, 4), scores=(9, 9, 1), places=(1, 1, 3), forfeits=(), fault_seats=[2, 2])
    assert tally.totals() == {
        3: Totals(matches=1, wins=0, points=3, score=9),
        4: Totals(matches=1, wins=0, points=0, score=1, faults=2),
        5: Totals(matches=1, wins=0, points=3, score=9),
    }
    assert tally.duels() == {
        (3, 4): Duel(matches=1, points=2),
        (3, 5): Duel(matches=1, points=1),
        (4, 5): Duel(matches=1, points=0),
    }


def test_team_mates_count_as_one_side() -> None:
    tally = Tally((0, 1, 0, 1))
    tally.add((7, 2, 7, 2), scores=(4, 5, 4, 5), places=(2, 1, 2, 1), forfeits=(), fault_seats=[0, 2])
    assert tally.totals() == {
        2: Totals(matches=1, wins=1, points=2, score=5),
        7: Totals(matches=1, wins=0, points=0, score=4, faults=2),
    }
    assert tally.duels() == {(2, 7): Duel(matches=1, points=2)}


def test_when_all_forfeit_nobody_gains_on_anybody() -> None:
    tally = Tally((0, 1))
    tally.add((0, 1), scores=(3, 1), places=(1, 1), forfeits=(0, 1), fault_seats=[0, 0, 0, 1, 1, 1])
    assert tally.totals() == {
        0: Totals(matches=1, score=3, faults=3, forfeits=1),
        1: Totals(matches=1, score=1, faults=3, forfeits=1),
    }
    assert tally.duels() == {}


def test_units_count_every_side_once_in_the_unit_of_the_deal() -> None:
    tally = Tally((0, 1, 0, 1))
    for unit, places in ((3, (2, 1, 2, 1)), (3, (1, 1, 1, 1)), (1, (1, 2, 1, 2))):
        tally.add((7, 2, 7, 2), unit=unit, scores=(0,) * 4, places=places, forfeits=(), fault_seats=())
    assert tally.units() == [
        UnitSum(unit=1, entrant=2, matches=1, points=0),
        UnitSum(unit=1, entrant=7, matches=1, points=2),
        UnitSum(unit=3, entrant=2, matches=2, points=3),
        UnitSum(unit=3, entrant=7, matches=2, points=1),
    ]


@given(st.lists(st.tuples(st.permutations((0, 1, 2)), st.sets(st.sampled_from((0, 1, 2)))), max_size=20))
def test_no_share_of_the_matches_exceeds_all_of_them(matches: list[tuple[list[int], set[int]]]) -> None:
    tally = Tally((0, 1, 2))
    for entrants, forfeits in matches:
        places = [3 if seat in forfeits else 1 for seat in range(3)]
        scores = [0, 0, 0]
        tally.add(entrants, scores=scores, places=places, forfeits=sorted(forfeits), fault_seats=[0, 0])
    for entrant, totals in tally.totals().items():
        assert totals.matches == sum(entrant in entrants for entrants, _ in matches)
        assert 0 <= totals.wins <= totals.matches
        assert 0 <= totals.forfeits <= totals.matches
        assert 0 <= totals.points <= totals.matches * 4
    for duel in tally.duels().values():
        assert 0 <= duel.points <= 2 * duel.matches
