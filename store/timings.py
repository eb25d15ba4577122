"""What decisions took, kept beside a match in about a byte a decision: steps and tenths of a millisecond."""

import zlib
from collections.abc import Mapping

_UNIT_US = 100


def pack(spent_us: Mapping[int, int]) -> bytes | None:
    """Return times by step as stored, to the tenth of a millisecond; None when there are none.

    Steps are written as what they are beyond the one before.
    """
    if not spent_us:
        return None
    steps = sorted(spent_us)
    gaps = [step - before for before, step in zip([-1, *steps], steps, strict=False)]
    text = " ".join(
        f"{gap}:{round(spent_us[step] / _UNIT_US)}" for gap, step in zip(gaps, steps, strict=True)
    )
    return zlib.compress(text.encode())


def unpack(data: bytes | None) -> dict[int, int]:
    """Return the times of a stored match, in microseconds by step."""
    found: dict[int, int] = {}
    step = -1
    for pair in zlib.decompress(data).decode().split() if data else ():
        gap, _, units = pair.partition(":")
        step += int(gap)
        found[step] = int(units) * _UNIT_US
    return found
