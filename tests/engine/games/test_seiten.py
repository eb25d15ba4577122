"""The rules of seiten, paragraph by paragraph, and its page docs/games/seiten.md."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine import options as option_kinds
from engine.errors import BadOptions, IllegalAction, MatchNotOver
from engine.games import get
from engine.games.seiten import CARD_OF, COLOURS, NO_UMBRELLA, OPTIONS, SeitenState, penalty, places
from engine.options import OptionValue
from engine.rng import Stream

PAGE = Path(__file__).parents[3] / "docs" / "games" / "seiten.md"
SEED = bytes([0, 1])
GAME = get("seiten")


def cards(*hands: str) -> list[list[int]]:
    """Return sorted hands of card codes with spaces; "K4-K12" is a run."""
    return [sorted(CARD_OF[code] for part in hand.split() for code in _run(part)) for hand in hands]


def _run(text: str) -> list[str]:
    first, _, last = text.partition("-")
    return [f"{first[0]}{n}" for n in range(int(first[1:]), int((last or first)[1:]) + 1)]


def departure(*hands: str, leader: int = 0, trick: int = 1, **options: OptionValue) -> SeitenState:
    return SeitenState(option_kinds.complete(OPTIONS, options), cards(*hands), cards(*hands), leader, trick)


def in_return(
    umbrellas: str, *hands: str, leader: int = 0, trick: int = 1, **options: OptionValue
) -> SeitenState:
    held = [NO_UMBRELLA if letter == "-" else COLOURS.index(letter) for letter in umbrellas]
    return SeitenState.in_return(option_kinds.complete(OPTIONS, options), cards(*hands), held, leader, trick)


def play(state: SeitenState, line: str) -> SeitenState:
    """Play "seat:action" words in order; an action is a card or a text."""
    for word in line.split():
        seat, _, text = word.partition(":")
        assert state.to_move == int(seat)
        state.apply(state.parse_action(f"play:{text}" if text in CARD_OF else text))
    return state


def legal(state: SeitenState) -> list[str]:
    return [state.action_text(action) for action in state.legal_actions()]


def last_trick(state: SeitenState) -> tuple[int, bool]:
    """Return who won the last trick, and whether it was with an umbrella."""
    trick = state.observation(0)["last_trick"]
    return trick["winner"], trick["with"]


def trick(umbrellas: str, line: str, **options: OptionValue) -> tuple[int, bool]:
    """Return winner and booking of one trick in mid-Return; "-" is a seat without an umbrella."""
    hands = [word[2:] for word in sorted(line.split())]
    return last_trick(play(in_return(umbrellas, *hands, leader=int(line[0]), trick=5, **options), line))


# §1 Departure
SECOND_EXAMPLE = ("K4-K12 P12-P15", "O1-O8 O10-O12 K1 K2", "O9 K3 P1-P11", "B1-B11 K13 K14")


def test_a_leader_may_play_any_card_or_open_any_umbrella() -> None:
    state = departure(*SECOND_EXAMPLE)
    assert legal(state) == [f"play:K{n}" for n in range(4, 13)] + [f"play:P{n}" for n in range(12, 16)] + [
        "open:B",
        "open:O",
        "open:K",
        "open:P",
    ]


def test_example_2_a_leader_who_opens_passes_the_lead_and_the_first_card_is_followed() -> None:
    state = play(departure(*SECOND_EXAMPLE), "0:open:P 1:O5")
    assert state.observation(2)["leader"] == 0
    assert legal(state) == ["play:O9", "open:B", "open:O", "open:K"]
    assert last_trick(play(state, "2:O9 3:K14")) == (2, False)


def test_example_3_the_last_seat_of_a_trick_without_a_card_must_play_one() -> None:
    state = play(departure(*SECOND_EXAMPLE), "0:open:B 1:open:O 2:open:K")
    assert legal(state) == [f"play:B{n}" for n in range(1, 12)] + ["play:K13", "play:K14"]
    assert last_trick(play(state, "3:B1")) == (3, False)
    assert legal(state) == [f"play:B{n}" for n in range(2, 12)] + ["play:K13", "play:K14", "open:P"]


def test_example_4_somebody_must_have_opened_before_trick_14() -> None:
    state = play(departure("B3", "B7", "K2", "B11", trick=13), "0:B3 1:B7 2:K2")
    assert legal(state) == ["open:B", "open:O", "open:K", "open:P"]
    play(state, "3:open:P")
    assert last_trick(state) == (1, False)
    assert legal(state) == ["open:B", "open:O", "open:K"]
    play(state, "1:open:B 2:open:O 3:B11 0:open:K")
    seen = state.observation(0)
    assert seen["tricks_won"]["departure"] == [[0, 0], [0, 1], [0, 0], [1, 0]]
    assert (seen["part"], state.to_move, seen["last_trick"], seen["history"]) == ("return", 3, None, [])
    assert seen["last_round"] == {"scores": [0, -1, 0, -1], "end": "played", "tail": [[0, "open:K"]]}


def test_in_trick_13_the_last_seat_may_play_when_somebody_has_opened() -> None:
    state = play(departure("B3", "B7", "K2", "B11", trick=13), "0:B3 1:B7 2:open:K")
    assert legal(state) == ["play:B11", "open:B", "open:O", "open:P"]


def test_with_three_seats_one_umbrella_stays_in_the_centre_for_good() -> None:
    state = GAME.new_match(seats=3, seed=SEED)
    while state.observation(0)["part"] == "departure":
        state.apply(state.legal_actions()[-1])
    assert state.observation(0)["centre"] == ["B"]
    assert state.observation(0)["umbrellas"] == ["P", "K", "O"]


# §2 Who wins a trick
@pytest.mark.parametrize(
    ("umbrellas", "line", "winner", "is_with"),
    [
        ("-PKB", "0:P15 1:P10 2:K11 3:B11", 3, True),  # §7 example 1
        ("BKPO", "0:K14 1:K2 2:O12 3:O1", 1, True),  # §7 example 5
        ("----", "0:B4 1:O12 2:B2 3:P15", 0, False),  # §7 example 6
        ("P---", "0:B4 1:O12 2:B2 3:P15", 0, True),  # a win with an umbrella need not be Sunny
    ],
)
def test_the_highest_sunny_card_wins_and_otherwise_the_led_colour(
    umbrellas: str, line: str, winner: int, is_with: bool
) -> None:
    assert trick(umbrellas, line) == (winner, is_with)


# §3 Return
def test_example_8_the_holders_answer_in_the_order_of_the_dots() -> None:
    state = play(in_return("PBKO", "K1 P3", "K2 P2", "K9 P15", "K4 O6", leader=2), "2:K9 3:K4 0:K1 1:K2")
    assert last_trick(state) == (2, True)
    seen = state.observation(3)
    assert (seen["phase"], seen["trick_number"], seen["leader"]) == ("close", 1, 2)
    assert (seen["trick"], seen["led_colour"], seen["legal"]) == ([], None, [])
    assert legal(state) == ["close", "keep"]
    play(state, "1:keep 3:keep 2:close 0:keep")
    seen = state.observation(0)
    assert (seen["phase"], seen["trick_number"], seen["leader"]) == ("play", 2, 2)
    assert (seen["umbrellas"], seen["closed"]) == (["P", "B", None, "O"], [False, False, True, False])
    assert seen["centre"] == ["K"]
    assert last_trick(play(state, "2:P15 3:O6 0:P3 1:P2")) == (3, True)


def test_what_is_open_after_trick_13_closes_by_itself() -> None:
    state = play(in_return("PBKO", "K1", "K2", "K9", "K4", leader=2, trick=13), "2:K9 3:K4 0:K1 1:K2")
    seen = state.observation(0)
    assert state.to_move is None and state.legal_actions() == []
    assert seen["history"][4:] == [[1, "closed"], [3, "closed"], [2, "closed"], [0, "closed"]]
    assert (seen["part"], seen["phase"], seen["umbrellas"]) == ("over", "over", [None] * 4)
    assert (seen["centre"], seen["closed"]) == (["B", "O", "K", "P"], [True] * 4)
    assert seen["scores"] == state.scores() == [0, 0, -1, 0]


@pytest.mark.parametrize(
    ("umbrellas", "options", "leader"),
    [
        ("OBKP", {}, 2),
        ("OBKP", {"return_leader": "blue_holder"}, 1),
        ("OKP", {"return_leader": "blue_holder"}, 2),
        ("OBKP", {"powers": True}, 1),
        ("OKP", {"powers": True}, 2),
    ],
)
def test_who_leads_return(umbrellas: str, options: dict[str, OptionValue], leader: int) -> None:
    hands = cards("B1", "B2", "B3", "B4")[: len(umbrellas)]
    held = [COLOURS.index(letter) for letter in umbrellas]
    state = SeitenState.in_return(option_kinds.complete(OPTIONS, options), hands, held, last_winner=2)
    assert state.to_move == leader


# §4 Scoring
NINTH = ([(3, 2), (0, 3), (2, 2), (0, 2)], [(2, 0), (2, 2), (1, 4), (2, 0)])
TENTH = ([(3, 2), (2, 1), (0, 4), (0, 2)], [(2, 1), (1, 2), (0, 5), (2, 0)])
Won = tuple[list[tuple[int, int]], list[tuple[int, int]]]


@pytest.mark.parametrize(
    ("won", "scoring", "totals", "expected"),
    [
        (NINTH, "difference", [3, 3, 3, 4], [2, 1, 3, 4]),  # §7 example 9
        (NINTH, "tens", [30, 31, 31, 40], [1, 2, 3, 4]),
        (TENTH, "difference", [2, 2, 9, 4], [1, 1, 4, 3]),  # §7 example 10
    ],
)
def test_totals_and_places(won: Won, scoring: str, totals: list[int], expected: list[int]) -> None:
    options = {"scoring": scoring}
    scores = [-penalty(d, options) - penalty(r, options) for d, r in zip(*won, strict=True)]
    assert [-score for score in scores] == totals
    assert places(scores, won[1], options) == expected


# §5 Powers
@pytest.mark.parametrize(
    ("umbrellas", "line", "winner"),
    [
        ("BOKP", "0:B11 1:O5 2:B3 3:B4", 1),
        ("BOKP", "1:O5 2:O2 3:O1 0:B11", 0),
        ("BOKP", "2:K14 3:K3 0:K1 1:O10", 1),
        ("BOKP", "3:P15 0:P4 1:O10 2:K14", 2),
        ("BOPK", "0:K5 1:K9 2:O12 3:K1", 3),
    ],
)
def test_example_7_orange_and_black_raise_sunny_cards(umbrellas: str, line: str, winner: int) -> None:
    assert trick(umbrellas, line, powers=True) == (winner, True)


def test_example_7_without_powers_nothing_is_raised() -> None:
    assert trick("BOKP", "3:P15 0:P4 1:O10 2:K14") == (3, True)


def test_example_11_purple_discards_and_the_next_seat_leads() -> None:
    state = in_return("OPK", "O5 B3", "P15 B9", "B2 K1", leader=1, powers=True)
    assert legal(state) == ["discard:B9", "discard:P15"]
    assert state.observation(1)["phase"] == "discard"
    play(state, "1:discard:B9 2:B2")
    assert legal(state) == ["play:B3"]
    assert last_trick(play(state, "0:B3")) == (0, True)
    assert state.observation(0)["trick_number"] == 1 and state.observation(0)["phase"] == "close"


def test_a_discard_is_seen_by_its_own_seat_alone_for_ever() -> None:
    state = play(in_return("OPK", "O5", "P15 B9", "B2", leader=1, powers=True), "1:discard:B9")
    assert state.observation(1)["history"] == state.observation(1)["trick"] == [[1, "discard:B9"]]
    assert state.observation(0)["history"] == state.observation(0)["trick"] == [[1, "discard:?"]]
    play(state, "2:B2 0:O5")
    assert state.observation(1)["last_trick"]["plays"][0] == [1, "discard:B9"]
    assert state.observation(2)["last_trick"]["plays"][0] == [1, "discard:?"]


def test_the_discarder_is_dealt_random_hidden_cards_for_others() -> None:
    hands = ("K4-K12 P12-P15", "O1-O8 O10-O12 K1 K2", "B1-B11 K13 K14")
    state = play(in_return("OPK", *hands, leader=1, powers=True), "1:discard:O7 2:B1 0:K4")
    assert state.determinize(1, Stream("x")).observation(1) == state.observation(1)
    discards = {
        state.determinize(0, Stream(f"{n}")).observation(1)["history"][0][1].split(":")[1] for n in range(40)
    }
    assert (
        len(discards) > 10
        and not discards & {"B1", "K4"}
        and not discards & set(state.observation(0)["hand"])
    )


# §6 Who sees what
def test_determinize_keeps_to_voids_proved_by_play() -> None:
    hands = ("K4-K12 P12-P15", "O1-O8 O10-O12 K1 K2", "O9 K3 P1-P11", "B1-B11 K13 K14")
    state = play(departure(*hands), "0:K4 1:K1 2:K3 3:K13 3:B1 0:K5 1:O1 2:O9")
    for n in range(20):
        other = state.determinize(3, Stream(f"{n}"))
        for seat in (0, 1, 2):
            assert not any(code.startswith("B") for code in other.observation(seat)["hand"])


def test_determinize_agrees_with_every_colour_that_was_not_followed() -> None:
    checked = 0
    for n in range(12):
        state, rng = (
            GAME.new_match(seats=3 + n % 2, options={"powers": n > 5}, seed=b"%d" % n),
            Stream(f"{n}"),
        )
        while state.to_move is not None:
            state.apply(rng.choice(state.legal_actions()))
            if rng.below(8) == 0:
                seen = state.determinize(rng.below(3), rng)
                for seat, colour in void_colours(state.observation(0)):
                    checked += 1
                    assert not [code for code in seen.observation(seat)["hand"] if code[0] == colour]
    assert checked > 100


def void_colours(seen: dict[str, Any]) -> set[tuple[int, str]]:
    """Return the seats that did not follow a led colour in this part, and the colour, from the history."""
    found = set()
    decisions = [entry for entry in seen["history"] if ":" in entry[1]]
    for first in range(0, len(decisions), seen["seats"]):
        played = [
            (seat, text[5]) for seat, text in decisions[first : first + seen["seats"]] if "play:" in text
        ]
        found |= {(seat, played[0][1]) for seat, colour in played if colour != played[0][1]}
    return found


def test_determinize_makes_the_future_deal_random() -> None:
    state = GAME.new_match(seed=SEED)
    later = set()
    for n in range(3):
        other = state.determinize(0, Stream(f"{n}"))
        while other.observation(0)["part"] == "departure":
            other.apply(other.legal_actions()[0])
        later.add(tuple(other.observation(0)["hand"]))
    assert len(later) == 3


# §8 A whole match
MATCH_HANDS = (
    "B2 B3 B8 B9 B10 O7 O11 K8 P3 P6 P7 P13 P15",
    "B1 B6 O4 O10 K3 K9 K11 K14 P1 P2 P8 P11 P12",
    "B5 B11 O2 O3 O5 O6 O8 O9 O12 K4 K5 K6 P4",
    "B4 B7 O1 K1 K2 K7 K10 K12 K13 P5 P9 P10 P14",
)
MATCH_RETURN = (
    "B3 O2 O5 O10 K1 K9 K10 P3 P7 P9 P11 P12 P15",
    "B1 B8 B9 B11 O1 O3 O6 O8 K14 P2 P8 P13 P14",
    "B5 B6 B7 B10 O9 O11 O12 K3 K8 K11 K13 P5 P10",
    "B2 B4 O4 O7 K2 K4 K5 K6 K7 K12 P1 P4 P6",
)
MATCH = """
1:open:B 2:O9 3:O1 0:O7 -> 2 without
2:K6 3:K12 0:K8 1:K14 -> 1 with
1:K9 2:K4 3:K10 0:P7 -> 3 without
3:K2 0:B3 1:K11 2:K5 -> 1 with
1:P12 2:P4 3:P5 0:P13 -> 0 without
0:open:P 1:O10 2:open:O 3:B4 -> 1 with
1:P8 2:O6 3:P14 0:P6 -> 0 with
0:B8 1:B6 2:B11 3:B7 -> 1 with
1:P2 2:O2 3:P10 0:P15 -> 0 with
0:O11 1:O4 2:O12 3:open:K -> 2 with
2:O3 3:K1 0:B10 1:P11 -> 2 with
2:B5 3:K7 0:B9 1:B1 -> 3 with
3:P9 0:P3 1:P1 2:O5 -> 2 with
2:O8 3:K13 0:B2 1:K3 -> 3 with
3:B4 0:B3 1:B1 2:B10 -> 1 with ; close
1:O6 2:O11 3:O7 0:O2 -> 2 with ; close
2:O9 3:O4 0:O5 1:O8 -> 2 with ; close 1 0
2:K3 3:K5 0:K1 1:K14 -> 3 with ; close 3
3:P1 0:P9 1:P14 2:P5 -> 1 without ; close 2
1:B9 2:B6 3:B2 0:P12 -> 1 without
1:B8 2:B5 3:K12 0:K10 -> 1 without
1:P2 2:P10 3:P6 0:P7 -> 2 without
2:K8 3:K4 0:K9 1:O1 -> 0 without
0:O10 1:O3 2:O12 3:K2 -> 2 without
2:B7 3:K6 0:P15 1:B11 -> 1 without
1:P8 2:K13 3:P4 0:P3 -> 1 without
1:P13 2:K11 3:K7 0:P11 -> 1 without
"""


@pytest.mark.parametrize(
    ("scoring", "totals", "expected"),
    [("difference", [2, 9, 2, 2], [2, 4, 1, 2]), ("tens", [20, 90, 21, 20], [1, 4, 3, 1])],
)
def test_the_whole_match(scoring: str, totals: list[int], expected: list[int]) -> None:
    options = option_kinds.complete(OPTIONS, {"scoring": scoring})
    state = SeitenState(options, cards(*MATCH_HANDS), cards(*MATCH_RETURN), leader=1)
    booked = [[[0, 0] for _ in range(4)] for _ in range(2)]
    for number, row in enumerate(MATCH.strip().splitlines()):
        line, _, rest = row.partition(" -> ")
        result, _, closing = rest.partition(" ; ")
        play(state, line)
        winner, booking = int(result[0]), result[2:]
        booked[number >= 14][winner][booking == "without"] += 1
        seen = state.observation(0)
        assert seen["tricks_won"] == {"departure": booked[0], "return": booked[1]}, row
        while state.observation(0)["phase"] == "close":
            text = "close" if str(state.to_move) in closing.split() else "keep"
            state.apply(state.parse_action(text))
    assert booked[0] == [[2, 1], [4, 0], [3, 1], [2, 1]]
    assert booked[1] == [[0, 1], [1, 6], [2, 2], [1, 0]]
    assert state.scores() == [-total for total in totals]
    assert state.placements() == expected


# §9 Check values
@pytest.mark.parametrize(
    ("seats", "pick", "decisions", "scores"),
    [
        (4, min, 112, [-1, -11, -3, -8]),
        (4, max, 156, [-3, -11, -8, -3]),
        (3, min, 84, [-6, -15, -2]),
        (3, max, 117, [-5, -12, -8]),
    ],
)
def test_check_values(
    seats: int, pick: Callable[[list[str]], str], decisions: int, scores: list[int]
) -> None:
    state = GAME.new_match(seats=seats, seed=SEED)
    made = 0
    while state.to_move is not None:
        state.apply(state.parse_action(pick([state.action_text(a) for a in state.legal_actions()])))
        made += 1
    assert (made, state.scores()) == (decisions, scores)
    if decisions == 156:
        assert state.placements() == [2, 4, 3, 1]


# Options and errors
@pytest.mark.parametrize("seats", [2, 5, True, "4"])
def test_other_seat_counts_are_refused(seats: int) -> None:
    with pytest.raises(BadOptions, match="allowed for seiten: 3, 4"):
        GAME.new_match(seats=seats, seed=SEED)


def test_an_action_that_is_not_open_is_refused() -> None:
    state = departure(*SECOND_EXAMPLE)
    with pytest.raises(IllegalAction):
        state.apply(state.parse_action("play:B1"))
    with pytest.raises(IllegalAction):
        state.parse_action("play:B12")
    with pytest.raises(IllegalAction):
        state.action_text(-1)
    with pytest.raises(MatchNotOver):
        state.scores()
    with pytest.raises(MatchNotOver):
        state.placements()


# The greedy house bot
def test_greedy_beats_random() -> None:
    shares = []
    for deal in range(40):
        beaten = 0.0
        for seat in range(4):
            state = GAME.new_match(seed=b"%d" % deal)
            rng = Stream(f"{deal}/{seat}")
            while (mover := state.to_move) is not None:
                chosen = GAME.greedy(state.observation(mover)) if mover == seat else None
                state.apply(state.parse_action(chosen) if chosen else rng.choice(state.legal_actions()))
            places_ = state.placements()
            beaten += (
                sum(1.0 if p > places_[seat] else 0.5 if p == places_[seat] else 0.0 for p in places_) - 0.5
            )
        shares.append(beaten / 12)
    mean = sum(shares) / len(shares)
    deviation = (sum((share - mean) ** 2 for share in shares) / (len(shares) - 1)) ** 0.5
    assert mean - 3 * deviation / len(shares) ** 0.5 > 0.5


# The page
EXAMPLES = re.findall(r"<!-- example (.*?) -->\n+```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def test_the_page_has_an_example_of_every_phase() -> None:
    phases = {json.loads(shown)["phase"] for _, shown in EXAMPLES}
    assert phases == {"play", "discard", "close", "over"}


@pytest.mark.parametrize(("origin", "shown"), EXAMPLES)
def test_the_examples_of_the_page_are_what_the_engine_gives(origin: str, shown: str) -> None:
    how = json.loads(origin)
    state = GAME.new_match(seats=how["seats"], options=how["options"], seed=bytes.fromhex(how["seed"]))
    rng = Stream(how["stream"])
    for _ in range(how["decisions"]):
        state.apply(rng.choice(state.legal_actions()))
    assert state.observation(how["seat"]) == json.loads(shown)
