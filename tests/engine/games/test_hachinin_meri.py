"""The rules of hachinin_meri, paragraph by paragraph, and its page docs/games/hachinin_meri.md."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import twin_hachinin_meri as twin

from engine.cards.unsun import CARD_OF, CODES
from engine.contract import Observation
from engine.errors import BadOptions, IllegalAction, MatchNotOver
from engine.games import get
from engine.games.hachinin_meri import HachininMeriState
from engine.rng import Stream
from engine.shuffle import deck

PAGE = Path(__file__).parents[3] / "docs" / "games" / "hachinin_meri.md"
GAME = get("hachinin_meri")
SEED = bytes([0, 1])

WHOLE_DEAL = """
    I-9 K-1 K-4 K-Sun K-Robai O-1 O-2 G-5 G-Robai       P-Sun I-5 I-6 K-Sota O-5 O-Robai O-Rei G-4 G-8
    P-5 P-Sota P-Robai P-Rei I-Sun I-Kaba K-8 G-3 G-Kaba  I-1 I-2 K-3 K-5 K-7 O-9 G-7 G-Sun G-Sota
    P-4 P-8 I-Robai O-6 O-7 O-8 O-Un O-Sota G-1         P-7 P-Un I-3 K-2 K-Un O-4 G-9 G-Un G-Rei
    P-3 P-6 I-4 I-7 I-Un I-Sota K-9 K-Rei K-Kaba        P-2 P-9 P-Kaba I-8 I-Rei K-6 O-Sun G-2 G-6
