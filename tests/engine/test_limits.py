"""Limits: defaults of the design, and what is refused."""

from typing import Any

import pytest

from engine.limits import BadLimits, Limits


def test_defaults_are_those_of_the_design() -> None:
    limits = Limits.from_json(None)
    assert (limits.start_ms, limits.decision_ms, limits.module_wall_ms) == (5000, 1000, 3000)
    assert (limits.endpoint_wall_ms, limits.batch_wall_ms) == (2000, 30_000)
    assert (limits.bank_base_ms, limits.bank_per_decision_ms) == (2000, 100)
    assert (limits.memory_mb, limits.log_kb, limits.max_faults) == (512, 64, 3)
    assert Limits.from_json(limits.to_json()) == limits


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("start_ms", 0),
        ("memory_mb", "512"),
        ("max_faults", True),
        ("log_kb", 1.5),
        ("speed", 1),
        ("start_ms", None),
    ],
)
def test_a_wrong_limit_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(BadLimits, match=name):
        Limits.from_json({name: value})
