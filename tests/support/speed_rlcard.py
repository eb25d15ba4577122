"""RLCard and PettingZoo driven from Python as the engine is: `python -m support.speed_rlcard`.

Both are games that RLCard brings; PettingZoo builds the observation at every decision, asked or not.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from random import Random

import numpy as np
import rlcard
from support.speed_cases import Work, serve

RLCARD = ("uno", "leduc-holdem", "doudizhu")
PETTINGZOO = ("leduc_holdem_v4", "texas_holdem_v4")


def rlcard_playouts(name: str) -> Work:
    """Return work that plays a random match with the states that RLCard hands out."""
    env, pick = rlcard.make(name, config={"seed": 1}), Random(1).random

    def work() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(pick() * len(legal))])
            decisions += 1
        env.get_payoffs()
        return decisions

    return work


def pettingzoo_playouts(name: str, make: str) -> Work:
    """Return work that plays a random match of `raw_env`, or of `env` with its checks."""
    env, pick = getattr(import_module(f"pettingzoo.classic.{name}"), make)(), Random(1).random
    env.reset(seed=1)

    def work() -> int:
        env.reset()
        decisions = 0
        for _ in env.agent_iter():
            seen, _, is_over, is_cut, _ = env.last()
            action = None
            if not (is_over or is_cut):
                legal = np.flatnonzero(seen["action_mask"]).tolist()
                action = legal[int(pick() * len(legal))]
                decisions += 1
            env.step(action)
        return decisions

    return work


def peer_cases() -> dict[str, Callable[[], Work]]:
    """Return the cases of both; none goes without observations."""
    cases = {f"RLCard {name}/observed": partial(rlcard_playouts, name) for name in RLCARD}
    for name in PETTINGZOO:
        for make in ("raw_env", "env"):
            cases[f"PettingZoo {name} {make}/observed"] = partial(pettingzoo_playouts, name, make)
    return cases


if __name__ == "__main__":
    serve(peer_cases())
