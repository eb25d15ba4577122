"""The shuffle of the rules: cards sorted by a SHA-256 of seed, round, attempt and card code."""

from collections.abc import Sequence
from hashlib import sha256


def deck(seed: bytes, round_number: int, attempt: int, codes: Sequence[bytes]) -> list[int]:
    """Return the positions of `codes` in shuffled order, top card first.

    The key of a code is SHA-256(seed "/" round "/" attempt "/" code), ascending by bytes; both numbers count
    from 0 and are written in decimal. Codes are ASCII bytes, so that callers encode them once.
    """
    prefix = sha256(seed + b"/%d/%d/" % (round_number, attempt))
    keys = []
    for code in codes:
        digest = prefix.copy()
        digest.update(code)
        keys.append(digest.digest())
    return sorted(range(len(keys)), key=keys.__getitem__)
