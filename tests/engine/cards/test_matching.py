"""Actions of the capturing games: numbers, texts, when they are open, what they take."""

import re

import pytest

from engine.cards.hanafuda import CARD_OF, CODES, MATCHES, cards_in, codes_in, mask
from engine.cards.matching import ACTIONS, CHOSEN, DRAWS, PLAYS, TEXTS, captures, has_four, months_of_three

ONES = (1,) * 48


def plays(card: str, *matching: str) -> list[str]:
    return [TEXTS[action] for action in PLAYS[CARD_OF[card]][mask(*matching)]]


def test_every_action_has_a_text_of_its_own() -> None:
    assert len(TEXTS) == len(CHOSEN) == len(set(TEXTS)) == ACTIONS
    assert len([text for text in TEXTS if re.fullmatch(r"play:[^+]+", text)]) == 48
    assert len([text for text in TEXTS if re.fullmatch(r"play:.+\+.+", text)]) == 48 * 3
    assert len([text for text in TEXTS if re.fullmatch(r"draw\+.+", text)]) == 48


@pytest.mark.parametrize(
    ("matching", "texts"),
    [
        ((), ["play:4-k2"]),
        (("4-rib",), ["play:4-k2"]),
        (("4-rib", "4-k1"), ["play:4-k2+4-rib", "play:4-k2+4-k1"]),
        (("4-cuckoo", "4-rib", "4-k1"), ["play:4-k2"]),
    ],
)
def test_only_two_matching_cards_leave_a_choice(matching: tuple[str, ...], texts: list[str]) -> None:
    assert plays("4-k2", *matching) == texts


def test_an_action_takes_its_target_or_else_all_of_the_month() -> None:
    for action, text in enumerate(TEXTS):
        target = text.partition("+")[2]
        expected = mask(target) if target else MATCHES[CARD_OF[text.removeprefix("play:")]]
        assert CHOSEN[action] == expected


def test_a_turned_card_chooses_between_exactly_the_two_that_match() -> None:
    assert len(DRAWS) == 12 * 6
    for pair, actions in DRAWS.items():
        assert [TEXTS[action] for action in actions] == [f"draw+{code}" for code in codes_in(pair)]


def test_a_capture_names_the_capturing_card_first_then_the_canonical_order() -> None:
    cards, text, codes, points = captures(ONES)[CARD_OF["9-k1"]][mask("9-cup", "9-rib", "9-k2")]
    assert text == "takes:9-k1,9-cup,9-rib,9-k2"
    assert codes == ("9-k1", "9-cup", "9-rib", "9-k2")
    assert cards == MATCHES[CARD_OF["9-k1"]]
    assert points == 4


def test_there_is_a_capture_for_every_set_of_other_cards_of_the_month() -> None:
    for card, by_taken in enumerate(captures(ONES)):
        assert len(by_taken) == 7
        assert all(taken & MATCHES[card] == taken and not taken >> card & 1 for taken in by_taken)


def test_four_of_a_month_are_noticed_only_within_a_month() -> None:
    assert all(has_four(MATCHES[card]) for card in range(48))
    assert not has_four(mask("1-rib", "1-k1", "1-k2", "2-nightingale"))
    assert not has_four(mask(*[code for code in CODES if not code.endswith(("-k1", "-gaji"))]))


def test_months_of_three_leave_out_two_and_four() -> None:
    cards = mask("1-crane", "1-rib", "5-rib", "5-k1", "5-k2") | MATCHES[CARD_OF["7-boar"]] | mask("12-k1")
    assert months_of_three(cards) == (5,)
    assert months_of_three(mask(*[CODES[card] for card in cards_in((1 << 48) - 1) if card % 4])) == (
        *range(1, 13),
    )
