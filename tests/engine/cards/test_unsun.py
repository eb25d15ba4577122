"""Tricks with the Unsun pack: the worked examples of docs/games/hachinin_meri.md §6."""

import pytest

from engine.cards.unsun import CARD_OF, TRUMPS, Trick, answers, bound_by, settle_trick

SUITS = "PIKOG"


def cards(codes: str) -> list[int]:
    return [CARD_OF[code] for code in codes.split()]


def settle(trump: str, line: str, *, concealed: bool = False, ninth_suit_by: int | None = None) -> Trick:
    """Settle a trick of "seat:card" words."""
    plays = [word.rstrip("*").split(":") for word in line.split()]
    played = cards(" ".join(code for _, code in plays))
    trumps = TRUMPS[SUITS.index(trump)]
    return settle_trick(trumps, int(plays[0][0]), played, concealed=concealed, ninth_suit_by=ninth_suit_by)


@pytest.mark.parametrize(
    ("hand", "lead", "meri_seen", "lone_sun", "expected"),
    [
        ("P-Robai I-4 O-1", "K-2", False, False, "P-Robai"),  # §6.5
        ("K-Sun I-4 O-1", "K-2", False, False, "K-Sun"),
        ("K-Sun I-4 O-1", "K-2", False, True, "K-Sun I-4 O-1"),
        ("K-Sun K-4 O-1", "K-2", False, True, "K-Sun K-4"),  # a lone-Sun dealer with the indicator, §3.5
        ("I-4 O-1", "K-2", True, False, "I-4 O-1"),
        ("P-9 P-Robai K-3 I-4", "P-5", True, False, "P-9 P-Robai K-3"),  # §6.6
        ("P-Robai I-4 O-1", "P-5", True, False, "P-Robai I-4 O-1"),
        ("P-2 I-4", "P-5", True, False, "P-2"),
        ("P-2 I-4 K-3", "P-5", False, False, "P-2 I-4 K-3"),
    ],
)
def test_what_may_answer_a_lead(hand: str, lead: str, meri_seen: bool, lone_sun: bool, expected: str) -> None:
    trumps = TRUMPS[SUITS.index("K")]
    bound = bound_by(trumps, CARD_OF[lead], meri_seen)
    assert answers(cards(hand), bound, trumps.sun if lone_sun else None) == cards(expected)


@pytest.mark.parametrize(
    ("trump", "line", "winner"),
    [
        ("K", "5:G-5 6:K-Un* 7:G-Sun 0:K-9* 1:I-1 2:O-3 3:K-Sun* 4:G-1", 3),  # §6.2
        ("G", "2:K-9 3:K-Robai 4:K-1 5:K-Sota 6:O-Sun 7:I-Un 0:P-Sun 1:K-2", 5),  # §6.3
        ("G", "2:K-9 3:K-Robai 4:K-1 5:K-Sota 6:O-Sun 7:I-Un 0:G-Sun* 1:K-2", 0),
        ("G", "0:I-1 1:I-Robai 2:I-2 3:O-Sun 4:P-9 5:K-Un 6:O-1 7:P-Sun", 2),
        ("K", "6:K-2 7:K-Sun 0:K-Un 1:K-7 2:I-3 3:K-5 4:P-Robai 5:K-8", 7),  # §6.5
    ],
)
def test_who_wins_a_trick(trump: str, line: str, winner: int) -> None:
    assert settle(trump, line).winner == winner


