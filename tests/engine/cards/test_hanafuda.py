"""The pack against its page and against the slow twin."""

import re
from pathlib import Path

import pytest
from support import twins_hanafuda as twin

from engine.cards import hanafuda

PAGE = Path(__file__).parents[3] / "docs" / "games" / "hanafuda.md"


def test_the_cards_are_those_of_the_page_in_its_order() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if re.match(r"\| \d", line)]
    assert [code for row in rows for code in re.findall(r"`([^`]+)`", row)] == list(hanafuda.CODES)


def test_the_flowers_are_those_of_the_page() -> None:
    rows = re.findall(r"\| \d+ \| ([a-z ]+?)(?: \(rain\))? \|", PAGE.read_text())
    assert [row.replace(" ", "-") for row in rows] == list(hanafuda.FLOWERS)


def test_codes_kinds_and_months_are_those_of_the_twin() -> None:
    kinds = {"bright": twin.BRIGHTS, "animal": twin.ANIMALS, "ribbon": twin.RIBBONS, "junk": twin.JUNK}
    assert list(hanafuda.CODES) == twin.PACK
    for card in hanafuda.CARDS:
        assert card.code in kinds[card.kind]
        assert str(card.month) == twin.flower(card.code)


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        (hanafuda.BRIGHTS, 5),
        (hanafuda.ANIMALS, 9),
        (hanafuda.RIBBONS, 10),
        (hanafuda.JUNKS, 24),
        (hanafuda.FULL_PACK, 48),
    ],
)
def test_each_kind_has_its_number_of_cards(kind: int, number: int) -> None:
    assert kind.bit_count() == number


def test_values_are_those_of_the_twin() -> None:
    assert list(hanafuda.JAPANESE_VALUES) == [twin.value(code) for code in hanafuda.CODES]
    assert sum(hanafuda.JAPANESE_VALUES) == 240


@pytest.mark.parametrize("codes", [[], ["1-crane"], ["1-k2", "6-rib", "11-gaji", "12-k2"], twin.PACK])
def test_a_mask_gives_back_its_codes_in_canonical_order(codes: list[str]) -> None:
    assert hanafuda.codes_in(hanafuda.mask(*reversed(codes))) == codes
    assert [hanafuda.CODES[card] for card in hanafuda.cards_in(hanafuda.mask(*codes))] == codes


def test_an_unknown_code_is_named() -> None:
    with pytest.raises(KeyError, match="13-moon"):
        hanafuda.mask("13-moon")


def test_a_card_matches_the_four_of_its_month() -> None:
    for card, code in enumerate(hanafuda.CODES):
        matching = hanafuda.codes_in(hanafuda.MATCHES[card])
        assert matching == [other for other in twin.PACK if twin.flower(other) == twin.flower(code)]
