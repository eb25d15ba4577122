"""The shuffle of the rules: cards sorted by a SHA-256 of seed, round, attempt and card code."""

from collections.abc import Callable, Sequence
from hashlib import sha256

Deck = tuple[int, ...]
_MOST_DECKS = 256  # more than a block of deals takes


def deck(seed: bytes, round_number: int, attempt: int, codes: Sequence[bytes]) -> Deck:
    """Return the positions of `codes` in shuffled order, top card first.

    The key of a code is SHA-256(seed "/" round "/" attempt "/" code), ascending by bytes; both numbers count
    from 0 and are written in decimal. Codes are ASCII bytes, so that callers encode them once.
    """
    return _shuffled(seed + b"/%d/%d/" % (round_number, attempt), codes)


def decks_of(codes: Sequence[bytes]) -> Callable[[bytes, int, int], Deck]:
    """Return `deck` for these codes, with a memory of the latest decks.

    A deal is played at many tables and in every rotation, and its hashes are up to a third of the time of a
    match.
    """
    known: dict[bytes, Deck] = {}

    def known_deck(seed: bytes, round_number: int, attempt: int) -> Deck:
        beginning = seed + b"/%d/%d/" % (round_number, attempt)
        order = known.get(beginning)
        if order is None:
            if len(known) >= _MOST_DECKS:
                known.clear()
            order = known[beginning] = _shuffled(beginning, codes)
        return order

    return known_deck


def _shuffled(beginning: bytes, codes: Sequence[bytes]) -> Deck:
    prefix = sha256(beginning)
    keys = []
    for code in codes:
        digest = prefix.copy()
        digest.update(code)
        keys.append(digest.digest())
    return tuple(sorted(range(len(keys)), key=keys.__getitem__))