@pytest.mark.parametrize(
    ("trump", "line", "concealed", "expected"),
    [
        ("K", "5:G-5 6:K-Un 7:G-Sun 0:K-9 1:I-1 2:O-3 3:K-Sun 4:G-1", False, (3, "Sun-Un", 2)),  # §6.2
        ("G", "2:K-9 3:K-Robai 4:K-1 5:K-Sota 6:O-Sun 7:I-Un 0:G-Sun 1:K-2", False, (0, None, 0)),  # §6.3
        ("K", "0:I-4 1:K-Sota 2:P-Robai 3:I-9 4:K-Robai 5:O-1 6:G-2 7:P-3", True, (1, None, 0)),  # §6.4a
        ("K", "0:I-4 1:K-Sota 2:I-2 3:P-Robai 4:K-Robai 5:O-1 6:G-2 7:P-3", False, (1, "Sota-Robai", 2)),  # b
        ("K", "0:I-4 1:K-Sota 2:I-2 3:P-Robai 4:K-Robai 5:O-1 6:G-2 7:P-3", True, (1, "Sota-Robai", 5)),
        ("K", "0:I-4 1:P-Robai 2:K-Rei 3:I-2 4:I-3 5:O-1 6:G-2 7:P-3", True, (1, None, 0)),  # c
        ("K", "0:I-4 1:K-Robai 2:K-Rei 3:I-2 4:I-3 5:O-1 6:G-2 7:P-3", True, (1, "Robai-Rei", 5)),  # d
        ("K", "0:I-4 1:K-Robai 2:K-Rei 3:I-2 4:I-3 5:O-1 6:G-2 7:P-3", False, (1, "Robai-Rei", 2)),
        ("K", "0:I-4 1:K-Sun 2:K-Sota 3:K-Un 4:I-3 5:O-1 6:G-2 7:P-3", True, (1, None, 0)),  # e
        ("K", "6:K-2 7:K-Sun 0:K-Un 1:K-7 2:I-3 3:K-5 4:P-Robai 5:K-8", True, (7, None, 0)),  # §6.5
        ("O", "0:I-4 1:O-8 2:O-9 3:I-2 4:I-3 5:K-1 6:G-2 7:P-3", True, (1, "8-9", 2)),  # §6.7
        ("O", "0:I-4 1:O-1 2:O-2 3:I-2 4:I-3 5:K-1 6:G-2 7:P-3", True, (1, None, 0)),
        ("I", "0:O-4 1:I-2 2:I-1 3:O-5 4:O-6 5:K-1 6:G-2 7:P-3", True, (1, "2-1", 2)),
        ("P", "0:I-4 1:P-Sota 2:P-Robai 3:I-2 4:I-3 5:K-1 6:G-2 7:O-3", True, (1, "Sota-Robai", 5)),  # §6.10
        ("P", "0:I-4 1:P-Sota 2:P-Robai 3:I-2 4:I-3 5:K-1 6:G-2 7:O-3", False, (1, "Sota-Robai", 2)),
        ("P", "0:I-4 1:P-Robai 2:P-Rei 3:I-2 4:I-3 5:K-1 6:G-2 7:O-3", True, (1, "Robai-Rei", 5)),
        ("P", "0:I-4 1:P-Robai 2:P-Rei 3:I-2 4:I-3 5:K-1 6:G-2 7:O-3", False, (1, "Robai-Rei", 2)),
    ],
)
def test_which_combination_a_trick_holds(
    trump: str, line: str, concealed: bool, expected: tuple[int, str | None, int]
) -> None:
    trick = settle(trump, line, concealed=concealed)
    assert (trick.winner, trick.combination, trick.transfer) == expected


NINTH_OF_EIGHT = "0:P-Sun 1:O-9 2:I-Sun 3:O-2 4:O-7 5:G-Un 6:I-8 7:P-9"


def test_the_suit_of_a_ninth_trick_without_trumps() -> None:  # §6.8
    assert settle("K", NINTH_OF_EIGHT, ninth_suit_by=4).winner == 3
    assert settle("K", NINTH_OF_EIGHT, ninth_suit_by=0).winner == 0


@pytest.mark.parametrize(
    ("trump", "line", "combination"),
    [
        ("I", "0:O-4 1:I-2 2:I-1 3:O-5 4:O-6 5:K-1 6:G-2 7:P-3", "2-1"),  # §6.7
        ("K", "0:I-4 1:K-Robai 2:K-Rei 3:I-2 4:I-3 5:O-1 6:G-2 7:P-3", "Robai-Rei"),  # §6.9
        ("K", "0:K-8 1:K-Sun 2:K-Un 3:I-2 4:I-3 5:O-1 6:G-2 7:P-3", "Sun-Un"),  # §3.6: no Meri
    ],
)
def test_a_combination_in_the_ninth_trick_is_worth_five_at_most(
    trump: str, line: str, combination: str
) -> None:
    trick = settle(trump, line, concealed=True, ninth_suit_by=0)
    assert (trick.meri, trick.combination, trick.transfer) == (False, combination, 5)
