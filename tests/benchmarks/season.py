"""How well a season recovers a known order: `PYTHONPATH=.:tests python tests/benchmarks/season.py`.

Bots of known strength play a balanced schedule; half of the matches of a deal have their luck in common.
Prints a markdown table: rank correlation (Spearman) of the truth with mean points and with the rating, how
often the 95% interval of the rating holds the truth, and what the standings cost.
"""

import argparse
import time

import numpy as np
from support.simulated import simulated_event

from engine.intervals import Floats, point_intervals
from engine.ratings import MEAN, SCALE, EventSums, Rating, rate
from engine.schedule import Format, Schedule

SHARED = 0.5


def main() -> None:
    """Play seasons of several lengths and print what they recover."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--spread", type=float, default=100.0, help="standard deviation of ratings")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    titles = ["sides", "deals", "tables", "matches", "by points", "by rating", "intervals hold", "seconds"]
    print(f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|")
    strengths = np.random.default_rng(given.seed).normal(0, given.spread / SCALE, given.bots)
    for sides, deals in ((2, 2), (2, 12), (3, 12), (4, 4), (4, 12), (4, 48), (7, 12)):
        print(_season(strengths, sides, deals, given.seed), flush=True)


def _season(strengths: Floats, sides: int, deals: int, seed: int) -> str:
    """Return one season as a row of the table."""
    bots = len(strengths)
    plan = Schedule(entrants=bots, sides=sides, deals=deals, block_deals=deals, format=Format.BALANCED)
    listed = [plan.slot(table * sides * deals).entrants for table in range(plan.tables)]
    sums = simulated_event(strengths, listed, deals=deals, shared=SHARED, seed=seed).sums()
    start = time.perf_counter()
    ratings = rate([sums], range(bots))
    point_intervals(sums.units)
    seconds = time.perf_counter() - start
    cells = [
        f"{sides}",
        f"{deals}",
        f"{plan.tables:,}",
        f"{plan.matches:,}",
        f"{_spearman(strengths, sums.units.mean_points()):.4f}",
        f"{_spearman(strengths, np.array([ratings[bot].rating for bot in range(bots)])):.4f}",
        f"{_held(strengths, ratings, sums):.1%}",
        f"{seconds:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def _spearman(one: Floats, other: Floats) -> float:
    ranks = [values.argsort().argsort() for values in (one, other)]
    correlation: Floats = np.asarray(np.corrcoef(ranks))
    return float(correlation[0, 1])


def _held(strengths: Floats, ratings: dict[int, Rating], sums: EventSums) -> float:
    """Return the share of intervals that hold the truth, seen from the same mean of the field."""
    beats: Floats = 1 / (1 + np.exp(np.subtract.outer(strengths, strengths)))
    met = np.zeros_like(beats)
    for (one, other), duel in sums.duels.items():
        met[one, other] = met[other, one] = duel.matches
    known: Floats = (met * beats * (1 - beats)).sum(axis=1)
    truth = MEAN + SCALE * (strengths - known @ strengths / known.sum())
    intervals = [ratings[bot].interval for bot in range(len(strengths))]
    places: list[float] = truth.tolist()
    held = [
        found is not None and found.low <= at <= found.high
        for found, at in zip(intervals, places, strict=True)
    ]
    return sum(held) / len(held)


if __name__ == "__main__":
    main()