"""
WHOLE_PLAY = (
    "4:P-8 5:G-Rei 6:P-3 7:K-6 0:G-Robai 1:P-Sun 2:P-5 3:K-5",
    "1:G-8 2:P-Rei 3:K-3 4:O-7* 5:G-Un 6:I-Un 7:I-8 0:G-5",
    "4:O-6 5:O-4 6:K-9 7:G-2 0:O-2 1:O-Rei 2:P-Robai 3:O-9",
    "2:P-Sota 3:G-Sota 4:O-Sota* 5:P-7 6:P-6 7:P-Kaba 0:K-Robai 1:O-Robai*",
    "4:O-3 5:P-Un 6:K-Rei 7:P-2 0:O-1 1:O-5 2:I-Kaba 3:G-Sun",
    "0:I-9 1:I-5 2:I-Sun 3:I-2 4:I-Robai 5:I-3 6:I-7 7:I-Rei",
    "2:G-3 3:G-7 4:O-8* 5:G-9 6:I-Sota 7:G-6 0:K-Sun 1:G-4",
    "4:G-1 5:K-2 6:I-4 7:P-9 0:K-4 1:K-Sota 2:G-Kaba 3:I-1",
)


def cards(codes: str) -> list[int]:
    return [CARD_OF[code] for code in codes.split()]


def put_in(hands: dict[int, str], indicator: str, stock: str, dealer: int) -> HachininMeriState:
    """Return a deal with these hands; what is missing is the rest of the pack in order."""
    first, second = cards(stock)
    given = {seat: cards(codes) for seat, codes in hands.items()}
    used = {CARD_OF[indicator], first, second, *(card for hand in given.values() for card in hand)}
    rest = iter([card for card in range(75) if card not in used])
    filled = [[*given.get(seat, [])] for seat in range(8)]
    for hand in filled:
        hand += [next(rest) for _ in range(9 - len(hand))]
    return HachininMeriState.with_hands(
        hands=filled, indicator=CARD_OF[indicator], stock=(first, second), dealer=dealer
    )


def whole_deal() -> HachininMeriState:
    """Return the deal of §7 before the announcing."""
    dealt = WHOLE_DEAL.split()
    hands = {seat: " ".join(dealt[9 * seat : 9 * seat + 9]) for seat in range(8)}
    return put_in(hands, "O-3", "O-Kaba P-1", dealer=4)


def legal(state: HachininMeriState) -> list[str]:
    return [state.action_text(action) for action in state.legal_actions()]


def do(state: HachininMeriState, *texts: str) -> None:
    for text in texts:
        state.apply(state.parse_action(text))


def play(state: HachininMeriState, line: str) -> None:
    """Play "seat:card" words; a star says that the others see a face-down card while the trick is open."""
    for word in line.split():
        seat, code = int(word[0]), word[2:].rstrip("*")
        assert state.to_move == seat
        do(state, f"play:{code}")
        if state.observation(seat)["trick"]:
            assert state.observation(seat)["trick"][-1] == [seat, f"play:{code}"]
            shown = "play:?" if word.endswith("*") else f"play:{code}"
            assert state.observation((seat + 1) % 8)["trick"][-1] == [seat, shown]


def everybody_passes(state: HachininMeriState) -> None:
    while state.observation(0)["phase"] == "announce":
        do(state, "pass")


# §3: a deal


def test_cards_are_dealt_in_three_batches_of_three_from_the_seat_after_the_dealer() -> None:
    order = deck(SEED, 0, 0, [code.encode() for code in CODES])
    state = GAME.new_match(seed=SEED)
    hand = sorted(order[3:6] + order[27:30] + order[51:54])
    assert state.observation(2)["hand"] == [CODES[card] for card in hand]
    assert state.observation(2)["indicator"] == CODES[order[72]]


def test_the_dealer_moves_on_with_each_deal() -> None:
    state = GAME.new_match(seed=SEED, options={"rounds": 2})
    assert (state.observation(0)["dealer"], state.to_move) == (0, 1)
    while state.observation(0)["round"] == 0:
        state.apply(state.legal_actions()[0])
    assert (state.observation(0)["dealer"], state.to_move) == (1, 2)


def test_announcing_discarding_and_leading() -> None:  # §6.1
    state = put_in({5: "K-Robai K-9 P-Robai I-3 I-8 O-2 G-5 G-6 P-7"}, "K-4", "O-9 I-1", dealer=2)
    assert legal(state) == ["pass"]
    do(state, "pass", "pass")
    assert (state.to_move, legal(state)) == (5, ["pass", "announce"])
    do(state, "announce")
    assert state.observation(0)["receiver"] == 5
    assert "K-4" in state.observation(5)["hand"]
    plain = ["P-7", "I-8", "I-3", "O-2", "G-6", "G-5"]
    assert legal(state) == [f"discard:{code}" for code in plain]
    do(state, "discard:P-7")
    assert legal(state) == [f"play:{code}" for code in plain[1:]]
    do(state, "play:I-3")
    assert state.observation(0)["side_cards"] == ["P-7", "O-9", "I-1"]
    assert state.observation(0)["history"] == [
        [3, "pass"],
        [4, "pass"],
        [5, "announce"],
        [5, "indicator:K-4"],
        [5, "discard:P-7"],
        [5, "play:I-3"],
        [5, "side:P-7,O-9,I-1"],
    ]


def test_a_receiver_with_nothing_but_trumps() -> None:  # §6.12
    trumps = "O-Sun O-Un O-Sota P-Robai O-Robai O-Kaba O-1 O-2"
    state = put_in({0: f"{trumps} O-3"}, "O-Rei", "G-1 G-2", dealer=0)
    everybody_passes(state)
    assert len(legal(state)) == 10
    do(state, "discard:O-Rei")
    assert len(legal(state)) == 9
    do(state, "play:O-3")
    assert state.observation(1)["meri_seen"] is True

    state = put_in({0: f"{trumps} I-5"}, "O-Rei", "G-1 G-2", dealer=0)
    everybody_passes(state)
    assert legal(state) == ["discard:I-5"]
    do(state, "discard:I-5")
    assert all(code in f"{trumps} O-Rei".split() for code in (text[5:] for text in legal(state)))


def test_a_deal_that_one_team_loses_below_zero() -> None:  # §6.11
    hands = {
        0: "P-1 O-9",
        1: "K-Sun K-5 P-Sun",
        2: "K-Un K-9 K-6",
        3: "K-Rei K-8 G-9",
        4: "K-Kaba K-Robai",
        5: "K-1 K-Sota G-Sun G-Un O-Sun O-Un I-1",
        6: "K-2 K-7 I-Sun",
        7: "K-3 P-Robai O-Rei",
    }
    tricks = (
        "0:P-1 1:K-Sun 2:K-Un 3:K-Rei 4:K-Kaba 5:K-1 6:K-2 7:K-3",
        "1:P-Sun 2:K-9 3:K-8",
        "3:G-9 4:K-Robai 5:K-Sota 6:K-7 7:P-Robai 0:K-4 1:K-5 2:K-6",
        *("5:G-Sun", "5:G-Un", "5:O-Sun", "5:O-Un", "5:I-1 6:I-Sun", "0:O-9 7:O-Rei"),
    )
    state = put_in(hands, "K-4", "P-9 P-8", dealer=0)
    kept = {word.split(":")[1] for line in tricks for word in line.split()}
    everybody_passes(state)
    do(state, next(text for text in legal(state) if text[8:] not in kept))
    for line in tricks[:8]:
        planned = dict(word.split(":") for word in line.split())
        for _ in range(8):
            code = planned.get(str(state.to_move))
            do(state, f"play:{code}" if code else next(text for text in legal(state) if text[5:] not in kept))
    last = state.observation(0)["last_round"]
    assert last["scores"] == [-8, 17] * 4
    assert [7, "last:O-Rei"] in last["tail"]


def test_a_whole_deal() -> None:  # §7
    state = whole_deal()
    assert [state.observation(seat)["lone_sun"] for seat in range(8)] == [False] * 7 + [True]
    everybody_passes(state)
    assert state.observation(0)["robai"] == "unknown"
    assert state.observation(1)["robai"] == "concealed"
    do(state, "discard:P-4")
    for line in WHOLE_PLAY[:3]:
        play(state, line)
    assert state.observation(0)["robai"] == "concealed"
    assert state.observation(7)["last_trick"]["meri"] is True
    play(state, WHOLE_PLAY[3])
    assert state.observation(7)["last_trick"]["combination"] == "Sota-Robai"
    assert state.observation(7)["last_trick"]["transfer"] == 5
    assert state.observation(7)["transfers"] == [5, -5]
    for line in WHOLE_PLAY[4:7]:
        play(state, line)
    assert state.observation(7)["tricks_won"] == [6, 1]
    play(state, WHOLE_PLAY[7])
    last = state.observation(0)["last_round"]
    assert last["scores"] == [7, 2] * 4
    ninth = "2:K-8 3:K-7 4:O-Un 5:K-Un 6:K-Kaba 7:O-Sun 0:K-1 1:I-6"
    assert last["tail"][1:] == [[int(word[0]), f"last:{word[2:]}"] for word in ninth.split()]


def test_a_lone_sun_seat_may_keep_its_sun_on_meri() -> None:  # §7, trick 3
    state = whole_deal()
    everybody_passes(state)
    do(state, "discard:P-4")
    for line in WHOLE_PLAY[:2]:
        play(state, line)
    play(state, "4:O-6 5:O-4 6:K-9")
    assert "play:O-Sun" in legal(state)
    assert "play:G-2" in legal(state)


@pytest.mark.parametrize(
    ("pick", "options", "decisions", "totals"),
    [
        (min, {}, 558, [25, 47]),
        (max, {}, 584, [36, 36]),
        (min, {"ninth_suit": "leader"}, 558, [26, 46]),
    ],
)
def test_check_values(
    pick: Callable[[list[str]], str], options: dict[str, str], decisions: int, totals: list[int]
) -> None:  # §8
    state = GAME.new_match(seed=SEED, options=options)
    count = 0
    while state.to_move is not None:
        state.apply(state.parse_action(pick([state.action_text(a) for a in state.legal_actions()])))
        count += 1
    assert (count, state.scores()) == (decisions, totals * 4)
    even, odd = (1 + (totals[0] < totals[1])), (1 + (totals[1] < totals[0]))
    assert state.placements() == [even, odd] * 4


# §1, and the contract


@pytest.mark.parametrize(
    "options", [{"rounds": 0}, {"rounds": 17}, {"rounds": True}, {"ninth_suit": "winner"}, {"suit": "P"}]
)
def test_options_out_of_range_are_refused(options: dict[str, int | str]) -> None:
    with pytest.raises(BadOptions, match=next(iter(options))):
        GAME.new_match(seed=SEED, options=options)


def test_eight_seats_in_two_teams() -> None:
    assert GAME.sides(8, {}) == (0, 1, 0, 1, 0, 1, 0, 1)
    with pytest.raises(BadOptions, match="seats"):
        GAME.new_match(seats=4, seed=SEED)


def test_what_is_not_open_changes_nothing() -> None:
    state = GAME.new_match(seed=SEED)
    before = [state.observation(seat) for seat in range(8)]
    with pytest.raises(IllegalAction):
        state.apply(0)
    with pytest.raises(IllegalAction):
        state.parse_action("play:P-0")
    with pytest.raises(MatchNotOver):
        state.scores()
    assert [state.observation(seat) for seat in range(8)] == before


# §5: who sees what


def test_the_discard_is_hidden_until_the_opening_lead() -> None:
    state = whole_deal()
    everybody_passes(state)
    do(state, "discard:P-4")
    assert state.observation(4)["history"][-1] == [4, "discard:P-4"]
    assert state.observation(0)["history"][-1] == [4, "discard:?"]
    assert state.observation(4)["trick_number"] == 0
    assert state.observation(4)["leader"] is None
    do(state, "play:P-8")
    assert [4, "discard:P-4"] in state.observation(0)["history"]
    assert state.observation(0)["trick_number"] == 1


def test_a_face_down_card_is_turned_up_with_the_eighth_card() -> None:
    state = whole_deal()
    everybody_passes(state)
    do(state, "discard:P-4")
    play(state, WHOLE_PLAY[0])
    play(state, "1:G-8 2:P-Rei 3:K-3 4:O-7*")
    assert state.observation(4)["trick"][-1] == [4, "play:O-7"]
    assert state.observation(5)["trick"][-1] == [4, "play:?"]
    play(state, "5:G-Un 6:I-Un 7:I-8 0:G-5")
    assert [4, "play:O-7"] in state.observation(5)["last_trick"]["plays"]
    assert [4, "play:O-7"] in state.observation(5)["history"]


@pytest.mark.parametrize(
    ("hands", "indicator", "stock", "announces", "seen"),
    [
        ({}, "K-Robai", "O-9 I-1", False, ("turned_up", "turned_up", "turned_up")),
        ({1: "K-Robai"}, "K-4", "O-9 I-1", True, (None, "declared", "declared")),
        ({1: "K-Robai"}, "K-4", "O-9 I-1", False, (None, "unknown", "concealed")),
        ({}, "K-4", "O-9 K-Robai", False, (None, "unknown", "stock")),
    ],
)
def test_what_is_told_of_the_robai(
    hands: dict[int, str], indicator: str, stock: str, announces: bool, seen: tuple[str | None, ...]
) -> None:
    state = put_in(hands, indicator, stock, dealer=0)
    told = [state.observation(4)["robai"]]
    if announces:
        do(state, "announce")
    everybody_passes(state)
    told.append(state.observation(4)["robai"])
    holder = state.observation(1)["robai"]
    do(state, legal(state)[0])
    do(state, legal(state)[0])
    told.append(state.observation(4)["robai"])
    assert tuple(told) == seen
    assert holder == ("concealed" if seen[2] == "concealed" else seen[1])


# Against the twin, and what a seat does not know


def random_position(seed: int, decisions: int) -> HachininMeriState:
    """Return a state of a one-deal match after that many random decisions at most."""
    options = {"rounds": 1, "ninth_suit": ("dealer", "leader")[seed % 2]}
    state = GAME.new_match(seed=seed.to_bytes(5, "big"), options=options)
    rng = Stream(f"{seed}")
    for _ in range(decisions):
        if state.to_move is not None:
            state.apply(rng.choice(state.legal_actions()))
    assert isinstance(state, HachininMeriState)
    return state


def check_trick(view: Observation, ninth: bool, ninth_suit_by: int) -> tuple[int, int]:
    """Compare the last trick with the twin's; return (winner, transfer)."""
    trick = view["last_trick"]
    plays = [(seat, text.partition(":")[2]) for seat, text in trick["plays"]]
    lead = dict(plays)[ninth_suit_by] if ninth else plays[0][1]
    seat, card = twin.winner(plays, view["trump"], lead[0])
    meri = not ninth and twin.is_trump(lead, view["trump"])
    name = None if meri else twin.combination(plays, view["trump"], seat, card)
    passed = twin.transfer(name, ninth=ninth, concealed=view["robai"] == "concealed")
    assert trick == {**trick, "winner": seat, "meri": meri, "combination": name, "transfer": passed}
    return seat, passed


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_play_agrees_with_the_twin(seed: int) -> None:
    state, rng = random_position(seed, 0), Stream(f"{seed}/play")
    tricks: list[tuple[int, int]] = []
    while state.to_move is not None:
        view = state.observation(state.to_move)
        if view["trick"]:
            lead, before = view["trick"][0][1][5:], view["history"][: -len(view["trick"])]
            expected = twin.may_play(
                view["hand"],
                lead,
                view["trump"],
                meri_before=any(
                    entry[1].startswith("play:") and twin.is_trump(entry[1][5:], view["trump"])
                    for entry in _leads(before)
                ),
                lone_sun=view["lone_sun"],
            )
            assert view["legal"] == [f"play:{code}" for code in expected]
        state.apply(rng.choice(state.legal_actions()))
        after = state.observation(0)
        if view["phase"] == "play" and not after["trick"] and after["phase"] == "play":
            tricks.append(check_trick(after, False, 0))
    end = state.observation(0)
    eighth = [[seat, text] for seat, text in end["history"] if text.startswith("play:")][-8:]
    by = end["leader"] if end["options"]["ninth_suit"] == "leader" else end["dealer"]
    tricks.append(_eighth(end, eighth))
    tricks.append(check_trick(end, True, by))
    assert state.scores() == twin.deal_scores(tricks) * 4


