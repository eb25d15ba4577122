"""The frozen board of a season: places are those of what is written, which is near to what is found."""

from hashlib import sha256
from typing import Any

import pytest

from engine.board_check import Board
from engine.ledger import EntrantLine, Reader, WrongLine
from engine.online import Skill, places
from engine.record import canonical

Row = dict[str, Any]
LAST_DIGIT = 1e-14  # computers differ by it


def board(mus: list[float]) -> Board:
    entrants = [
        EntrantLine(
            number=number,
            owner="ann",
            bot=f"bot{number}",
            version=1,
            sha256="0" * 64,
            bot_kind="module",
            filler=False,
            games=[],
        )
        for number in range(len(mus))
    ]
    skills = {number: Skill(mu=mu, sigma=2.0) for number, mu in enumerate(mus)}
    return Board(entrants=entrants, skills=skills, played={}, ratings={})


def row(entrant: int, place: int, mu: float) -> Row:
    found = dict.fromkeys(("bot_id", "rating", "rating_low", "rating_high", "closing_points"))
    name = {"entrant": entrant, "name": f"ann/bot{entrant}", "version": 1, "matches": 0}
    return {**found, **name, "place": place, "mu": mu, "sigma": 2.0, "order": mu - 6.0}


def require(mus: list[float], rows: list[Row]) -> None:
    board(mus).require(Reader([]), rows, sha256(canonical(rows)).hexdigest())


def test_equal_ones_share_the_better_place() -> None:
    assert places([1.0, 3.0, 2.0, 3.0, 1.0]) == {3.0: 1, 2.0: 3, 1.0: 4}
    assert places([]) == {}


@pytest.mark.parametrize("last", [0.0, LAST_DIGIT, -LAST_DIGIT])
def test_the_last_digit_of_a_computer_makes_no_place(last: float) -> None:
    require([30.0 + last, 30.0, 20.0], [row(0, 1, 30.0), row(1, 1, 30.0), row(2, 3, 20.0)])


def test_the_last_digit_of_a_computer_undoes_no_place() -> None:
    require([30.0, 30.0], [row(1, 1, 30.000001), row(0, 2, 30.0)])


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([row(0, 1, 30.0), row(1, 2, 30.0)], "place is 2; it must be 1"),
        ([row(1, 1, 30.0), row(0, 1, 30.0)], "not in the order of their places"),
        ([row(0, 1, 30.0), row(1, 2, 29.0)], "mu is 29.0"),
        ([row(0, 1, 30.0), row(1, 2, 30.0) | {"order": 23.0}], "order is 23.0"),
        ([row(0, 1, 30.0), row(1, 1, 30.0) | {"order": None}], "order is None"),
        ([row(0, 1, 30.0), row(0, 1, 30.0)], "an entrant has two rows"),
        ([row(0, 1, 30.0), row(7, 2, 30.0)], "who is on no board"),
    ],
)
def test_a_wrong_board_is_refused(rows: list[Row], reason: str) -> None:
    with pytest.raises(WrongLine, match=reason):
        require([30.0, 30.0], rows)
