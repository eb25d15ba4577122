"""The shuffle of the rules: cards sorted by a SHA-256 of seed, round, attempt and card code."""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256


def deck(seed: bytes, round_number: int, attempt: int, codes: Sequence[bytes]) -> list[int]:
    """Return the positions of `codes` in shuffled order, top card first.

    The key of a code is SHA-256(seed "/" round "/" attempt "/" code), ascending by bytes; both numbers count
    from 0 and are written in decimal. Codes are ASCII bytes, so that callers encode them once.
    """
    return [*_order(seed, round_number, attempt, tuple(codes))]


# A deal is played at many tables and in every rotation, and the hashes are a fifth of the time of a match.
@lru_cache(maxsize=256)
def _order(seed: bytes, round_number: int, attempt: int, codes: tuple[bytes, ...]) -> tuple[int, ...]:
    prefix = sha256(seed + b"/%d/%d/" % (round_number, attempt))
    keys = []
    for code in codes:
        digest = prefix.copy()
        digest.update(code)
        keys.append(digest.digest())
    return tuple(sorted(range(len(keys)), key=keys.__getitem__))
