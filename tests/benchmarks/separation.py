"""How often the rule that ends an event when the named places are separated is wrong, and what it saves.

Run with PYTHONPATH=.:tests. Entrants of known strength play blocks of 12 deals; after every block the rule is
asked. A stop is wrong when the named places are not the true ones; among equals every stop is wrong.
Prints a markdown table.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from support.simulated import simulated_event

from engine.intervals import Floats, UnitSums, is_separated, unit_of

BLOCK_DEALS = 12


@dataclass(frozen=True, slots=True)
class Case:
    """A field, how many sit at a table, the places that are named, blocks, and how much luck a deal has."""

    name: str
    strengths: Sequence[float]
    sides: int
    top: int
    blocks: int
    shared: float


CASES = [
    Case("2 equals", [0, 0], 2, 1, 10, 0.0),
    Case("2 equals, 50 looks", [0, 0], 2, 1, 50, 0.0),
    Case("2 close", [0.1, 0], 2, 1, 20, 0.0),
    Case("6 equals", [0] * 6, 2, 1, 10, 0.5),
    Case("6 equals, three at a table", [0] * 6, 3, 3, 10, 0.5),
    Case("2 equal leaders of 8", [1, 1, 0, -0.2, -0.4, -0.6, -0.8, -1], 2, 1, 10, 0.5),
    Case("8 in even steps", np.linspace(1, -1, 8).tolist(), 2, 3, 20, 0.5),
    Case("6 in even steps, three at a table", np.linspace(0.5, -0.5, 6).tolist(), 3, 3, 20, 0.5),
]


def main() -> None:
    """Simulate every case and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--confidence", type=float, default=0.95)
    given = parser.parse_args()
    print(
        "| field | named | blocks | stopped | wrong | wrong without the correction for looks | deals saved |"
    )
    print("|---|---|---|---|---|---|---|")
    for case in CASES:
        outcomes = [_outcomes(case, given.confidence, seed) for seed in range(given.runs)]
        ends = [corrected for corrected, _ in outcomes]
        stopped = [end for end in ends if end.block is not None]
        saved = sum(1 - (end.block + 1) / case.blocks for end in stopped if end.block is not None)
        wrong, wrong_plain = (sum(pair[which].is_wrong for pair in outcomes) for which in (0, 1))
        print(
            f"| {case.name} | {case.top} | {case.blocks} | {_percent(len(stopped), given.runs)} "
            f"| {_percent(wrong, given.runs)} | {_percent(wrong_plain, given.runs)} "
            f"| {_percent(saved, given.runs)} |",
            flush=True,
        )


@dataclass(frozen=True, slots=True)
class End:
    """The block at whose end an event stopped (None: it did not), and whether its named places are wrong."""

    block: int | None
    is_wrong: bool


def _outcomes(case: Case, confidence: float, seed: int) -> tuple[End, End]:
    """Return how one event ends by the rule, and by the rule as if every look were the only one."""
    strengths = np.array(case.strengths, dtype=np.float64)
    tables = list(combinations(range(len(strengths)), case.sides))
    played = simulated_event(
        strengths, tables, deals=case.blocks * BLOCK_DEALS, shared=case.shared, seed=seed
    ).sums()
    sums = [_until(played.units, (block + 1) * BLOCK_DEALS) for block in range(case.blocks)]
    return (
        _end(case, strengths, sums, confidence, looks=case.blocks),
        _end(case, strengths, sums, confidence, looks=1),
    )


def _until(units: UnitSums, deals: int) -> UnitSums:
    """Return the sums of the first deals, put into units as the service does."""
    unit = [unit_of(deal) for deal in range(deals)]
    matches = np.zeros((max(unit) + 1, len(units.entrants)))
    points = np.zeros_like(matches)
    np.add.at(matches, unit, units.matches[:deals])
    np.add.at(points, unit, units.points[:deals])
    return UnitSums(entrants=units.entrants, sides=units.sides, matches=matches, points=points)


def _end(case: Case, strengths: Floats, sums: Sequence[UnitSums], confidence: float, looks: int) -> End:
    for block, seen in enumerate(sums):
        if is_separated(seen, top=case.top, confidence=confidence, looks=looks):
            order = np.argsort(-seen.mean_points())
            lower = [strengths[order[place + 1 :]].max() for place in range(min(case.top, len(order) - 1))]
            is_right = all(strengths[order[place]] > least for place, least in enumerate(lower))
            return End(block, not is_right)
    return End(None, False)


def _percent(part: float, whole: int) -> str:
    return f"{100 * part / whole:.1f}%"


if __name__ == "__main__":
    main()
