"""The rule that ends an event early: once the named places are separated at the named confidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import BadOptions
from engine.intervals import UnitSums, is_separated, looks

LEAST_SEPARATION = 0.5
MOST_SEPARATION = 0.9999
MOST_TOP = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRule:
    """An event ends when each of its `top` places is ahead of all below it at confidence `separation`."""

    separation: float
    top: int

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "StopRule":
        """Return the rule that {"separation": 0.95, "top": 3} writes; raises BadOptions."""
        if set(given) != {"separation", "top"}:
            raise BadOptions(f"stop has {sorted(given)}; expected separation and top")
        separation, top = given["separation"], given["top"]
        if type(separation) is not float or not LEAST_SEPARATION <= separation <= MOST_SEPARATION:
            allowed = f"a fraction from {LEAST_SEPARATION} to {MOST_SEPARATION}"
            raise BadOptions(f"stop.separation is {separation!r}; allowed: {allowed}")
        if type(top) is not int or not 1 <= top <= MOST_TOP:
            raise BadOptions(f"stop.top is {top!r}; allowed: a whole number from 1 to {MOST_TOP}")
        return cls(separation=separation, top=top)

    def to_json(self) -> dict[str, Any]:
        """Return the rule as an object that `from_json` reads."""
        return {"separation": self.separation, "top": self.top}

    def looks_at(self, block: int, blocks: int) -> bool:
        """Return whether an event of so many blocks may end after this one: 50 times at most.

        After the last block it ends anyway.
        """
        return block + 1 < blocks and block in looks(blocks)

    def ends(self, sums: UnitSums, blocks: int) -> bool:
        """Return whether an event of so many blocks ends where it is looked at; `sums` are those ranked."""
        return is_separated(sums, top=self.top, confidence=self.separation, looks=len(looks(blocks)))
