"""Where ratings and their intervals stand on a common scale, for the plots beside standings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale from `low` to `high`, drawn WIDTH wide."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """Return where a value stands, from 0 to WIDTH."""
        span = self.high - self.low
        return WIDTH / 2 if span <= 0 else round(WIDTH * (value - self.low) / span, 1)


def of_ratings(rows: Sequence[Mapping[str, Any]]) -> Scale | None:
    """Return the scale that holds the intervals of all rows that have one; None when none has."""
    rated = [row for row in rows if row["rating"] is not None]
    if not rated:
        return None
    lows = [row["rating"] if row["rating_low"] is None else row["rating_low"] for row in rated]
    highs = [row["rating"] if row["rating_high"] is None else row["rating_high"] for row in rated]
    return Scale(min(lows), max(highs))
