"""Every registered game has its golden playthroughs and its rules page."""

from pathlib import Path

import pytest
from support.playthrough import GOLDEN, cases

from engine.contract import Game
from engine.games import all_games

DOCS = Path(__file__).parents[2] / "docs" / "games"

every_game = pytest.mark.parametrize("game", all_games(), ids=lambda game: game.id)


@every_game
def test_a_game_has_its_golden_files_and_no_others(game: Game) -> None:
    found = {path.name for path in GOLDEN.glob(f"{game.id}-*.txt")}
    assert found == {case.name for case in cases(game)}


def test_no_golden_file_is_left_of_a_game_that_is_gone() -> None:
    games = {path.name.split("-")[0] for path in GOLDEN.iterdir()}
    assert games <= {game.id for game in all_games()}


@every_game
def test_a_game_has_a_rules_page_that_names_its_options_and_its_source(game: Game) -> None:
    page = (DOCS / f"{game.id}.md").read_text("utf-8")
    assert game.title in page
    assert [option.name for option in game.options if f"`{option.name}`" not in page] == []
    assert "Source" in page


@every_game
def test_a_game_is_complete_in_its_description(game: Game) -> None:
    assert game.default_seats in game.seats and list(game.seats) == sorted(set(game.seats))
    assert game.summary and game.notation and all(option.meaning for option in game.options)
