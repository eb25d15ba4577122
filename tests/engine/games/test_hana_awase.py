"""The rules of hana_awase, paragraph by paragraph, and its page docs/games/hana_awase.md."""

import json
import statistics

import pytest
from support.flower_matches import (
    PAGES,
    A,
    B,
    C,
    check_against_twin,
    check_knowledge,
    first_in_phase,
    lead_over_random,
    legal,
    outcome,
    page_examples,
    play,
    positions,
    rest,
    result,
    start,
    tree,
    twin_tree,
)
from support.twins_hanafuda import Hand, codes, flower

from engine.errors import BadOptions, IllegalAction, MatchNotOver
from engine.games import get
from engine.options import OptionValue
from engine.rng import Stream

GAME = get("hana_awase")
REDS = ["1-rib", "2-rib", "3-rib"]
BLUES = ["6-rib", "9-rib", "10-rib"]
FOUR_BRIGHT = ["1-crane", "3-curtain", "8-moon", "12-phoenix"]
VARIANTS: list[dict[str, OptionValue]] = [
    {"combinations": combinations, "scale": scale, "redeal_hand_four": redeal}
    for combinations in ("classic", "none", "extended")
    for scale in (80, 88)
    for redeal in (False, True)
]


# §2 The deal.


def test_each_seat_gets_seven_cards_the_table_six_and_the_stock_the_rest() -> None:
    observation = start(GAME).observation(1)
    assert observation["hand_sizes"] == [7, 7, 7]
    assert (len(observation["table"]), observation["stock"]) == (6, 21)
    assert observation["eldest"] == start(GAME).to_move == 0


def test_a_table_with_four_of_a_flower_is_dealt_again() -> None:
    redeals = [start(GAME, b"%d" % seed) for seed in range(400)]
    redeals = [state for state in redeals if state.observation(0)["history"]]
    assert redeals
    for state in redeals:
        assert state.observation(2)["history"] == [[0, "redeal"]]


def test_a_hand_with_four_of_a_flower_is_dealt_again_only_on_demand() -> None:
    def has_four(seed: int, *, redeal: bool) -> bool:
        state = start(GAME, b"%d" % seed, redeal_hand_four=redeal)
        hands = [[flower(card) for card in state.observation(seat)["hand"]] for seat in range(3)]
        return any(hand.count(month) == 4 for hand in hands for month in hand)

    with_four = [seed for seed in range(150) if has_four(seed, redeal=False)]
    assert with_four
    assert not any(has_four(seed, redeal=True) for seed in range(150))
    history = start(GAME, b"%d" % with_four[0], redeal_hand_four=True).observation(0)["history"]
    assert history[0] == [0, "redeal"]


def test_three_of_a_flower_on_the_table_are_grouped_until_the_fourth_takes_them() -> None:
    state = start(GAME).laid_out(
        hands=[["7-k2", "1-k1"], ["2-k1"], ["3-k1"]],
        field=["7-boar", "7-rib", "7-k1", "9-k1"],
        stock=["10-k1", "11-gaji", "12-k1"],
    )
    assert state.observation(0)["grouped"] == [7]
    assert legal(state) == ["play:1-k1", "play:7-k2"]
    after = play(state.clone(), "play:7-k2").observation(0)
    assert after["grouped"] == []
    assert after["captured"][0] == ["7-k2", "7-boar", "7-rib", "7-k1"]
    assert [0, "takes:7-k2,7-boar,7-rib,7-k1"] in after["history"]


# §3 A turn.


def test_any_card_may_be_played_and_one_that_matches_captures() -> None:
    state = start(GAME).laid_out(
        hands=[["4-k2", "9-cup", "6-k1"], ["1-k1"], ["1-k2"]],
        field=["4-rib", "4-k1", "9-k1"],
        stock=["12-k1", "12-k2", "11-rib"],
    )
    assert legal(state) == ["play:4-k2+4-rib", "play:4-k2+4-k1", "play:6-k1", "play:9-cup"]
    chosen = play(state.clone(), "play:4-k2+4-k1").observation(0)
    assert (chosen["captured"][0], chosen["table"]) == (["4-k2", "4-k1"], ["4-rib", "9-k1", "12-k1"])
    laid = play(state.clone(), "play:6-k1").observation(0)
    assert laid["table"] == ["4-rib", "4-k1", "6-k1", "9-k1", "12-k1"]
    assert laid["history"] == [[0, "play:6-k1"], [0, "draw:12-k1"]]


def test_a_turned_card_takes_its_match_without_a_decision() -> None:
    state = start(GAME).laid_out(
        hands=[["6-k1"], ["1-k1"], ["1-k2"]], field=["9-k1"], stock=["9-cup", "12-k2", "11-rib"]
    )
    assert play(state, "play:6-k1").to_move == 1
    assert state.observation(2)["history"] == [[0, "play:6-k1"], [0, "draw:9-cup"], [0, "takes:9-cup,9-k1"]]


