"""The limits that a bot plays under: one set for qualification, local tests and real matches."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from engine.errors import FudabaError


class BadLimits(FudabaError):
    """A limit that is unknown, of the wrong type or out of range; names it, its value and what is allowed."""

    code = "bad_limits"


# The least and the most that each limit may be.
RANGES = {
    "start_ms": (100, 120_000),
    "decision_ms": (10, 60_000),
    "module_wall_ms": (10, 120_000),
    "endpoint_wall_ms": (10, 60_000),
    "batch_wall_ms": (10, 120_000),
    "bank_base_ms": (0, 600_000),
    "bank_per_decision_ms": (1, 60_000),
    "memory_mb": (64, 8_192),
    "log_kb": (1, 1_024),
    "max_faults": (1, 1_000),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a bot may use; the name of each ends in its unit.

    A module's decision is capped by the CPU time of its process (`decision_ms`) with `module_wall_ms` as the
    backstop, an endpoint's by `endpoint_wall_ms`. The bank of a match is `bank_base_ms` plus
    `bank_per_decision_ms` for each decision asked so far, of the same clock. The `max_faults`th fault in a
    match forfeits it.
    """

    start_ms: int = 5_000
    decision_ms: int = 1_000
    module_wall_ms: int = 3_000
    endpoint_wall_ms: int = 2_000
    batch_wall_ms: int = 30_000
    bank_base_ms: int = 2_000
    bank_per_decision_ms: int = 100
    memory_mb: int = 512
    log_kb: int = 64
    max_faults: int = 3

    def to_json(self) -> dict[str, int]:
        """Return all limits by name."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any] | None) -> Self:
        """Return limits with the defaults for those not given; raises BadLimits."""
        known = {field.name for field in fields(cls)}
        for name, value in (given or {}).items():
            if name not in known:
                raise BadLimits(f"limit {name!r} is unknown; allowed: {', '.join(sorted(known))}")
            least, most = RANGES[name]
            if type(value) is not int or not least <= value <= most:
                raise BadLimits(f"limit {name} is {value!r}; allowed: a whole number from {least} to {most}")
        return cls(**dict(given or {}))
