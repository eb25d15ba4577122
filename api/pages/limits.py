"""The limits of bots as the fields of a form."""

from dataclasses import asdict, dataclass

from engine.limits import RANGES, Limits

_TITLES = {
    "start_ms": "Start of a bot, milliseconds",
    "decision_ms": "CPU time of a module for a decision, milliseconds",
    "module_wall_ms": "Wall clock of a module for a decision, milliseconds",
    "endpoint_wall_ms": "Wall clock of an endpoint for a decision, milliseconds",
    "batch_wall_ms": "Wall clock of an endpoint for all requests of an exchange, at most, milliseconds",
    "bank_base_ms": "Bank of a match, milliseconds",
    "bank_per_decision_ms": "Added to the bank with each decision, milliseconds",
    "memory_mb": "Memory of a module, megabytes",
    "log_kb": "What a module may print in a match, kilobytes",
    "max_faults": "Faults that forfeit a match",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitField:
    """A limit, what it may be, and what it is when it is left out."""

    name: str
    title: str
    least: int
    most: int
    default: int


FIELDS = tuple(
    LimitField(name=name, title=_TITLES[name], least=RANGES[name][0], most=RANGES[name][1], default=default)
    for name, default in asdict(Limits()).items()
)