def test_a_turned_card_that_matches_two_is_for_the_seat_to_decide() -> None:
    state = start(GAME).laid_out(
        hands=[["6-k1"], ["1-k1"], ["1-k2"]], field=["9-k1", "9-rib"], stock=["9-cup", "12-k2", "11-rib"]
    )
    play(state, "play:6-k1")
    observation = state.observation(0)
    assert (state.to_move, observation["phase"], observation["drawn"]) == (0, "draw", "9-cup")
    assert observation["legal"] == ["draw+9-rib", "draw+9-k1"]
    assert state.observation(1)["legal"] == []
    play(state, "draw+9-rib")
    after = state.observation(1)
    assert (state.to_move, after["phase"], after["drawn"]) == (1, "play", None)
    assert after["history"][-2:] == [[0, "draw+9-rib"], [0, "takes:9-cup,9-rib"]]
    assert after["table"] == ["6-k1", "9-k1"]


# §5 Scoring, and §8 the worked examples.


def test_c1_card_points_less_par() -> None:
    assert result(GAME, [A, B, C], combinations="none") == ([40, -35, -5], 0)
    assert result(GAME, [A, B, C], combinations="none", scale=88) == ([38, -32, -6], 0)


def test_c2_two_combinations_by_one_hand_card_end_the_hand_before_the_stock_is_turned() -> None:
    state = start(GAME, rounds=2).laid_out(
        hands=[["1-crane", "5-k1"], ["6-k1"], ["6-k2"]],
        field=["1-rib"],
        stock=["9-k1", "10-k1"],
        captured=[["2-rib", "2-k1", "3-curtain", "3-rib", "8-moon", "8-k1", "12-phoenix", "12-k1"], [], []],
    )
    play(state, "play:1-crane")
    assert outcome(state) == ([200, -100, -100], 0)
    assert state.observation(1)["last_round"] == {
        "scores": [200, -100, -100],
        "end": "combination",
        "tail": [[0, "play:1-crane"], [0, "takes:1-crane,1-rib"]],
    }


def test_a_combination_made_by_a_turned_card_ends_the_hand_too() -> None:
    state = start(GAME, rounds=2).laid_out(
        leader=1,
        hands=[["5-k1"], ["6-k1"], ["6-k2"]],
        field=["1-k1", "4-k1"],
        stock=["1-rib", "10-k1"],
        captured=[[], ["2-rib", "3-rib"], []],
    )
    play(state, "play:6-k1")
    assert outcome(state) == ([-40, 80, -40], 1)
    assert state.observation(0)["last_round"]["tail"][-1] == [1, "takes:1-rib,1-k1"]


def test_c3_misery_counts_in_extended_alone_and_in_the_scale_in_play() -> None:
    low = codes("1-k1 1-k2 2-k1 2-k2 4-k1 4-k2 5-rib 5-k1 6-k1 6-k2 7-boar 7-k1")
    high = codes("""
        1-crane 1-rib 2-nightingale 2-rib 3-curtain 3-k1 6-butterflies 6-rib 8-geese 8-k1 9-cup 9-k1
        10-deer 10-k1 11-rainman 11-gaji 12-k1 12-k2""")
    piles = [low, high, rest(low, high)]
    assert result(GAME, piles, combinations="extended") == ([80, -40, -40], 0)
    assert result(GAME, piles, combinations="classic") == ([-65, 45, 20], 1)
    scores, _ = result(GAME, piles, combinations="extended", scale=88)
    assert scores[0] == 25 - 88
    assert sum(scores) == 0


def test_c4_fourteen_junk_counts_the_cards_of_the_rain() -> None:
    pile = codes("1-k1 1-k2 2-k1 2-k2 4-k1 4-k2 6-k1 6-k2 7-k1 7-k2 11-rainman 11-swallow")
    state = start(GAME, combinations="extended").laid_out(
        hands=[["12-k2", "9-k1"], ["5-k1"], ["5-k2"]],
        field=["12-k1"],
        stock=["10-k1", "3-k1", "3-k2"],
        captured=[pile, [], []],
    )
    assert state.observation(0)["combinations"] == [[], [], []]
    observation = play(state, "play:12-k2").observation(0)
    assert observation["combinations"] == [["fourteen_junk"], [], []]
    assert (observation["phase"], observation["legal"]) == ("stop", ["stop", "continue"])
    assert state.observation(1)["legal"] == []


