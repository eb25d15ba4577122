"""Random streams for house bots, determinize and the bootstrap: the same numbers on every Python."""

from collections.abc import MutableSequence, Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1


class Stream:
    """A stream of random numbers that follows from its seed alone.

    SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014), started
    from the first 8 bytes of the seed's SHA-256. Not for secrets.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: bytes | str) -> None:
        data = seed.encode() if isinstance(seed, str) else seed
        self._state = int.from_bytes(sha256(data).digest()[:8], "big")

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1; n is 1 to 2**32 (the bias is below 2**-32)."""
        state = self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((z ^ (z >> 31)) * n) >> 64

    def choice(self, items: Sequence[T]) -> T:
        """Return one of `items`, each equally likely."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle `items` in place, every order equally likely (Fisher and Yates)."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def seed(self) -> bytes:
        """Return 32 random bytes, fit to be the seed of a match."""
        return b"".join(self.below(1 << 32).to_bytes(4, "big") for _ in range(8))
