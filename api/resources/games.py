"""Games."""

from typing import Any

from flask.views import MethodView

from api.blueprints import Blueprint
from api.schemas.games import GameSchema, GamesSchema
from engine import games
from engine.contract import Game
from engine.errors import UnknownGame
from store.errors import NotFound

blueprint = Blueprint("games", "What is played")


@blueprint.resource("/games")
class Games(MethodView):
    """All games."""

    @blueprint.answers(200, GamesSchema)
    def get(self) -> dict[str, Any]:
        """List the games."""
        return {"items": games.all_games(), "next_cursor": None}


@blueprint.resource("/games/<game_id>")
class OneGame(MethodView):
    """One game."""

    @blueprint.answers(200, GameSchema)
    @blueprint.problems(404)
    def get(self, game_id: str) -> dict[str, Any]:
        """Show a game: its options and how its actions and cards are written."""
        try:
            return _described(games.get(game_id))
        except UnknownGame as error:
            raise NotFound(str(error)) from error


def _described(game: Game) -> dict[str, Any]:
    return {
        "id": game.id,
        "title": game.title,
        "summary": game.summary,
        "seats": game.seats,
        "default_seats": game.default_seats,
        "options_schema": game.options_schema(),
        "notation": [{"form": form, "meaning": meaning} for form, meaning in game.notation],
    }
