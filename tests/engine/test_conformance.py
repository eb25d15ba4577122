"""Every registered game keeps the promises of the contract, in matches that Hypothesis draws."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.conformance import CHECKS, Check, check_bad_options, check_play_ends
from support.strategies import setups

from engine.contract import Game
from engine.errors import BadOptions
from engine.games import all_games

every_game = pytest.mark.parametrize("game", all_games(), ids=lambda game: game.id)
quick = settings(max_examples=25, suppress_health_check=list(HealthCheck))


@every_game
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@quick
@given(data=st.data())
def test_every_match_keeps_the_contract(game: Game, check: Check, data: st.DataObject) -> None:
    check(data.draw(setups(game)))


@every_game
def test_bad_seats_and_options_are_refused_by_name(game: Game) -> None:
    check_bad_options(game)


@every_game
@pytest.mark.parametrize("seed", [None, "00", 7, bytearray(b"x")])
def test_a_seed_that_is_no_bytes_is_refused(game: Game, seed: Any) -> None:
    with pytest.raises(BadOptions, match=r"seed is .*; expected bytes"):
        game.new_match(seed=seed)


@every_game
@pytest.mark.slow
@pytest.mark.timeout(1800)
@settings(parent=quick, max_examples=10_000)
@given(data=st.data())
def test_ten_thousand_matches_end(game: Game, data: st.DataObject) -> None:
    check_play_ends(data.draw(setups(game)))
