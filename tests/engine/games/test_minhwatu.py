"""The rules of minhwatu, paragraph by paragraph, and its page docs/games/minhwatu.md."""

import statistics

import pytest
from support.flower_matches import (
    EXAMPLE_SEED,
    A,
    B,
    C,
    check_against_twin,
    check_knowledge,
    first_in_phase,
    lead_over_random,
    page_examples,
    play,
    positions,
    rest,
    result,
    start,
    tree,
    twin_tree,
)
from support.twins_hanafuda import Hand, codes, deal, points

from engine.errors import BadOptions, MatchNotOver
from engine.games import get
from engine.options import OptionValue
from engine.rng import Stream

GAME = get("minhwatu")


def test_the_deal_is_that_of_the_page() -> None:
    observation = start(GAME).observation(2)
    assert observation["hand_sizes"] == [7, 7, 7]
    assert (len(observation["table"]), observation["stock"]) == (6, 21)


def test_a_combination_does_not_end_the_hand() -> None:
    state = start(GAME).laid_out(
        hands=[["1-rib", "5-k1"], ["6-k1"], ["6-k2"]],
        field=["1-k1"],
        stock=["9-k1", "10-k1", "11-gaji"],
        captured=[["2-rib", "3-rib"], [], []],
    )
    observation = play(state, "play:1-rib").observation(1)
    assert observation["combinations"] == [["red"], [], []]
    assert observation["history"][-1] == [0, "draw:9-k1"]
    assert (state.to_move, observation["phase"]) == (1, "play")


def test_d1_card_points_and_one_combination_each() -> None:
    assert [points(pile) for pile in (A, B, C)] == [120, 45, 75]
    assert result(GAME, [A, B, C]) == ([-20, -5, 25], 2)


def test_d2_a_card_serves_in_several_combinations() -> None:
    first = codes("5-bridge 5-rib 5-k1 5-k2 10-deer 10-rib 10-k1 10-k2 6-rib 6-k1 9-rib 9-k1 1-crane 1-k1")
    second = codes("1-rib 1-k2 2-rib 2-k1 3-rib 3-k1 8-moon 8-k1 12-phoenix 12-k1 7-boar 7-k1 4-cuckoo 4-k1")
    piles = [first, second, rest(first, second)]
    assert [points(pile) for pile in piles] == [60, 75, 105]
    assert result(GAME, piles) == ([70, -35, -35], 0)
    state = start(GAME).laid_out(hands=[["1-k1"], [], []], captured=piles)
    assert state.observation(0)["combinations"] == [["iris", "maple", "blue"], ["red"], ["rain"]]
    assert state.observation(0)["card_points"] == [60, 75, 105]


def test_d3_a_tie_makes_the_nearest_to_the_eldest_the_next() -> None:
    first = codes("1-crane 3-curtain 8-moon 2-nightingale 4-cuckoo 6-butterflies 4-rib 6-rib")
    second = codes("12-phoenix 11-rainman 5-bridge 7-boar 8-geese 9-cup 10-deer 2-rib 9-rib")
    piles = [first, second, rest(first, second)]
    assert [points(pile) for pile in piles] == [100, 100, 40]
    assert result(GAME, piles, eldest=2) == ([20, 20, -40], 0)


def test_d4_a_combination_is_paid_by_both_others() -> None:
    first = codes("1-crane 3-curtain 8-moon 2-nightingale 2-rib 6-rib 10-k1")
    second = codes("12-phoenix 11-rainman 5-bridge 6-butterflies 4-rib 5-rib 7-rib 1-rib")
    piles = [first, second, rest(first, second)]
    assert [points(pile) for pile in piles] == [80, 80, 80]
    assert result(GAME, piles) == ([-30, 60, -30], 1)


def test_whole_matches_agree_with_the_slow_twin() -> None:
    for seed in range(40):
        check_against_twin(GAME, b"twin %d" % seed)
    check_against_twin(GAME, b"long", rounds=12)


@pytest.mark.parametrize("options", [{"rounds": 0}, {"rounds": "6"}, {"scale": 80}])
def test_other_options_are_refused(options: dict[str, OptionValue]) -> None:
    with pytest.raises(BadOptions, match=next(iter(options))):
        GAME.new_match(options=options, seed=b"")


def test_hidden_cards_dealt_anew_look_the_same_to_the_seat() -> None:
    check_knowledge(start(GAME, b"hidden", rounds=2), Stream("hidden"))


def test_scores_exist_only_at_the_end_and_sum_to_nothing() -> None:
    state = start(GAME, rounds=2)
    with pytest.raises(MatchNotOver):
        state.placements()
    *_, end = positions(state, Stream("end"))
    assert sum(end.scores()) == 0
    assert end.observation(1)["scores"] == end.scores()
    assert end.observation(1)["last_round"]["end"] == "played"


@pytest.mark.parametrize("example", page_examples(GAME), ids=lambda example: str(example["phase"]))
def test_the_page_shows_what_the_engine_gives(example: dict[str, OptionValue]) -> None:
    assert example == first_in_phase(GAME, str(example["phase"]), {})


def test_the_page_shows_every_phase() -> None:
    assert [example["phase"] for example in page_examples(GAME)] == ["play", "draw", "over"]


def test_the_tree_of_a_deal_has_the_counted_size() -> None:
    expected = [1, 7, 56, 392, 1176]
    assert tree(start(GAME), 4) == expected
    assert twin_tree(lambda: deal({}, EXAMPLE_SEED, 0, 0), 4) == expected


def test_the_tree_of_a_tiny_deal_ends_as_counted() -> None:
    hands = [["4-k2", "1-rib"], ["9-cup", "12-k1"], ["4-cuckoo", "2-k1"]]
    field = ["4-rib", "4-k1", "1-k1", "9-k1", "9-k2", "12-phoenix"]
    stock = ["9-rib", "12-k2", "1-k2", "2-rib", "12-yellow", "3-k1"]
    state = start(GAME, rounds=1).laid_out(hands=hands, field=field, stock=stock)
    assert tree(state, 8) == [1, 3, 6, 12, 28, 32, 32, 32, 0]
    assert twin_tree(lambda: Hand({}, [hand[:] for hand in hands], field[:], stock[:]), 8)[-1] == 0


def test_greedy_beats_random_in_every_seat_of_the_same_deals() -> None:
    leads = lead_over_random(GAME, range(25))
    assert statistics.mean(leads) - 1.96 * statistics.stdev(leads) / len(leads) ** 0.5 > 0


@pytest.mark.slow
def test_greedy_beats_random_over_hundreds_of_deals() -> None:
    leads = lead_over_random(GAME, range(300))
    assert statistics.mean(leads) - 1.96 * statistics.stdev(leads) / len(leads) ** 0.5 > 0
