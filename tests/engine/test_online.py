"""Online ratings: published pitfalls, ties, teams, order, extremes."""

from itertools import permutations
from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.online import MOST_MU, Skill, after_match, update

NEW = Skill()
skills = st.builds(Skill, mu=st.floats(-100, 150), sigma=st.floats(0.5, 9))


def mus(after: list[tuple[Skill, ...]]) -> list[float]:
    return [round(team[0].mu, 2) for team in after]


def test_the_winner_gains_what_the_loser_loses_and_both_are_surer() -> None:
    (winner,), (loser,) = update([[NEW], [NEW]], [1, 2])
    assert winner.mu - NEW.mu == pytest.approx(NEW.mu - loser.mu)
    assert winner.mu > NEW.mu
    assert winner.sigma == loser.sigma < NEW.sigma
    assert winner.order > NEW.order


def test_joint_winners_gain_alike_and_more_than_the_third() -> None:
    """Five equals placed 1, 1, 3, 4, 5: the figures with which openskill's issues 173 and 201 are avoided."""
    assert mus(update([[NEW]] * 5, [1, 1, 3, 4, 5])) == [26.98, 26.98, 25.0, 23.68, 22.36]


def test_a_tie_of_equals_moves_nobody() -> None:
    after = update([[NEW]] * 4, [1, 1, 1, 1])
    assert mus(after) == [NEW.mu] * 4
    assert all(team[0].sigma < NEW.sigma for team in after)


@given(st.lists(skills, min_size=2, max_size=5), st.data())
def test_the_order_in_which_the_teams_are_listed_does_not_matter(
    field: list[Skill], data: st.DataObject
) -> None:
    places = data.draw(st.lists(st.integers(1, 3), min_size=len(field), max_size=len(field)))
    straight = update([[one] for one in field], places)
    for order in permutations(range(len(field))):
        shuffled = update([[field[team]] for team in order], [places[team] for team in order])
        assert [shuffled[order.index(team)] for team in range(len(field))] == straight


def test_tied_teams_of_the_same_bots_get_the_same_ratings() -> None:
    strong, weak = Skill(mu=30, sigma=4), Skill(mu=20, sigma=4)
    first, second, last = update([[strong, weak], [strong, weak], [weak, weak]], [1, 1, 3])
    assert first == second
    assert first[0].mu > strong.mu
    assert last[0].mu < weak.mu


def test_a_team_is_as_strong_as_the_sum_of_its_members() -> None:
    strong, weak = Skill(mu=30, sigma=4), Skill(mu=20, sigma=4)
    even = update([[strong, weak], [weak, strong]], [1, 2])
    favourite = update([[strong, strong], [weak, weak]], [1, 2])
    assert favourite[0][0].mu - strong.mu < even[0][0].mu - strong.mu


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.sampled_from([(1, 2), (1, 1), (2, 1)]))
def test_extreme_gaps_give_numbers(one: float, other: float, places: tuple[int, int]) -> None:
    bounded = [Skill(mu=max(-MOST_MU, min(MOST_MU, mu))) for mu in (one, other)]
    for (skill,) in update([[one] for one in bounded], places):
        assert isfinite(skill.mu)
        assert abs(skill.mu) <= MOST_MU
        assert 0 < skill.sigma <= 9


def test_another_version_is_as_strong_and_as_uncertain_as_a_newcomer() -> None:
    assert Skill(mu=31.0, sigma=1.5).renewed() == Skill(mu=31.0, sigma=NEW.sigma)


def test_fillers_neither_move_nor_are_moved() -> None:
    before = {4: NEW, 7: NEW}
    after = after_match(before, (4, 9, 7), (2, 1, 3))
    (winner,), (loser,) = update([[NEW], [NEW]], [2, 3])
    assert after == {4: winner, 7: loser}
    assert after_match({4: NEW}, (4, 9), (1, 2)) == {4: NEW}
