"""Kaggle's runner with function agents in its own process, for comparison: `python -m support.speed_kaggle`.

Its only card games are those that it takes from OpenSpiel; an agent that is not to move is asked all the
same, which is no decision here.
"""

import logging
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from random import Random
from typing import Any

from support.speed_cases import Work, serve

with redirect_stdout(sys.stderr):  # what it says of games that it cannot load
    logging.disable()
    import kaggle_environments

GAMES = {"open_spiel_hearts": 4, "open_spiel_gin_rummy": 2, "open_spiel_go_fish": 2}  # seats


def matches(name: str, seats: int) -> Work:
    """Return work that plays a random match with the observation that each agent is given."""
    environment = kaggle_environments.make(name, configuration={"includeLegalActions": True})
    pick, asked = Random(1).random, [0]

    def agent(observation: Any, _: Any) -> dict[str, int]:
        legal = observation.get("legalActions")
        if not legal:
            return {"submission": -1}
        asked[0] += 1
        return {"submission": legal[int(pick() * len(legal))]}

    def work() -> int:
        asked[0] = 0
        environment.run([agent] * seats)
        return asked[0]

    return work


def peer_cases() -> dict[str, Callable[[], Work]]:
    """Return a case for each card game."""
    return {f"Kaggle {name}/observed": partial(matches, name, seats) for name, seats in GAMES.items()}


if __name__ == "__main__":
    serve(peer_cases())
