"""The bot of docs/train.md: picks the legal action to which the trained weights give the highest value."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from encoding import Encoder  # engine/adapters/encoding.py, which lies beside this file in the zip

HERE = Path(__file__).parent
POLICY = json.loads((HERE / "policy.json").read_text())
WEIGHTS = np.load(HERE / "weights.npy")
ENCODER = Encoder.from_json(POLICY["encoder"])
FEATURES = [ENCODER.slots.index(name) for name in POLICY["features"]]
ACTION_OF = {text: action for action, text in enumerate(POLICY["actions"])}


def act(observation: dict[str, Any]) -> str:
    """Return the best legal action by the weights; the first one in games that they are not for."""
    legal: list[str] = observation["legal"]
    if observation["game"] != POLICY["game"]:
        return legal[0]
    values = (ENCODER.encode(observation)[FEATURES] > 0) @ WEIGHTS
    return max(legal, key=lambda text: values[ACTION_OF[text]])