def test_c5_another_stops_after_the_first_continued() -> None:
    state = start(GAME, combinations="extended", rounds=2).laid_out(
        hands=[["1-rib", "5-k1"], ["12-k1", "6-k1"], ["7-k1", "7-k2"]],
        field=["1-k1", "12-phoenix"],
        stock=["9-k1", "10-k1", "11-gaji"],
        captured=[["2-rib", "3-rib"], ["1-crane", "3-curtain", "8-moon"], []],
    )
    play(state, "play:1-rib", "continue", "play:12-k1", "stop")
    assert outcome(state) == ([-60, 120, -60], 1)
    assert state.observation(0)["last_round"]["end"] == "stop"
    assert state.observation(0)["last_round"]["tail"] == [[1, "stop"]]


def test_c5_five_bright_replace_four_bright() -> None:
    state = start(GAME, combinations="extended", rounds=2).laid_out(
        hands=[["12-k1", "11-rib"], ["5-k1", "6-k1"], ["7-k1", "7-k2"]],
        field=["12-phoenix", "11-rainman"],
        stock=["9-k1", "10-k1", "2-k1", "3-k1"],
        captured=[["1-crane", "3-curtain", "8-moon"], [], []],
    )
    play(state, "play:12-k1")
    assert state.observation(0)["combinations"][0] == ["four_bright"]
    play(state, "continue", "play:5-k1", "play:7-k1", "play:11-rib")
    assert state.observation(0)["combinations"][0] == ["five_bright"]
    assert outcome(play(state, "stop")) == ([200, -100, -100], 0)


def test_c5_combinations_are_paid_at_half_when_all_is_played() -> None:
    piles = [REDS, [], []]
    assert result(GAME, piles, combinations="extended") == ([40, -20, -20], 0)
    assert result(GAME, [REDS, [], BLUES], eldest=2, combinations="extended") == ([20, -40, 20], 2)
    assert result(GAME, [REDS, FOUR_BRIGHT, []], eldest=2, combinations="extended")[1] == 1


def test_c5_seven_ribbons_leave_out_the_rain() -> None:
    six = [*REDS, *BLUES]
    assert result(GAME, [[*six, "4-rib"], [], []], combinations="extended")[0] == [140, -70, -70]
    assert result(GAME, [[*six, "11-rib"], [], []], combinations="extended")[0] == [80, -40, -40]


def test_c6_a_tie_makes_the_nearest_to_the_eldest_the_next() -> None:
    animals = codes("2-nightingale 4-cuckoo 5-bridge 6-butterflies 7-boar")
    first = [*FOUR_BRIGHT, animals[0]]
    second = ["11-rainman", *animals[1:]]
    piles = [first, second, rest(first, second)]
    assert result(GAME, piles, eldest=1, combinations="none") == ([10, -20, 10], 2)


def test_after_continue_the_seat_is_asked_again_only_when_its_combinations_grow() -> None:
    state = start(GAME, combinations="extended").laid_out(
        hands=[["1-rib", "5-k1", "6-rib"], ["12-k1", "2-k1", "4-k1"], ["7-k1", "7-k2", "4-k2"]],
        field=["1-k1", "5-k2", "6-k1"],
        stock=["9-k1", "10-k1", "11-gaji", "3-k1", "3-k2", "8-k1", "8-k2", "12-k2", "12-yellow"],
        captured=[["2-rib", "3-rib", "9-rib", "10-rib"], [], []],
    )
    play(state, "play:1-rib", "continue", "play:12-k1", "play:7-k1", "play:5-k1")
    assert (state.to_move, state.observation(1)["phase"]) == (1, "play")
    play(state, "play:2-k1", "play:7-k2", "play:6-rib")
    assert (state.to_move, state.observation(0)["phase"]) == (0, "stop")
    assert state.observation(0)["combinations"][0] == ["red", "blue"]


def test_stopping_is_automatic_in_the_last_turn() -> None:
    state = start(GAME, combinations="extended", rounds=2).laid_out(
        hands=[[], [], ["1-rib"]],
        leader=0,
        to_move=2,
        field=["1-k1", "9-k2"],
        stock=["9-k1"],
        captured=[BLUES, [], ["2-rib", "3-rib"]],
    )
    play(state, "play:1-rib")
    assert outcome(state) == ([-40, -40, 80], 2)
    assert state.observation(0)["last_round"]["end"] == "stop"


# §6 Options, §7 observation.


@pytest.mark.parametrize("options", VARIANTS)
def test_whole_matches_agree_with_the_slow_twin(options: dict[str, OptionValue]) -> None:
    for seed in range(12):
        check_against_twin(GAME, b"twin %d" % seed, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"rounds": 0},
        {"rounds": 13},
        {"rounds": True},
        {"scale": 84},
        {"scale": "80"},
        {"combinations": "all"},
        {"redeal_hand_four": 1},
        {"gaji": True},
    ],
)
def test_other_options_are_refused(options: dict[str, OptionValue]) -> None:
    with pytest.raises(BadOptions, match=next(iter(options))):
        GAME.new_match(options=options, seed=b"")


