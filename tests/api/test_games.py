"""Games over the API."""

import jsonschema
import pytest
from support.callers import Caller, assert_problem

from engine import games


def test_every_game_is_listed(anybody: Caller) -> None:
    listed = anybody.get("/games").json
    assert [item["id"] for item in listed["items"]] == [game.id for game in games.all_games()]
    assert listed["next_cursor"] is None


@pytest.mark.parametrize("game_id", [game.id for game in games.all_games()])
def test_a_game_shows_its_options_as_a_json_schema_and_its_notation(anybody: Caller, game_id: str) -> None:
    game, shown = games.get(game_id), anybody.get(f"/games/{game_id}").json
    assert shown["title"] == game.title
    assert shown["seats"] == list(game.seats)
    assert [(row["form"], row["meaning"]) for row in shown["notation"]] == list(game.notation)
    jsonschema.Draft202012Validator.check_schema(shown["options_schema"])
    _, defaults = game.settle()
    jsonschema.validate(defaults, shown["options_schema"])


@pytest.mark.parametrize("game_id", ["go", "SEITEN", "%00", "a%2Fb", "%ff"])
def test_an_unknown_game_is_not_found(anybody: Caller, game_id: str) -> None:
    assert_problem(anybody.get(f"/games/{game_id}"), 404, "not_found")
