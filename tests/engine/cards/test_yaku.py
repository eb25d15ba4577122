"""Yaku in a pile: all of some cards, a number of them, replacement, payment."""

from engine.cards.hanafuda import mask
from engine.cards.yaku import Yaku, held, payments, total

PAIR = Yaku("pair", mask("1-rib", "2-rib"), 10)
TRIO = Yaku("trio", mask("1-rib", "2-rib", "3-rib"), 25, replaces="pair")
SOME = Yaku("some", mask("4-k1", "4-k2", "5-k1"), 5, least=2)
TABLE = (PAIR, TRIO, SOME)


def names(*codes: str) -> list[str]:
    return [yaku.name for yaku in held(TABLE, mask(*codes))]


def test_all_cards_of_a_yaku_are_needed() -> None:
    assert names("1-rib") == []
    assert names("1-rib", "2-rib", "9-cup") == ["pair"]


def test_a_number_of_cards_can_be_enough() -> None:
    assert names("4-k1") == []
    assert names("4-k1", "5-k1") == names("4-k1", "4-k2", "5-k1") == ["some"]


def test_a_yaku_can_replace_another() -> None:
    assert names("1-rib", "2-rib", "3-rib", "4-k1", "4-k2") == ["trio", "some"]


def test_values_add_up() -> None:
    assert total(held(TABLE, mask("1-rib", "2-rib", "4-k1", "4-k2"))) == 15
    assert total(()) == 0


def test_each_other_seat_pays_the_value() -> None:
    assert payments([100, 0, 0]) == [200, -100, -100]
    assert payments([70, 30, 20]) == [90, -30, -60]
    assert payments([5, 0]) == [5, -5]