def test_only_three_can_play() -> None:
    with pytest.raises(BadOptions, match="seats"):
        GAME.new_match(seats=2, options={}, seed=b"")


@pytest.mark.parametrize("options", [{}, {"combinations": "extended", "redeal_hand_four": True}])
def test_hidden_cards_dealt_anew_look_the_same_to_the_seat(options: dict[str, OptionValue]) -> None:
    check_knowledge(start(GAME, b"hidden", rounds=3, **options), Stream("hidden"))


def test_a_hand_dealt_anew_never_has_four_of_a_flower_where_such_deals_are_dealt_again() -> None:
    rng = Stream("no four")
    for position in positions(start(GAME, b"%d" % 5, rounds=1, redeal_hand_four=True), rng):
        history = position.observation(0)["history"]
        played = [[text for who, text in history if who == seat and text[:5] == "play:"] for seat in range(3)]
        for _ in range(20):
            other = position.determinize(0, rng)
            for seat in range(3):
                dealt = [flower(card) for card in other.observation(seat)["hand"]]
                dealt += [flower(text.removeprefix("play:")) for text in played[seat]]
                assert len(dealt) == 7
                assert max(map(dealt.count, dealt)) < 4


def test_scores_exist_only_at_the_end_and_sum_to_nothing() -> None:
    state = start(GAME, rounds=1)
    with pytest.raises(MatchNotOver):
        state.scores()
    *_, end = positions(state, Stream("end"))
    assert sum(end.scores()) == 0
    assert (end.observation(0)["phase"], end.observation(0)["legal"]) == ("over", [])
    with pytest.raises(IllegalAction):
        end.apply(0)


def test_an_illegal_action_changes_nothing() -> None:
    state = start(GAME)
    before = [state.observation(seat) for seat in range(3)]
    for action in (-1, 241, 10**6):
        with pytest.raises(IllegalAction):
            state.apply(action)
    assert [state.observation(seat) for seat in range(3)] == before
    for text in ("", "play", "play:1-moon", "PLAY:1-k1", "draw+"):
        with pytest.raises(IllegalAction):
            state.parse_action(text)


@pytest.mark.parametrize("example", page_examples(GAME), ids=lambda example: str(example["phase"]))
def test_the_page_shows_what_the_engine_gives(example: dict[str, OptionValue]) -> None:
    options = example["options"]
    assert isinstance(options, dict)
    assert example == first_in_phase(GAME, str(example["phase"]), options)


def test_the_page_shows_every_phase_and_every_option() -> None:
    assert [example["phase"] for example in page_examples(GAME)] == ["play", "draw", "stop", "over"]
    text = (PAGES / "hana_awase.md").read_text()
    for option in GAME.options:
        assert f"| `{option.name}` | `{json.dumps(option.default)}`".replace('"', "") in text


# Counted trees and the heuristic.


def test_the_tree_of_a_tiny_deal_has_the_counted_size() -> None:
    hands = [["4-k2", "1-rib"], ["9-cup", "12-k1"], ["4-cuckoo", "2-k1"]]
    field = ["4-rib", "4-k1", "1-k1", "9-k1", "9-k2", "12-phoenix"]
    stock = ["9-rib", "12-k2", "1-k2", "2-rib", "12-yellow", "3-k1"]
    expected = [1, 3, 6, 12, 28, 32, 32, 32, 0]
    state = start(GAME, rounds=1, combinations="none").laid_out(hands=hands, field=field, stock=stock)
    assert tree(state, 8) == expected

    def make_hand() -> Hand:
        return Hand({"combinations": "none"}, [hand[:] for hand in hands], field[:], stock[:])

    assert twin_tree(make_hand, 8) == expected


@pytest.mark.parametrize("combinations", ["classic", "none", "extended"])
def test_greedy_beats_random_in_every_seat_of_the_same_deals(combinations: str) -> None:
    leads = lead_over_random(GAME, range(25), combinations=combinations)
    assert statistics.mean(leads) - 1.96 * statistics.stdev(leads) / len(leads) ** 0.5 > 0


@pytest.mark.slow
@pytest.mark.parametrize("combinations", ["classic", "none", "extended"])
def test_greedy_beats_random_over_hundreds_of_deals(combinations: str) -> None:
    leads = lead_over_random(GAME, range(300), combinations=combinations)
    assert statistics.mean(leads) - 1.96 * statistics.stdev(leads) / len(leads) ** 0.5 > 0
