"""The showdown of sutda against docs/games/sutda.md §4 and its slow twin."""

from collections import Counter
from itertools import combinations

from support import twin_sutda

from engine.cards.sutda_showdown import (
    MULTIPLIER,
    NUMBER_OF,
    PACK,
    STRENGTH,
    chance_with_first_card,
    chance_with_hand,
)


def hand(text: str) -> tuple[int, int]:
    """Return a hand written as two codes."""
    one, two = text.split()
    return NUMBER_OF[one], NUMBER_OF[two]


def test_every_hand_ranks_as_the_slow_twin_says() -> None:
    hands = list(combinations(PACK, 2))
    rank = {one: -twin_sutda.RANKING.index(twin_sutda.name_of(one)) for one in hands}
    strength = {one: STRENGTH[NUMBER_OF[one[0]]][NUMBER_OF[one[1]]] for one in hands}
    for one in hands:
        assert MULTIPLIER[strength[one]] == twin_sutda.multiplier_of(one)
        for two in hands:
            assert (strength[one] > strength[two]) == (rank[one] > rank[two])


def test_the_counts_of_all_190_hands() -> None:
    names = Counter(twin_sutda.name_of(one) for one in combinations(PACK, 2))
    strengths = Counter(STRENGTH[one][two] for one, two in combinations(range(20), 2))
    assert sorted(names.values()) == sorted(strengths.values())
    assert sum(names.values()) == 190
    assert [strengths[strength] for strength in range(26, 9, -1)] == [1] + [1] * 10 + [4, 4, 4, 4, 2, 4]
    assert sum(strengths[points] for points in range(10)) == 157
    by_multiplier = Counter(MULTIPLIER[STRENGTH[one][two]] for one, two in combinations(range(20), 2))
    assert by_multiplier == {10: 1, 5: 1, 3: 9, 1: 179}


def test_b3_hands_in_order() -> None:
    order = [
        "8-moon 8-k1", "3-curtain 3-k1", "1-k1 1-k2", "1-k1 2-k1", "1-k1 4-k1", "10-k1 4-k1", "10-k1 1-k1",
        "1-k1 8-k1", "6-k1 4-k1", "1-k1 8-moon", "7-k1 10-k1", "4-k1 9-k1", "5-k1 6-k1", "1-k1 9-k1",
    ]  # fmt: skip
    strengths = [STRENGTH[one][two] for one, two in map(hand, order)]
    assert strengths == sorted(strengths, reverse=True)
    assert len(set(strengths)) == len(order)
    for one, two in (
        ("1-k1 8-moon", "9-k1 10-k1"),
        ("5-k1 6-k1", "3-curtain 8-k1"),
        ("1-k1 9-k1", "3-k1 7-k1"),
    ):
        assert STRENGTH[hand(one)[0]][hand(one)[1]] == STRENGTH[hand(two)[0]][hand(two)[1]]
    points = {"1-k1 8-moon": 9, "7-k1 10-k1": 7, "4-k1 9-k1": 3, "5-k1 6-k1": 1, "1-k1 9-k1": 0}
    assert {text: STRENGTH[hand(text)[0]][hand(text)[1]] for text in points} == points


def test_chances_rise_with_the_hand_and_fall_with_the_rivals() -> None:
    assert chance_with_first_card(NUMBER_OF["10-k1"], 1) > chance_with_first_card(NUMBER_OF["3-k1"], 1)
    assert chance_with_first_card(NUMBER_OF["10-k1"], 3) < chance_with_first_card(NUMBER_OF["10-k1"], 1)


def test_the_chance_of_a_hand_counts_the_second_cards_that_are_not_seen() -> None:
    # Beside 8-moon, of the 17 unseen cards only 3-curtain beats a pair of tens, and no card ties with it.
    assert chance_with_hand(hand("10-k1 10-k2"), [NUMBER_OF["8-moon"]], [NUMBER_OF["8-moon"]]) == 16 / 17
