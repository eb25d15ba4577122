"""OpenSpiel driven from Python as the engine is, for comparison: `python -m support.speed_peers`."""

from collections.abc import Callable
from functools import partial
from random import Random

import pyspiel
from open_spiel.python.games import team_dominoes  # noqa: F401 (importing it registers the game)
from support.speed_cases import Work, serve

GAMES = ("hearts", "spades", "oh_hell", "skat", "python_team_dominoes")


def playouts(name: str, *, observed: bool) -> Work:
    """Return work that plays a random match; the chance events of these games are all equally likely."""
    game, pick = pyspiel.load_game(name), Random(1).random

    def work() -> int:
        state = game.new_initial_state()
        decisions = 0
        while (player := state.current_player()) != pyspiel.PlayerId.TERMINAL:
            if player >= 0:
                decisions += 1
                if observed:
                    state.information_state_string(player)
            legal = state.legal_actions()
            state.apply_action(legal[int(pick() * len(legal))])
        state.returns()
        return decisions

    return work


def peer_cases() -> dict[str, Callable[[], Work]]:
    """Return the cases of every game, without and, where it has one, with the text of what a player knows."""
    cases: dict[str, Callable[[], Work]] = {}
    for name in GAMES:
        cases[f"{name}/bare"] = partial(playouts, name, observed=False)
        if pyspiel.load_game(name).get_type().provides_information_state_string:
            cases[f"{name}/observed"] = partial(playouts, name, observed=True)
    return cases


if __name__ == "__main__":
    serve(peer_cases())
