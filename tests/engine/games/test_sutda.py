"""The rules of sutda, paragraph by paragraph, and its page docs/games/sutda.md."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.twin_sutda import Hand, TwinRound

from engine.cards.sutda_showdown import NUMBER_OF, PACK, PACK_BYTES
from engine.errors import BadOptions, IllegalAction, MatchNotOver
from engine.games import get
from engine.games.sutda import SutdaState
from engine.options import OptionValue
from engine.rng import Stream
from engine.shuffle import deck

PAGE = Path(__file__).parents[3] / "docs" / "games" / "sutda.md"
GAME = get("sutda")
Decks = Mapping[tuple[int, int], str]


def match_of(seats: int, decks: Decks, stacks: Sequence[int] = (), **options: OptionValue) -> SutdaState:
    """Return a match whose decks begin with these codes, by (round, attempt)."""
    settled = GAME.settle(seats, options)[1]

    def shuffle(round_number: int, attempt: int) -> list[int]:
        top = [NUMBER_OF[code] for code in decks.get((round_number, attempt), "").split()]
        return top + [card for card in range(20) if card not in top]

    return SutdaState(seats, settled, shuffle, stacks=stacks)


def play(state: SutdaState, line: str) -> SutdaState:
    """Play "seat:action" words in order."""
    for word in line.split():
        seat, _, text = word.partition(":")
        assert state.to_move == int(seat), word
        state.apply(state.parse_action(text))
    return state


def legal(state: SutdaState) -> list[str]:
    return [state.action_text(action) for action in state.legal_actions()]


def coins(state: SutdaState) -> list[int]:
    """Return the coins of all seats when a round begins: the stacks and the antes."""
    view = state.observation(0)
    return [stack + bet for stack, bet in zip(view["stacks"], view["bets"], strict=True)]


def played_out(seats: int, seed: bytes, **options: OptionValue) -> SutdaState:
    state = GAME.new_match(seats=seats, options=options, seed=seed)
    assert isinstance(state, SutdaState)
    rng = Stream(seed)
    while state.to_move is not None:
        state.apply(rng.choice(state.legal_actions()))
    return state


# §1 The cards


def test_the_pack_has_two_cards_of_each_month_from_january_to_october() -> None:
    assert Counter(int(code.split("-")[0]) for code in PACK) == dict.fromkeys(range(1, 11), 2)
    assert {code for code in PACK if not re.fullmatch(r"\d+-k[12]", code)} == {"3-curtain", "8-moon"}


def test_each_seat_gets_a_block_of_two_from_the_oya_on() -> None:
    state = GAME.new_match(seats=3, seed=bytes([0, 1]))
    order = deck(bytes([0, 1]), 0, 0, PACK_BYTES)
    assert [state.observation(seat)["hand"] for seat in range(3)] == [[PACK[order[2 * n]]] for n in range(3)]


# §2 A round

BIDS_OF_B1 = (
    "0:bid:2 1:follow 2:bid:3 3:follow 0:follow 1:follow 2:bid:4 3:give_up 0:bid:10 1:follow 2:follow"
)


def test_b1_the_winner_takes_the_pot_and_four_more_bets_of_the_others_still_in() -> None:
    state = play(match_of(4, {(0, 0): "10-k1 10-k2 9-k1 8-k1 1-k1 8-moon 2-k1 3-k1"}), BIDS_OF_B1)
    view = state.observation(3)
    assert coins(state) == [244, 30, 30, 96]
    assert view["oya"] == state.to_move == 0
    assert view["last_round"] == {
        "hands": [["10-k1", "10-k2"], ["8-k1", "9-k1"], ["1-k1", "8-moon"], None],
        "winners": [0],
        "multiplier": 5,
        "pot": 46,
        "paid": [144, -70, -70, -4],
    }


def test_b1_while_it_is_played() -> None:
    view = play(match_of(4, {}), " ".join(BIDS_OF_B1.split()[:-2])).observation(1)
    assert (view["bets"], view["contributions"]) == ([14, 4, 8, 4], [10, 0, 4, 0])
    assert (view["pot"], view["high"], view["in"], view["oya"], view["auction"]) == (30, 10, [0, 1, 2], 2, 2)
    assert view["legal"] == ["give_up", "follow", *(f"bid:{n}" for n in range(11, 97))]


def test_b2_who_falls_short_pays_what_he_has_and_is_out() -> None:
    state = play(
        match_of(4, {(0, 0): "3-curtain 8-moon 9-k1 7-k1 1-k1 4-k1 2-k1 5-k1"}, rounds=2), BIDS_OF_B1
    )
    assert coins(state) == [304, 0, 0, 96]
    assert state.observation(0)["out"] == [1, 2]
    assert state.observation(1)["hand"] == []


def test_b4_the_last_seat_takes_the_pot_and_nothing_is_shown() -> None:
    state = play(match_of(3, {}, stack=20), "0:bid:5 1:give_up 2:give_up")
    assert coins(state) == [22, 19, 19]
    view = state.observation(1)
    assert view["oya"] == state.to_move == 0
    assert view["last_round"] == {
        "hands": [None, None, None], "winners": [0], "multiplier": 1, "pot": 8, "paid": [2, -1, -1],
    }  # fmt: skip


def test_a_second_auction_that_leaves_one_seat_pays_no_multiplier() -> None:
    state = match_of(2, {(0, 0): "10-k1 10-k2 1-k1 1-k2"}, stack=20)
    play(state, "0:bid:5 1:follow 0:bid:1 1:give_up")
    assert coins(state) == [26, 14]


def test_a_seat_pays_what_it_has_when_it_cannot_pay_the_ante() -> None:
    state = match_of(3, {}, [100, 2, 100], ante=5)
    assert state.observation(0)["bets"] == [5, 2, 5]
    assert state.observation(0)["stacks"] == [95, 0, 95]


# §3 An auction


def test_the_opener_must_bid() -> None:
    assert legal(match_of(2, {}, stack=4)) == ["bid:1", "bid:2", "bid:3"]


def test_a_short_follow_is_all_in_and_no_raise() -> None:
    state = play(match_of(3, {}, [50, 50, 4]), "0:bid:5 1:follow")
    assert legal(state) == ["give_up", "follow"]
    play(state, "2:follow")
    view = state.observation(0)
    assert (view["auction"], view["oya"], state.to_move) == (2, 0, 0)
    assert (view["bets"], view["stacks"]) == ([6, 6, 4], [44, 44, 0])


def test_a_raise_counts_the_own_total_of_this_auction() -> None:
    state = play(match_of(2, {}, stack=10), "0:bid:3 1:bid:5")
    assert legal(state) == ["give_up", "follow", "bid:6", "bid:7", "bid:8", "bid:9"]
    play(state, "0:bid:9")
    assert state.observation(0)["stacks"] == [0, 4]


def test_the_next_seat_with_coins_opens_for_an_oya_without_coins() -> None:
    state = play(match_of(3, {}, [5, 50, 50]), "0:bid:4 1:follow 2:follow")
    assert (state.observation(0)["oya"], state.to_move) == (0, 1)
    play(state, "1:bid:1 2:give_up")
    assert state.observation(0)["last_round"]["hands"][2] is None


def test_an_auction_is_skipped_when_one_seat_has_coins_and_the_oya_stays() -> None:
    state = match_of(2, {(0, 0): "9-k1 9-k2 1-k1 5-k1"}, [50, 10], rounds=0)
    play(state, "0:bid:1 1:bid:9 0:follow")
    assert state.to_move is None
    assert (state.observation(0)["oya"], state.scores()) == (1, [60, 0])


def test_the_next_seat_with_coins_deals_for_an_oya_without_coins() -> None:
    state = match_of(3, {(0, 0): "9-k1 8-k1 9-k2 9-k1 1-k1 5-k1"}, [10, 50, 50])
    play(state, "0:bid:9 1:follow 2:follow 1:bid:1 2:give_up")
    view = state.observation(0)
    assert (view["out"], view["oya"], state.to_move) == ([0], 1, 1)


def test_rounds_without_any_decision_are_played_out() -> None:
    # Seat 0 has only what it antes, and doubles it twice before it loses.
    decks = {(0, 0): "4-k1 5-k1 2-k1 6-k1", (1, 0): "4-k1 5-k1 2-k1 6-k1", (2, 0): "2-k1 6-k1 4-k1 5-k1"}
    state = match_of(2, decks, [1, 9], ante=4, all_in="capped")
    assert (state.to_move, state.scores()) == (None, [0, 10])
    view = state.observation(0)
    assert (view["round"], view["last_round"]["paid"]) == (2, [2, -2])


# §5 Payment

B5 = "2-k1 4-k1 3-k1 9-k1 1-k1 8-moon"
B5_WITH_A_PAIR = "2-k1 4-k1 3-k1 9-k1 5-k1 5-k2"


@pytest.mark.parametrize(
    ("cards", "all_in", "after"),
    [
        (B5, "winner_takes_all", [34, 34, 36]),
        (B5, "capped", [58, 34, 12]),
        (B5_WITH_A_PAIR, "winner_takes_all", [2, 2, 100]),
        (B5_WITH_A_PAIR, "capped", [50, 26, 28]),
    ],
)
def test_b5_a_short_bet_wins_all_or_its_side_pot(cards: str, all_in: str, after: list[int]) -> None:
    state = match_of(3, {(0, 0): cards}, [50, 50, 4], all_in=all_in)
    play(state, "0:bid:5 1:follow 2:follow 0:bid:10 1:follow")
    assert coins(state) == after


def test_side_pots_are_contested_best_hand_first() -> None:
    state = match_of(3, {(0, 0): "4-k1 5-k1 3-k1 5-k2 2-k1 5-k1"}, [4, 10, 50], all_in="capped")
    play(state, "0:bid:3 1:bid:9 2:bid:15")
    assert coins(state) == [12, 12, 40]


@pytest.mark.parametrize("tie", ["rematch", "split"])
def test_tied_side_pots_are_shared_slice_by_slice(tie: str) -> None:
    # Bets 4, 10, 10; seats 0 and 1 tie: they share a slice of 12, then seat 1 takes the other 12.
    decks = {(0, 0): "4-k1 5-k1 4-k2 5-k2 2-k1 6-k1"}
    state = match_of(3, decks, [4, 20, 20], all_in="capped", tie=tie)
    play(state, "0:bid:3 1:bid:8 2:follow 1:bid:1 2:follow")
    assert coins(state) == [6, 28, 10]


B6_DECKS = {
    (0, 0): "2-k1 5-k1 1-k1 4-k1 1-k2 4-k2",
    (0, 1): "7-k1 2-k1 1-k1 8-moon",
    (0, 2): "3-curtain 10-k1 1-k1 1-k2",
}
B6_BIDS = "0:bid:1 1:bid:2 2:follow 0:follow 1:bid:7 2:follow 0:give_up"


def test_b6_tied_seats_get_new_cards_until_one_is_best() -> None:
    state = play(match_of(3, B6_DECKS, rounds=1), B6_BIDS)
    assert state.scores() == [97, 90, 113]
    assert state.observation(0)["history"][-6:] == [
        [1, "reveal:1-k1,4-k1"], [2, "reveal:1-k2,4-k2"],
        [1, "reveal:2-k1,7-k1"], [2, "reveal:1-k1,8-moon"],
        [1, "reveal:3-curtain,10-k1"], [2, "reveal:1-k1,1-k2"],
    ]  # fmt: skip


def test_b6_a_split_pot_leaves_the_odd_coin_to_the_oya() -> None:
    state = play(match_of(3, B6_DECKS, tie="split"), B6_BIDS)
    assert coins(state) == [97, 102, 101]
    assert state.observation(0)["last_round"]["winners"] == [1, 2]


@st.composite
def matches(draw: st.DrawFn) -> tuple[int, dict[str, OptionValue], bytes]:
    seats = draw(st.integers(2, 10))
    stack = draw(st.integers(2, 60))
    options: dict[str, OptionValue] = {
        "rounds": draw(st.integers(0, 12)),
        "stack": stack,
        "ante": draw(st.integers(1, stack // 2)),
        "all_in": draw(st.sampled_from(["winner_takes_all", "capped"])),
        "tie": draw(st.sampled_from(["rematch", "split"])),
    }
    return seats, options, draw(st.binary(min_size=1, max_size=4))


@settings(max_examples=150)
@given(matches(), st.integers(0, 3))
def test_every_round_ends_as_in_the_slow_twin(
    drawn: tuple[int, dict[str, OptionValue], bytes], timid: int
) -> None:
    seats, options, seed = drawn
    state = GAME.new_match(seats=seats, options=options, seed=seed)
    rng = Stream(seed)
    said: list[tuple[int, str]] = []
    while (seat := state.to_move) is not None:
        actions = state.legal_actions()
        action = actions[min(rng.below(len(actions)) for _ in range(1 + timid))]  # the lower, the more rounds
        said.append((seat, state.action_text(action)))
        state.apply(action)
    assert twin_match(seats, options, seed, said) == (state.scores(), state.observation(0)["oya"])


def twin_match(
    seats: int, options: dict[str, OptionValue], seed: bytes, said: list[tuple[int, str]]
) -> tuple[list[int], int]:
    """Play a whole match with the slow twin; return the coins, and the Oya of the last auction."""
    stacks, oya, words = [int(options["stack"])] * seats, 0, iter(said)
    for round_number in range(int(options["rounds"]) or 1000):
        codes = [
            [PACK[card] for card in deck(seed, round_number, attempt, PACK_BYTES)] for attempt in range(20)
        ]
        while stacks[oya] == 0:
            oya = (oya + 1) % seats
        order = [seat % seats for seat in range(oya, oya + seats) if stacks[seat % seats]]
        one_round = TwinRound(
            coins=stacks,
            oya=oya,
            ante=int(options["ante"]),
            hands=_hands(codes, order, 0),
            said=words,
            capped=options["all_in"] == "capped",
            split=options["tie"] == "split",
            new_hands=partial(_hands, codes),
        )
        one_round.play()
        oya = one_round.oya
        if sum(1 for stack in stacks if stack) < 2:
            break
    assert next(words, None) is None
    return stacks, oya


def _hands(decks: list[list[str]], seats: list[int], attempt: int) -> dict[int, Hand]:
    return {seat: (decks[attempt][2 * n], decks[attempt][2 * n + 1]) for n, seat in enumerate(seats)}


# §6 The end


def test_no_coin_is_made_or_lost() -> None:
    for seats in range(2, 11):
        for all_in in ("winner_takes_all", "capped"):
            assert sum(played_out(seats, bytes([seats]), all_in=all_in).scores()) == 100 * seats


def test_rounds_zero_plays_until_one_seat_has_coins() -> None:
    state = played_out(4, b"until", rounds=0)
    assert sorted(state.scores()) == [0, 0, 0, 400]
    assert state.observation(0)["rounds"] == 0


def test_those_who_went_out_later_are_placed_above() -> None:
    decks = {(0, 0): "9-k1 9-k2 1-k1 5-k1 2-k1 6-k1 4-k1 7-k1", (1, 0): "9-k1 9-k2 2-k1 6-k1 4-k1 7-k1"}
    state = match_of(4, decks, stack=10, rounds=0)
    play(state, "0:bid:9 1:follow 2:give_up 3:give_up")
    assert state.observation(0)["out"] == [1]
    play(state, "0:bid:8 2:follow 3:follow")
    assert state.scores() == [40, 0, 0, 0]
    assert state.placements() == [1, 4, 2, 2]


def test_equal_coins_share_the_place() -> None:
    assert play(match_of(3, {}, rounds=1), "0:bid:5 1:give_up 2:give_up").placements() == [1, 2, 2]


def test_scores_before_the_end_are_refused() -> None:
    state = match_of(2, {})
    for results in (state.scores, state.placements):
        with pytest.raises(MatchNotOver):
            results()


# §7 Who sees what


def test_a_seat_that_gives_up_early_never_sees_its_second_card_and_its_first_stays_hidden() -> None:
    decks = {(0, 0): "10-k1 10-k2 9-k1 9-k2 1-k1 1-k2"}
    state = play(match_of(3, decks, rounds=1), "0:bid:1 1:give_up 2:follow")
    assert state.observation(0)["shown"] == ["10-k1", None, "1-k1"]
    play(state, "0:bid:1 2:follow")
    assert state.observation(1)["hand"] == ["9-k1"]
    assert "9-k" not in json.dumps([state.observation(seat) for seat in (0, 2)])


def test_a_seat_knows_one_card_in_the_first_auction_and_both_in_the_second() -> None:
    state = match_of(2, {(0, 0): "10-k1 1-k2 9-k1 9-k2"})
    assert state.observation(0)["hand"] == ["10-k1"]
    play(state, "0:bid:1 1:follow")
    assert state.observation(0)["hand"] == ["1-k2", "10-k1"]
    assert state.observation(1)["shown"] == ["10-k1", "9-k1"]
    assert "1-k2" not in json.dumps(state.observation(1))


@pytest.mark.parametrize("seed", range(4))
def test_a_determinized_state_looks_the_same_to_its_seat_and_plays_on(seed: int) -> None:
    rng = Stream(f"determinize {seed}")
    state = GAME.new_match(
        seats=2 + seed % 9, options={"all_in": ("capped", "winner_takes_all")[seed % 2]}, seed=b"d"
    )
    while state.to_move is not None:
        for seat in range(2 + seed % 9):
            other = state.determinize(seat, rng)
            assert other.observation(seat) == state.observation(seat)
        while other.to_move is not None:
            other.apply(rng.choice(other.legal_actions()))
        actions = state.legal_actions()
        state.apply(actions[min(rng.below(len(actions)), rng.below(len(actions)))])


def test_a_determinized_state_draws_every_hidden_card_anew() -> None:
    state = play(match_of(2, {(0, 0): "10-k1 1-k2 9-k1 9-k2"}, rounds=1), "0:bid:1 1:follow")
    rng = Stream("spread")
    seconds = {tuple(state.determinize(0, rng).observation(1)["hand"]) for _ in range(400)}
    unseen = set(PACK) - {"10-k1", "1-k2", "9-k1"}
    assert seconds == {tuple(sorted(("9-k1", code), key=PACK.index)) for code in unseen}


# The contract


def test_an_illegal_action_changes_nothing() -> None:
    state = play(match_of(2, {}, stack=10), "0:bid:3")
    before = [state.observation(seat) for seat in range(2)]
    for action in (-1, 2, 3, 4, 11, 10_002):
        with pytest.raises(IllegalAction):
            state.apply(action)
    assert [state.observation(seat) for seat in range(2)] == before


def test_after_the_end_no_action_is_legal() -> None:
    state = played_out(3, b"end")
    assert state.legal_actions() == []
    for action in range(4):
        with pytest.raises(IllegalAction):
            state.apply(action)


@pytest.mark.parametrize(
    "text", ["bid:0", "bid:07", "bid:401", "bid:-1", "bid:", "bid: 3", "Follow", "bid:3"]
)
def test_texts_are_one_to_one(text: str) -> None:
    state = GAME.new_match(seed=b"x")
    if text == "bid:3":
        assert state.action_text(state.parse_action(text)) == text
    else:
        with pytest.raises(IllegalAction):
            state.parse_action(text)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"ante": 51}, "ante is 51; allowed: a whole number from 1 to 50"),
        ({"stack": 3, "ante": 2}, "ante is 2; allowed: a whole number from 1 to 1"),
        ({"stack": 1}, "stack is 1"),
        ({"rounds": 1001}, "rounds is 1001"),
        ({"tie": True}, "tie is True"),
    ],
)
def test_bad_options_are_named(options: dict[str, OptionValue], complaint: str) -> None:
    with pytest.raises(BadOptions, match=re.escape(complaint)):
        GAME.settle(4, options)


# The page

EXAMPLES = re.findall(r"<!-- example (.*?) -->\n+```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def test_the_page_has_an_example_of_every_phase() -> None:
    shown = [json.loads(text) for _, text in EXAMPLES]
    assert {(view["phase"], view["auction"]) for view in shown} == {
        ("auction", 1),
        ("auction", 2),
        ("over", 2),
    }


@pytest.mark.parametrize(("origin", "shown"), EXAMPLES)
def test_the_examples_of_the_page_are_what_the_engine_gives(origin: str, shown: str) -> None:
    how = json.loads(origin)
    state = GAME.new_match(seats=how["seats"], options=how["options"], seed=bytes.fromhex(how["seed"]))
    for text in how["actions"]:
        state.apply(state.parse_action(text))
    assert state.observation(how["seat"]) == json.loads(shown)


def test_the_page_names_all_options_and_words() -> None:
    page = PAGE.read_text("utf-8")
    for word in [option.name for option in GAME.options] + [form for form, _ in GAME.notation[:3]]:
        assert f"`{word}`" in page


# Greedy


def test_greedy_beats_random_in_duplicate_play() -> None:
    gains = [_duplicate_gain(deal) for deal in range(40)]
    mean = sum(gains) / len(gains)
    error = (sum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1) / len(gains)) ** 0.5
    assert mean > 2 * error


def _duplicate_gain(deal: int) -> float:
    """Return by how much greedy beats the mean place points of one deal, over all four seats."""
    return sum(_points_of_greedy(deal, seat) for seat in range(4)) / 4 - 0.5


def _points_of_greedy(deal: int, seat: int) -> float:
    state = GAME.new_match(seed=f"greedy {deal}".encode())
    rng = Stream(f"random {deal} {seat}")
    while state.to_move is not None:
        if state.to_move == seat:
            state.apply(state.parse_action(GAME.greedy(state.observation(seat))))
        else:
            state.apply(rng.choice(state.legal_actions()))
    places = state.placements()
    beaten = sum(place > places[seat] for place in places)
    return (beaten + (places.count(places[seat]) - 1) / 2) / 3