def _leads(history: list[list[int | str]]) -> list[tuple[int, str]]:
    plays = [(int(seat), str(text)) for seat, text in history if str(text).startswith("play:")]
    return plays[::8]


def _eighth(end: Observation, plays: list[list[int | str]]) -> tuple[int, int]:
    """Settle the eighth trick, which no view shows as the last one, by the twin alone."""
    cards_played = [(int(seat), str(text)[5:]) for seat, text in plays]
    lead = cards_played[0][1]
    seat, card = twin.winner(cards_played, end["trump"], lead[0])
    meri = twin.is_trump(lead, end["trump"])
    name = None if meri else twin.combination(cards_played, end["trump"], seat, card)
    return seat, twin.transfer(name, ninth=False, concealed=end["robai"] == "concealed")


def replayed(guess: HachininMeriState) -> HachininMeriState:
    """Deal the cards of a state anew and replay its decisions; every one of them must be legal."""
    views = [guess.observation(seat) for seat in range(8)]
    log = [(seat, views[seat]["history"][i][1]) for i, (seat, _) in enumerate(views[0]["history"])]
    hands = [set(view["hand"]) for view in views]
    for seat, text in log:
        if text.startswith(("play:", "discard:", "last:")):
            hands[seat].add(text.partition(":")[2])
    view = views[0]
    if view["receiver"] is not None:
        hands[view["receiver"]].discard(view["indicator"])
    stock = view["side_cards"][1:] if view["side_cards"] else set(CODES) - set().union(*hands)
    first, second = cards(" ".join(code for code in stock if code != view["indicator"]))
    state = HachininMeriState.with_hands(
        hands=[[CARD_OF[code] for code in hand] for hand in hands],
        indicator=CARD_OF[view["indicator"]],
        stock=(first, second),
    )
    do(state, *(text for _, text in log if not text.startswith(("indicator:", "side:", "last:"))))
    return state


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1), st.integers(0, 72), st.integers(0, 7), st.integers(0, 2**32 - 1))
def test_determinize_gives_a_deal_that_could_have_been_played(
    seed: int, decisions: int, seat: int, draw: int
) -> None:
    state = random_position(2 * seed, decisions)
    before = [state.observation(other) for other in range(8)]
    guess = state.determinize(seat, Stream(str(draw)))
    assert guess.observation(seat) == before[seat]
    assert [state.observation(other) for other in range(8)] == before
    if guess.to_move is not None:
        again = replayed(guess)
        assert again.legal_actions() == guess.legal_actions()
        fields = ("hand", "legal", "history", "robai", "lone_sun", "trick", "tricks_won")
        for other in range(8):
            mine, other_view = guess.observation(other), again.observation(other)
            assert [mine[name] for name in fields] == [other_view[name] for name in fields]


