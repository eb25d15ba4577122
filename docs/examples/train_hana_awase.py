"""Trains a policy for hana_awase by self-play in the PettingZoo environment, and writes it as a bot.

python docs/examples/train_hana_awase.py [--matches 6000] [--out bot.zip]
"""

import argparse
import inspect
import io
import json
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.adapters import encoding, pettingzoo
from engine.adapters.pettingzoo import MatchEnv

GAME = "hana_awase"
ONE_ROUND = {"rounds": 1}
BOT = Path(__file__).with_name("trained_bot.py")
BATCH = 20  # matches between two steps of learning
STEP = 0.3
POINT = 1 / 50  # what a card point is worth as a reward

Weights = NDArray[np.float64]


class Policy:
    """Chances of actions, in proportion to exp(features @ weights): one weight a field card and action."""

    def __init__(self, env: MatchEnv) -> None:
        self.encoder = env.encoder
        self.features = [name for name in env.encoder.slots if name.startswith(("table=", "drawn="))]
        self.columns = [env.encoder.slots.index(name) for name in self.features]
        self.points = [env.encoder.slots.index(f"card_points.{seat}") for seat in range(3)]
        self.weights: Weights = np.zeros((len(self.columns), env.action_space("player_0").n))

    def chances(self, vector: encoding.Vector, mask: NDArray[np.int8]) -> tuple[Weights, Weights]:
        """Return the features of a vector and the chance of every action."""
        features = (vector[self.columns] > 0).astype(np.float64)
        values = np.where(mask, features @ self.weights, -np.inf)
        weights = np.exp(values - values.max())
        return features, weights / weights.sum()


def self_play(env: MatchEnv, policy: Policy, rng: np.random.Generator) -> Weights:
    """Play a match of the policy against itself; return the gradient of its expected score (REINFORCE).

    An action is credited with what its seat won after it: the score less the lead in card points before it.
    """
    env.reset()
    steps = []
    for agent in env.agent_iter():
        vector, _, is_over, _, info = env.last()
        if is_over:
            break
        features, chances = policy.chances(vector, info["action_mask"])
        action = rng.choice(len(chances), p=chances)
        points = vector[policy.points]
        lead = points[int(agent[-1])] - points.mean()
        steps.append((agent, features, chances, action, lead))
        env.step(action)
    gradient = np.zeros_like(policy.weights)
    for agent, features, chances, action, lead in steps:
        direction = -chances
        direction[action] += 1.0
        gradient += (env.infos[agent]["score"] - lead) * POINT * np.outer(features, direction)
    return gradient


def train(matches: int, seed: int = 1) -> Policy:
    """Return a policy that was trained on so many matches."""
    env = pettingzoo.raw_env(GAME, options=ONE_ROUND)
    env.reset(seed=seed)
    policy, rng = Policy(env), np.random.default_rng(seed)
    for _ in range(matches // BATCH):
        policy.weights += STEP / BATCH * sum(self_play(env, policy, rng) for _ in range(BATCH))
    return policy


def mean_reward(policy: Policy, matches: int, seed: int = 2) -> float:
    """Return the mean reward (-1 to 1) of the policy's best actions against two random players."""
    env = pettingzoo.raw_env(GAME, options=ONE_ROUND)
    env.reset(seed=seed)
    rng, total = np.random.default_rng(seed), 0.0
    for match in range(matches):
        env.reset()
        own = env.possible_agents[match % 3]
        while not env.terminations[own]:
            vector, _, _, _, info = env.last(observe=env.agent_selection == own)
            mask = info["action_mask"]
            if vector is None:
                env.step(rng.choice(np.flatnonzero(mask)))
            else:
                env.step(policy.chances(vector, mask)[1].argmax())
        total += env.rewards[own]
    return total / matches


def export(policy: Policy) -> bytes:
    """Return the policy as a zip that can be submitted: bot.py, the encoder and the weights."""
    env = pettingzoo.raw_env(GAME, options=ONE_ROUND)
    described = {
        "game": GAME,
        "encoder": policy.encoder.to_json(),
        "features": policy.features,
        "actions": env.action_texts(),
    }
    weights, archive = io.BytesIO(), io.BytesIO()
    np.save(weights, policy.weights.astype(np.float32))
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        files.writestr("bot.py", BOT.read_text())
        files.writestr("encoding.py", inspect.getsource(encoding))
        files.writestr("policy.json", json.dumps(described))
        files.writestr("weights.npy", weights.getvalue())
    return archive.getvalue()


def main() -> None:
    """Train, compare with random play, and write the bot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=6000)
    parser.add_argument("--out", type=Path, default=Path("bot.zip"))
    given = parser.parse_args()
    policy = train(given.matches)
    print(f"mean reward against random players: {mean_reward(policy, 500):+.2f}")
    given.out.write_bytes(export(policy))
    print(f"wrote {given.out}")


if __name__ == "__main__":
    main()
