"""The rule that ends an event early: its form, and when it is asked."""

from typing import Any

import pytest

from engine.errors import BadOptions
from engine.intervals import UnitSum, UnitSums
from engine.stopping import StopRule

RULE = StopRule(separation=0.95, top=1)


def sums(*half_wins: tuple[int, int]) -> UnitSums:
    """Return the sums of two entrants, one unit of ten matches each."""
    rows = [
        UnitSum(unit=unit, entrant=entrant, matches=10, points=won)
        for unit, both in enumerate(half_wins)
        for entrant, won in enumerate(both)
    ]
    return UnitSums.of(rows, 2)


def test_a_rule_is_written_as_it_is_read() -> None:
    given = {"separation": 0.9, "top": 3}
    assert StopRule.from_json(given) == StopRule(separation=0.9, top=3)
    assert StopRule.from_json(given).to_json() == given


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"separation": 0.95},
        {"separation": 0.95, "top": 3, "luck": 1},
        {"separation": 1, "top": 3},
        {"separation": 1.0, "top": 3},
        {"separation": 0.4, "top": 3},
        {"separation": float("nan"), "top": 3},
        {"separation": "0.95", "top": 3},
        {"separation": 0.95, "top": 0},
        {"separation": 0.95, "top": True},
        {"separation": 0.95, "top": 1.0},
        {"separation": 0.95, "top": 2001},
    ],
)
def test_another_rule_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(BadOptions, match="stop"):
        StopRule.from_json(given)


@pytest.mark.parametrize(("blocks", "at"), [(1, []), (2, [0]), (5, [0, 1, 2, 3]), (100, [*range(1, 99, 2)])])
def test_it_is_asked_at_the_looks_but_not_after_the_last_block(blocks: int, at: list[int]) -> None:
    assert [block for block in range(blocks) if RULE.looks_at(block, blocks)] == at


def test_it_ends_an_event_when_the_named_places_are_separated() -> None:
    apart = sums((18, 2), (16, 4), (19, 1), (17, 3), (18, 2), (18, 2))
    close = sums((11, 9), (9, 11), (12, 8), (8, 12), (11, 9), (10, 10))
    assert RULE.ends(apart, 5)
    assert not RULE.ends(close, 5)


def test_the_more_often_it_is_asked_the_more_it_takes() -> None:
    between = sums((13, 7), (11, 9), (12, 8), (13, 7), (11, 9), (10, 10))
    assert RULE.ends(between, 1)
    assert not RULE.ends(between, 50)
