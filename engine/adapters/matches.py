"""What the adapters share: the seed of a match and the reward of a seat."""

from hashlib import sha256

from engine.contract import State
from engine.match import points


def match_seed(seed: int, number: int = 0) -> bytes:
    """Return the 32-byte seed of the `number`th match (from 0) after a reset with an integer seed."""
    return sha256(b"fudaba adapter/%d/%d" % (seed, number)).digest()


def rewards(state: State, sides: tuple[int, ...]) -> list[float]:
    """Return the reward of each seat in a match that is over: from -1 (behind all) to 1 (ahead of all).

    These are the points of a tournament, stretched: each other side counts 1 when it is beaten, -1 when it
    is ahead and 0 when it is tied with, divided by their number. With sides of equal size they sum to 0.
    """
    others = max(sides)
    return [half_wins / others - 1.0 for half_wins in points(state.placements(), sides, ())]
