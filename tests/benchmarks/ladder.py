"""How well a ladder recovers a known order: `PYTHONPATH=.:tests python tests/benchmarks/ladder.py`.

Bots of known strength are paired by engine.matchmaking, round by round, and rated by engine.online and
engine.ratings. Prints a markdown table: rank correlation (Spearman) of the truth with the order of the
ladder (mu - 3 sigma) and with the published rating, the share of the pairs that met, the longest wait in
rounds, the fewest and most meetings of a bot, and the time that pairing and rating took.
"""

import argparse
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from engine.intervals import Floats
from engine.matchmaking import Candidate, Table, pair
from engine.online import Skill, update
from engine.ratings import SCALE, Meetings, rate_meetings
from engine.rng import Stream


@dataclass(slots=True)
class Ladder:
    """A season in the making."""

    truth: Floats
    sides: int
    luck: np.random.Generator
    skills: list[Skill] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    met: list[Counter[int]] = field(default_factory=list)
    rows: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    longest: int = 0
    meetings: int = 0

    def __post_init__(self) -> None:
        """Let everybody join."""
        bots = len(self.truth)
        self.skills, self.last = [Skill()] * bots, [-1] * bots
        self.met = [Counter() for _ in range(bots)]

    def play_round(self, number: int) -> None:
        """Pair a round, play it and rate it."""
        candidates = [
            Candidate(entrant=bot, party=str(bot), skill=skill, waiting=number - self.last[bot])
            for bot, skill in enumerate(self.skills)
        ]
        self.longest = max(self.longest, *(one.waiting for one in candidates))
        stream = Stream(f"round {number}")
        for table in pair(candidates, self.sides, number, dict(enumerate(self.met)), stream):
            self._meet(table)
            for bot in table:
                self.last[bot] = number

    def _meet(self, table: Table) -> None:
        """Play one match, each side of which does as well as Bradley and Terry's model says of any pair."""
        shown = self.truth[list(table)] + self.luck.gumbel(size=len(table))
        places = (np.argsort(np.argsort(-shown)) + 1).tolist()
        moved = update([[self.skills[bot]] for bot in table], places)
        for bot, (skill,) in zip(table, moved, strict=True):
            self.skills[bot] = skill
            self.met[bot].update(other for other in table if other != bot)
        for one, place in zip(table, places, strict=True):
            for other, below in zip(table, places, strict=True):
                if one < other:
                    self.rows.append((self.meetings, one, other, 1, 2 * (place < below)))
        self.meetings += 1

    def ratings(self) -> Floats:
        """Return the published rating of everybody."""
        columns = np.array(self.rows).T
        rated = rate_meetings(
            Meetings(
                cluster=columns[0],
                first=columns[1],
                second=columns[2],
                matches=columns[3].astype(np.float64),
                points=columns[4].astype(np.float64),
                weight=np.full(len(self.rows), 2 / self.sides),
            ),
            len(self.truth),
        )
        return np.array([rated[bot].rating for bot in range(len(self.truth))])


def main() -> None:
    """Play seasons of several lengths and print what they recover."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--spread", type=float, default=200.0, help="standard deviation of ratings")
    parser.add_argument("--rounds", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    titles = ["sides", "rounds", "meetings", "by mu - 3 sigma", "by rating", "pairs met", "longest wait"]
    titles += ["fewest", "most", "ms a round", "rating seconds"]
    print(f"| {' | '.join(titles)} |\n{'|---' * len(titles)}|")
    truth = np.random.default_rng(given.seed).normal(0, given.spread / SCALE, given.bots)
    for sides in (2, 4):
        ladder = Ladder(truth=truth, sides=sides, luck=np.random.default_rng(given.seed + 1))
        played, seconds = 0, 0.0
        for rounds in given.rounds:
            start = time.perf_counter()
            for number in range(played, rounds):
                ladder.play_round(number)
            seconds += time.perf_counter() - start
            played = rounds
            print(_row(ladder, rounds, seconds), flush=True)


def _row(ladder: Ladder, rounds: int, seconds: float) -> str:
    """Return what there is after so many rounds as a row of the table."""
    start = time.perf_counter()
    ratings = ladder.ratings()
    took = time.perf_counter() - start
    bots = len(ladder.truth)
    games = [sum(met.values()) // (ladder.sides - 1) for met in ladder.met]
    cells = [
        f"{ladder.sides}",
        f"{rounds}",
        f"{ladder.meetings:,}",
        f"{_spearman(ladder.truth, np.array([skill.order for skill in ladder.skills])):.4f}",
        f"{_spearman(ladder.truth, ratings):.4f}",
        f"{sum(map(len, ladder.met)) / (bots * (bots - 1)):.1%}",
        f"{ladder.longest}",
        f"{min(games)}",
        f"{max(games)}",
        f"{1000 * seconds / rounds:.0f}",
        f"{took:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def _spearman(one: Floats, other: Floats) -> float:
    ranks = [values.argsort().argsort() for values in (one, other)]
    return float(np.corrcoef(ranks)[0, 1])


if __name__ == "__main__":
    main()
