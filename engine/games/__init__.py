"""The registry: the only list of games in the repository."""

from engine.contract import Game
from engine.errors import UnknownGame
from engine.games import hachinin_meri, hana_awase, minhwatu, sakura, seiten, sutda

_GAMES: dict[str, Game] = {
    game.id: game
    for game in (seiten.GAME, sakura.GAME, sutda.GAME, hachinin_meri.GAME, hana_awase.GAME, minhwatu.GAME)
}


def get(game_id: str) -> Game:
    """Return the game with this id; raises UnknownGame."""
    if not isinstance(game_id, str) or game_id not in _GAMES:
        raise UnknownGame(f"game {game_id!r} is unknown; there are: {', '.join(_GAMES)}")
    return _GAMES[game_id]


def all_games() -> tuple[Game, ...]:
    """Return every game, in the order of the registry."""
    return tuple(_GAMES.values())
