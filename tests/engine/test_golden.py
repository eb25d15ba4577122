"""The golden playthroughs are what the engine plays; `make golden` writes them anew."""

import pytest
from support.playthrough import GOLDEN, cases, playthrough

from engine.contract import Game
from engine.games import all_games

every_game = pytest.mark.parametrize("game", all_games(), ids=lambda game: game.id)


@every_game
def test_the_engine_plays_the_golden_playthroughs(game: Game) -> None:
    for case in cases(game):
        path = GOLDEN / case.name
        assert path.is_file(), f"{case.name} is missing: make golden"
        assert playthrough(case) == path.read_text("utf-8"), f"{case.name} has changed: make golden"


@every_game
def test_a_golden_file_stays_small(game: Game) -> None:
    for path in GOLDEN.glob(f"{game.id}-*.txt"):
        assert path.stat().st_size < 60_000, f"{path.name} is too long to be reviewed"
