"""The rules of sakura, paragraph by paragraph, and its page docs/games/sakura.md."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import twin_sakura as twin
from support.flower_matches import A, B, C, legal, play, positions, rest
from support.twins_hanafuda import PACK, codes, flower

from engine.cards.hanafuda import CARD_OF, Card, mask
from engine.errors import BadOptions, IllegalAction
from engine.games import get
from engine.games.sakura import DEALS, VALUES, YAKU, SakuraState, is_lucky, pairs_in
from engine.options import OptionValue
from engine.rng import Stream

PAGE = Path(__file__).parents[3] / "docs" / "games" / "sakura.md"
GAME = get("sakura")


def start(seats: int = 3, seed: bytes = bytes([0, 1]), /, **options: OptionValue) -> SakuraState:
    state = GAME.new_match(seats=seats, options=options, seed=seed)
    assert isinstance(state, SakuraState)
    return state


def laid_out(
    hands: Sequence[str], ba: str, stock: str = "", seat: int = 0, /, **options: OptionValue
) -> SakuraState:
    """Return a position in which `seat` is to move, with cards written as texts."""
    return start(len(hands), **options).laid_out(
        hands=[codes(hand) for hand in hands], field=codes(ba), stock=codes(stock), to_move=seat
    )


def dealt(seats: int, decks: Mapping[tuple[int, int], str], /, **options: OptionValue) -> SakuraState:
    """Return a match whose decks begin with these codes, by (round, attempt); the rest follow by turns."""

    class Dealt(SakuraState):
        __slots__ = ()

        def _shuffled(self, attempt: int) -> list[Card]:
            top = codes(decks.get((self._round, attempt), ""))
            spread = [PACK[4 * month + nth] for nth in range(4) for month in range(12)]
            return [CARD_OF[card] for card in [*top, *(card for card in spread if card not in top)]]

    return Dealt(seats, GAME.settle(seats, options)[1], b"")


def last_entries(state: SakuraState, count: int) -> list[list[object]]:
    history: list[list[object]] = state.observation(0)["history"]
    return history[-count:]


# §1 The deal


@pytest.mark.parametrize("seats", DEALS)
def test_every_seat_count_has_its_hands_ba_and_stock(seats: int) -> None:
    view = start(seats).observation(0)
    hand, ba = DEALS[seats]
    assert (set(view["hand_sizes"]), len(view["hand"])) == ({hand}, hand)
    assert (len(view["ba"]), view["stock"]) == (ba, 48 - ba - seats * hand)


@pytest.mark.parametrize(
    ("seats", "teams", "sides"),
    [
        (4, "pairs", [0, 1, 0, 1]),
        (6, "pairs", [0, 1, 2, 0, 1, 2]),
        (6, "trios", [0, 1, 0, 1, 0, 1]),
        (5, "solo", [0, 1, 2, 3, 4]),
    ],
)
def test_team_mates_sit_at_equal_distances(seats: int, teams: str, sides: list[int]) -> None:
    assert start(seats, teams=teams).observation(1)["sides"] == sides
    assert list(GAME.sides(seats, {"teams": teams})) == sides


@pytest.mark.parametrize(("seats", "teams"), [(3, "pairs"), (4, "trios"), (2, "pairs"), (7, "trios")])
def test_teams_that_do_not_come_out_even_are_refused(seats: int, teams: str) -> None:
    with pytest.raises(BadOptions, match=f"option teams is '{teams}'; allowed with {seats} seats: solo"):
        GAME.settle(seats, {"teams": teams})


# §2 Lucky hands, §3 cancelled deals

FOUR_OF_FOUR = {
    (0, 0): "1-crane 2-k1 3-k1 4-k1 5-k1 1-rib 2-k2 3-k2 4-k2 5-k2 6-k1 6-k2 6-rib 6-butterflies 7-k1",
    (1, 0): "1-k1 2-k1 3-k1 4-k1 5-k1 9-k1 9-k2 9-rib 9-cup 1-k2 2-k2 3-k2 4-k2 5-k2 8-k1 "
    "12-k1 12-k2 12-yellow 12-phoenix 7-k1",
}


def test_a7_seats_with_a_lucky_hand_score_six_and_the_nearest_is_the_next_oya() -> None:
    state = dealt(4, {(0, 0): FOUR_OF_FOUR[(0, 0)]}, rounds=3)
    assert state.observation(0)["oya"] == 2
    assert state.observation(0)["last_round"]["scores"] == [0, 0, 6, 0]
    view = dealt(4, FOUR_OF_FOUR, rounds=3).observation(0)
    assert (view["scores"], view["oya"], view["round"]) == ([0, 6, 6, 6], 3, 2)
    assert view["last_round"] == {
        "scores": [0, 6, 0, 6],
        "end": "lucky",
        "tail": [[3, "lucky:1-k2,9-cup,9-rib,9-k1,9-k2"], [1, "lucky:7-k1,12-phoenix,12-yellow,12-k1,12-k2"]],
    }


def test_two_lucky_hands_in_a_team_score_twelve() -> None:
    view = dealt(4, FOUR_OF_FOUR, rounds=3, teams="pairs").observation(0)
    assert view["last_round"]["scores"] == [0, 12, 0, 12]
    assert view["scores"] == [6, 12, 6, 12]


def test_a_match_that_ends_with_a_lucky_hand_keeps_it_shown() -> None:
    state = dealt(4, FOUR_OF_FOUR, rounds=1)
    assert (state.to_move, state.scores(), state.placements()) == (None, [0, 0, 6, 0], [2, 2, 1, 2])
    other = state.determinize(0, Stream("lucky"))
    assert other.observation(2)["hand"] == state.observation(2)["hand"]
    assert other.observation(0) == state.observation(0)


def test_four_pairs_of_eight_cards_are_lucky_and_a_hand_that_is_both_counts_once() -> None:
    for hand in ("1-k1 1-k2 2-k1 2-k2 3-k1 3-k2 4-k1 4-k2", "1-crane 1-rib 1-k1 1-k2 2-k1 2-k2 3-k1 3-k2"):
        assert dealt(2, {(0, 0): hand}, rounds=2).observation(0)["last_round"]["scores"] == [6, 0]
    assert not is_lucky(mask(*codes("1-k1 1-k2 1-rib 2-k1 2-k2 3-k1 3-k2 4-k1")))


HANDS_OF_SIX = (
    "10-k1 11-rib 12-k1 10-k2 11-swallow 12-k2 4-k1 10-rib 12-yellow "
    "4-k2 6-k2 7-k2 1-k2 8-k2 9-k2 4-rib 6-rib 7-rib"
)
THREE_PAIRS = f"{HANDS_OF_SIX} 1-crane 1-rib 1-k1 2-k1 2-k2 3-k1 3-k2 5-k1 6-k1 7-k1 8-k1 9-k1"
FOUR_PAIRS = f"{HANDS_OF_SIX} 1-crane 1-rib 1-k1 2-k1 2-k2 3-k1 3-k2 5-k1 5-k2 7-k1 8-k1 9-k1"
FOUR_OF_A_MONTH = f"{HANDS_OF_SIX} 3-curtain 3-rib 3-k1 3-k2 2-k1 1-k1 5-k1 6-k1 7-k1 8-k1 9-k1 11-gaji"


def test_a7_three_pairs_in_the_ba_are_played_and_four_pairs_are_dealt_again() -> None:
    assert dealt(6, {(0, 0): THREE_PAIRS}).observation(0)["history"] == []
    again = dealt(6, {(0, 0): FOUR_PAIRS, (0, 1): FOUR_OF_A_MONTH, (0, 2): THREE_PAIRS}).observation(0)
    assert again["history"] == [[0, "redeal"], [0, "redeal"]]
    assert (again["round"], again["oya"], len(again["ba"])) == (0, 0, 12)


def test_a_lucky_hand_goes_before_a_cancelled_deal() -> None:
    deck = (
        "1-crane 1-rib 1-k1 1-k2 2-k1 4-k1 5-k1 6-k1 7-k1 8-k1 4-k2 5-k2 6-k2 7-k2 8-k2 9-k1 10-k1 9-k2 10-k2"
    )
    state = dealt(4, {(0, 0): f"{deck} 9-rib 3-curtain 3-rib 3-k1 3-k2"}, rounds=2)
    assert state.observation(0)["last_round"]["end"] == "lucky"


@given(st.sets(st.sampled_from(PACK), max_size=12))
def test_pairs_are_counted_as_the_slow_twin_counts_them(cards: set[str]) -> None:
    assert pairs_in(mask(*cards)) == twin.pairs(list(cards))
    assert is_lucky(mask(*cards)) == (twin.has_four(list(cards)) or twin.pairs(list(cards)) >= 4)


# §4 Turns

A3_BA = "4-rib 4-k1 9-k1 9-k2 9-rib"


def test_a3_who_can_capture_must_but_three_of_a_month_do_not_compel() -> None:
    state = laid_out(["4-k2 9-cup 6-k1", "1-k1", "1-k2"], A3_BA)
    assert legal(state) == ["play:4-k2+4-rib", "play:4-k2+4-k1", "play:9-cup"]
    assert legal(laid_out(["9-cup 6-k1", "1-k1", "1-k2"], A3_BA)) == ["play:6-k1", "play:9-cup"]


def test_with_free_discard_any_card_that_matches_nothing_may_be_laid() -> None:
    state = laid_out(["4-k2 9-cup 6-k1", "1-k1", "1-k2"], A3_BA, free_discard=True)
    assert legal(state) == ["play:4-k2+4-rib", "play:4-k2+4-k1", "play:6-k1", "play:9-cup"]


def test_a_hiki_takes_all_three_and_then_the_stock_is_turned() -> None:
    state = play(laid_out(["9-cup 6-k1", "1-k1", "1-k2"], A3_BA, "4-k2 2-k1"), "play:9-cup")
    assert isinstance(state, SakuraState)
    assert state.observation(0)["captured"][0] == ["9-cup", "9-rib", "9-k1", "9-k2"]
    assert (state.observation(0)["phase"], state.observation(0)["drawn"]) == ("draw", "4-k2")
    assert legal(state) == ["draw+4-rib", "draw+4-k1"]
    play(state, "draw+4-rib")
    assert last_entries(state, 2) == [[0, "draw+4-rib"], [0, "takes:4-k2,4-rib"]]


def test_a8_two_seats_draw_sixteen_cards_with_hands_and_eight_without() -> None:
    *_, state = positions(start(2, rounds=1), Stream("a8"))
    history = state.observation(0)["history"]
    assert sum(text.startswith("draw:") for _, text in history) == 24
    after_hands = max(n for n, (_, text) in enumerate(history) if text.startswith("play:"))
    draws = [seat for seat, text in history[after_hands:] if text.startswith("draw:")]
    assert draws == [1, 0, 1, 0, 1, 0, 1, 0, 1]


def test_a_dead_stock_is_left_when_two_hands_are_empty() -> None:
    *_, state = positions(start(2, rounds=1, two_player_stock="dead"), Stream("dead"))
    view = state.observation(0)
    assert (view["stock"], view["hand_sizes"]) == (8, [0, 0])
    assert sum(text.startswith("draw:") for _, text in view["history"]) == 16


# §5 Yaku, §7 Scores


def test_a1_each_yaku_costs_every_other_side_fifty() -> None:
    state = start(3, rounds=2).laid_out(hands=[[], [], []], captured=[A, B, C])
    view = state.observation(0)
    assert (view["last_round"]["scores"], view["oya"]) == ([-65, -140, -55], 2)
    assert [twin.yaku_of(pile) for pile in (A, B, C)] == [["i", "ro"], ["ha"], ["ni", "to"]]
    over = start(3, rounds=1).laid_out(hands=[[], [], []], captured=[A, B, C])
    assert over.observation(0)["yaku"] == [["i", "ro"], ["ha"], ["ni", "to"]]


def test_a2_a_team_has_one_pile_and_one_score() -> None:
    state = start(4, teams="pairs", rounds=1).laid_out(hands=[[]] * 4, captured=[C, A + B])
    assert state.scores() == [-105, 45, -105, 45]
    assert state.placements() == [2, 1, 2, 1]
    assert state.observation(0)["yaku"] == [["ni", "to"], ["i", "ro", "ha", "ho"]]


def test_three_teams_take_the_places_one_two_three_and_ties_share() -> None:
    six = start(6, teams="pairs", rounds=1)
    assert six.laid_out(hands=[[]] * 6, captured=[A, B, C]).placements() == [2, 3, 1, 2, 3, 1]
    assert six.laid_out(hands=[[]] * 6, captured=[A, [], []]).placements() == [1, 2, 2, 1, 2, 2]


def test_of_tied_sides_the_seat_nearest_to_the_oya_is_next() -> None:
    piles = [["1-crane", "1-k1"], ["2-k1", "2-k2"], ["8-moon", "8-k1"]]
    state = start(3, rounds=2).laid_out(hands=[[], [], []], captured=piles, leader=1)
    assert state.observation(0)["oya"] == 2


def test_the_values_of_the_cards() -> None:
    for table in ("hawaiian", "japanese"):
        assert list(VALUES[table]) == [twin.value(card, table) for card in PACK]
        assert sum(VALUES[table]) == 240
    state = start(3, rounds=1, card_values="japanese").laid_out(hands=[[], [], []], captured=[A, [], []])
    assert state.scores()[0] == sum(twin.value(card, "japanese") for card in A)


def test_the_yaku_are_those_of_the_page() -> None:
    rows = re.findall(r"^\| `(\w+)` \| \S+ \| (.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert [(yaku.name, yaku.cards) for yaku in YAKU] == [(name, mask(*codes(cards))) for name, cards in rows]


# §6 The Gaji


def test_a4_the_wild_gaji_takes_any_card_of_another_month() -> None:
    state = laid_out(["11-gaji 5-k1", "1-k1", "1-k2"], "8-moon 2-k1 12-k1")
    assert legal(state) == ["play:5-k1", "play:11-gaji", "wild:2-k1", "wild:8-moon", "wild:12-k1"]
    assert [state.observation(seat)["gaji_wild"] for seat in range(3)] == [True, None, None]


@pytest.mark.parametrize("teams", ["solo", "pairs"])
def test_a4_a_november_card_of_another_seat_ends_it(teams: str) -> None:
    hands = ["11-gaji 5-k1", "1-k1", "11-rib", "1-k2"]
    state = laid_out(hands, "8-moon 2-k1 12-k1 11-swallow", "7-k1 9-k1 10-k1", 2, teams=teams)
    play(state, "play:11-rib", "play:1-k2")
    assert legal(state) == ["play:5-k1", "play:11-gaji"]
    assert state.observation(0)["gaji_wild"] is False


def test_a_november_card_drawn_by_another_seat_ends_it_but_an_own_one_does_not() -> None:
    hands = ["11-gaji 11-rib", "1-k1 5-k1", "1-k2 6-k1"]
    state = play(laid_out(hands, "8-moon 2-k1", "11-swallow 7-k1 9-k1"), "play:11-rib")
    assert state.observation(0)["gaji_wild"] is True
    state = play(laid_out(hands, "8-moon 2-k1", "7-k1 11-swallow 9-k1"), "play:11-rib", "play:5-k1")
    assert state.observation(0)["gaji_wild"] is False


def test_a_november_card_that_waits_for_its_target_ends_it_already() -> None:
    state = play(laid_out(["1-k1 5-k1", "11-gaji"], "11-rib 11-swallow 2-k1", "11-rainman"), "play:1-k1")
    assert (state.observation(0)["drawn"], state.observation(1)["gaji_wild"]) == ("11-rainman", False)


def test_a4_the_gaji_compels_as_a_november_card_but_not_as_a_wild_one() -> None:
    state = laid_out(["11-gaji 6-k1", "1-k1", "1-k2"], "11-rib 2-k1")
    assert legal(state) == ["play:11-gaji", "wild:2-k1"]
    assert legal(laid_out(["11-gaji 6-k1", "1-k1", "1-k2"], "2-k1")) == [
        "play:6-k1",
        "play:11-gaji",
        "wild:2-k1",
    ]


def test_without_the_option_it_is_an_ordinary_card() -> None:
    state = laid_out(["11-gaji 5-k1", "1-k1", "1-k2"], "8-moon 2-k1 12-k1", gaji=False)
    assert legal(state) == ["play:5-k1", "play:11-gaji"]
    assert state.observation(0)["gaji_wild"] is False


def test_a5_the_award_makes_a_yaku() -> None:
    own = codes("7-boar 7-k1 10-deer 10-k1")
    others = rest(own, codes("11-gaji 8-moon 8-geese 11-rib"))
    state = start(3, rounds=1).laid_out(
        hands=[["11-gaji"], [], []], field=codes("8-moon 8-geese 11-rib"), captured=[own, others, []]
    )
    play(state, "wild:8-moon")
    view = state.observation(0)
    assert view["history"] == [[0, "wild:8-moon"], [0, "takes:11-gaji,8-moon"], [0, "awarded:8-geese"]]
    assert (view["ba"], view["yaku"][0]) == (["11-rib"], ["chi"])
    points = [sum(twin.value(card) for card in pile) for pile in view["captured"]]
    assert (points[0], sum(points)) == (35, 230)
    assert state.scores() == twin.side_scores(view["captured"])


A6 = ["11-gaji 5-k1", "1-k1 9-k1", "3-k2 10-k1"]


def test_a6_a_hiki_blocks_the_gaji_which_is_then_committed() -> None:
    state = play(laid_out(A6, "3-curtain 3-rib 3-k1 7-boar", "12-k1 12-k2"), "wild:3-curtain")
    assert legal(state) == ["play:11-gaji", "wild:7-boar"]
    view = state.observation(1)
    assert view["history"] == [[0, "wild:3-curtain"], [2, "shown:3-k2"]]
    assert (view["phase"], view["shown"], view["hand_sizes"]) == ("wild", [[], [], ["3-k2"]], [2, 2, 2])
    laid = play(state.clone(), "play:11-gaji")
    assert "11-gaji" in laid.observation(1)["ba"]
    play(state, "wild:7-boar", "play:1-k1")
    assert state.observation(1)["shown"] == [[], [], ["3-k2"]]
    play(state, "play:3-k2")
    assert state.observation(1)["shown"] == [[], [], []]


def test_a_second_blocked_month_fails_in_the_same_way_and_november_is_taken_when_it_is_there() -> None:
    hands = ["11-gaji 7-k1", "3-k2 5-k2", "1-k1 8-k2"]
    state = laid_out(
        hands, "3-curtain 3-rib 3-k1 5-bridge 5-rib 5-k1 11-rib 11-swallow 7-boar", "12-k1 12-k2"
    )
    play(state, "wild:3-rib", "wild:5-bridge")
    assert legal(state) == ["play:11-gaji+11-swallow", "play:11-gaji+11-rib", "wild:7-boar"]
    assert state.observation(0)["shown"] == [[], ["3-k2", "5-k2"], []]


@pytest.mark.parametrize(("hand", "stock"), [("11-gaji 3-k2", "12-k1"), ("11-gaji 4-k1", "12-k1 3-k2")])
def test_nothing_is_blocked_when_the_fourth_card_is_in_the_stock_or_the_own_hand(
    hand: str, stock: str
) -> None:
    state = play(laid_out([hand, "1-k1", "9-k1"], "3-curtain 3-rib 3-k1", stock), "wild:3-curtain")
    assert state.observation(0)["captured"][0] == ["11-gaji", "3-curtain"]
    assert state.observation(0)["ba"] == ["3-rib", "3-k1", "12-k1"]


# The whole match, beside the slow twin


@st.composite
def matches(draw: st.DrawFn) -> tuple[int, dict[str, OptionValue], bytes]:
    seats = draw(st.integers(2, 7))
    teams = ["solo", *(["pairs"] if seats in (4, 6) else []), *(["trios"] if seats == 6 else [])]
    options: dict[str, OptionValue] = {
        "rounds": draw(st.integers(1, 4)),
        "teams": draw(st.sampled_from(teams)),
        "gaji": draw(st.sampled_from([True, True, False])),
        "two_player_stock": draw(st.sampled_from(["play_out", "dead"])),
        "free_discard": draw(st.booleans()),
        "card_values": draw(st.sampled_from(["hawaiian", "japanese"])),
    }
    return seats, options, draw(st.binary(min_size=1, max_size=4))


@settings(max_examples=120)
@given(matches(), st.booleans())
def test_a_match_goes_as_in_the_slow_twin(
    drawn: tuple[int, dict[str, OptionValue], bytes], eager: bool
) -> None:
    seats, options, seed = drawn
    state = start(seats, seed, **options)
    slow = twin.slow_match(options, seats, seed)
    rng = Stream(seed)
    try:
        step = next(slow)
        while True:
            seat, texts, ba, piles = step
            view = state.observation(seat)
            assert state.to_move == seat
            assert (set(view["legal"]), set(view["ba"]), view["captured"]) == (texts, ba, piles)
            assert view["yaku"] == [twin.yaku_of(pile) for pile in piles]
            wild = [text for text in view["legal"] if text.startswith("wild:")]
            text = rng.choice(wild if wild and eager else view["legal"])
            play(state, text)
            step = slow.send(text)
    except StopIteration as end:
        assert state.scores() == end.value
    assert state.to_move is None


# §8 Who sees what: what is dealt anew


def hands_dealt_anew(state: SakuraState, seat: int, other: int, count: int = 60) -> list[set[str]]:
    """Return hands that `other` may hold for all that `seat` knows."""
    rng = Stream("anew")
    return [set(state.determinize(seat, rng).observation(other)["hand"]) for _ in range(count)]


LAYS = ["5-k1 6-k1 7-k1", "8-k1 10-k1 12-k1", "9-k1 1-k1 2-k1"]
LAYS_BA = "4-rib 4-k1 3-rib 9-k2 9-rib 9-cup"
LAYS_STOCK = "6-k2 3-k1 3-k2 4-k2 4-cuckoo 12-k2 1-crane 1-rib 2-rib"


def test_who_laid_a_card_holds_nothing_that_would_have_had_to_capture() -> None:
    state = play(laid_out(LAYS, LAYS_BA, LAYS_STOCK), "play:5-k1")
    assert isinstance(state, SakuraState)
    for hand in hands_dealt_anew(state, 1, 0):
        assert not {flower(card) for card in hand} & {"3", "4"}
    assert {"9-k1", "1-crane"} <= set().union(*hands_dealt_anew(state, 1, 0))
    assert {"3-k1", "4-cuckoo"} <= set().union(*hands_dealt_anew(state, 1, 2))
    free = play(laid_out(LAYS, LAYS_BA, LAYS_STOCK, free_discard=True), "play:5-k1")
    assert isinstance(free, SakuraState)
    assert {"3-k1", "4-cuckoo"} <= set().union(*hands_dealt_anew(free, 1, 0))


def test_shown_cards_and_the_committed_gaji_stay_where_they_are() -> None:
    state = play(laid_out(A6, "3-curtain 3-rib 3-k1 7-boar", "12-k1 12-k2 2-k1 2-k2"), "wild:3-curtain")
    assert isinstance(state, SakuraState)
    assert all("11-gaji" in hand for hand in hands_dealt_anew(state, 1, 0))
    assert all("3-k2" in hand for hand in hands_dealt_anew(state, 1, 2))
    assert state.determinize(1, Stream("legal")).legal_actions() == state.legal_actions()


def test_a_gaji_that_was_not_blocked_proves_that_no_other_seat_holds_the_fourth_card() -> None:
    hands = ["11-gaji 3-k2", "1-k1 9-k1", "5-k1 6-k1"]
    state = play(laid_out(hands, "3-curtain 3-rib 3-k1", "12-k1 12-k2 7-k1 8-k1"), "wild:3-curtain")
    assert isinstance(state, SakuraState)
    assert any("3-k2" in hand for hand in hands_dealt_anew(state, 1, 0))
    assert not any("3-k2" in hand for hand in hands_dealt_anew(state, 1, 2))


@pytest.mark.parametrize("seats", DEALS)
def test_a_determinized_match_looks_the_same_has_no_lucky_hand_and_plays_on(seats: int) -> None:
    rng = Stream(f"anew {seats}")
    for position in positions(start(seats, bytes([seats]), rounds=2), rng):
        for seat in range(seats):
            other = position.determinize(seat, rng)
            assert other.observation(seat) == position.observation(seat)
            if not position.observation(seat)["history"]:
                assert not any(is_lucky(mask(*other.observation(each)["hand"])) for each in range(seats))
        if other.to_move is not None:
            other.apply(rng.choice(other.legal_actions()))


# The contract, the page, greedy


def test_november_cards_are_no_targets_of_the_wild_gaji() -> None:
    with pytest.raises(IllegalAction):
        start().parse_action("wild:11-rib")
    assert len({start().action_text(action) for action in range(GAME.actions(3, {}))}) == 284


EXAMPLES = re.findall(r"<!-- example (.*?) -->\n+```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def test_the_page_has_an_example_of_every_phase() -> None:
    assert {json.loads(shown)["phase"] for _, shown in EXAMPLES} == {"play", "draw", "wild", "over"}


@pytest.mark.parametrize(("origin", "shown"), EXAMPLES)
def test_the_examples_of_the_page_are_what_the_engine_gives(origin: str, shown: str) -> None:
    how = json.loads(origin)
    state = play(start(how["seats"], bytes.fromhex(how["seed"]), **how["options"]), *how["actions"])
    assert state.observation(how["seat"]) == json.loads(shown)


def test_the_page_names_all_options_and_words() -> None:
    page = PAGE.read_text("utf-8")
    for word in [option.name for option in GAME.options] + [form for form, _ in GAME.notation[1:]]:
        assert f"`{word}`" in page


def test_greedy_beats_random_in_duplicate_play() -> None:
    leads = [sum(_lead(deal, seat) for seat in range(3)) / 3 for deal in range(30)]
    mean = sum(leads) / len(leads)
    error = (sum((lead - mean) ** 2 for lead in leads) / (len(leads) - 1) / len(leads)) ** 0.5
    assert mean > 2 * error


def _lead(deal: int, seat: int) -> float:
    """Return by how much the total of greedy is above the mean of two random players."""
    state = start(3, b"deal %d" % deal, rounds=2)
    rng = Stream(f"random {deal} {seat}")
    while state.to_move is not None:
        if state.to_move == seat:
            play(state, GAME.greedy(state.observation(seat)))
        else:
            state.apply(rng.choice(state.legal_actions()))
    scores = state.scores()
    return scores[seat] - (sum(scores) - scores[seat]) / 2