def test_determinize_knows_the_lone_sun_exception() -> None:  # §7: seat 7 did not follow the Meri of trick 3
    state = whole_deal()
    everybody_passes(state)
    do(state, "discard:P-4")
    for line in WHOLE_PLAY[:3]:
        play(state, line)
    trumps = {code for code in CODES if twin.is_trump(code, "O")}
    held = [trumps & set(state.determinize(0, Stream(str(i))).observation(7)["hand"]) for i in range(60)]
    assert set().union(*held) == {"O-Sun"}
    assert set() in held


def test_greedy_beats_random_in_duplicate_play() -> None:
    def margin(seed: bytes, greedy_side: int) -> int:
        state, rng = GAME.new_match(seed=seed, options={"rounds": 1}), Stream(seed)
        while state.to_move is not None:
            action = rng.choice(state.legal_actions())
            if state.to_move % 2 == greedy_side:
                action = state.parse_action(GAME.greedy(state.observation(state.to_move)))
            state.apply(action)
        scores = state.scores()
        return scores[greedy_side] - scores[1 - greedy_side]

    margins = [(margin(b"%d" % deal, 0) + margin(b"%d" % deal, 1)) / 2 for deal in range(80)]
    mean = sum(margins) / len(margins)
    error = (sum((each - mean) ** 2 for each in margins) / len(margins) / (len(margins) - 1)) ** 0.5
    assert mean > 1.96 * error


# The rules page


def page_examples() -> list[tuple[int, Observation]]:
    """Return (decisions made, observation) of each example on the rules page."""
    found = re.findall(r"After (\d+) decisions?.*?```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [(int(decisions), json.loads(text)) for decisions, text in found]


def test_the_examples_of_the_page_are_what_the_engine_gives() -> None:
    examples = page_examples()
    assert [view["phase"] for _, view in examples] == ["announce", "discard", "play", "over"]
    for decisions, view in examples:
        state = GAME.new_match(seed=SEED, options={"rounds": 1})
        for _ in range(decisions):
            state.apply(state.parse_action(min(legal_texts(state.action_text, state.legal_actions()))))
        assert state.observation(view["seat"]) == view


def legal_texts(text_of: Callable[[int], str], actions: list[int]) -> list[str]:
    return [text_of(action) for action in actions]
