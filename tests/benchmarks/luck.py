"""What luck costs: `PYTHONPATH=. python tests/benchmarks/luck.py`.

How many matches tell two bots of a game apart at 95%: with a deal of its own for every match, and in
duplicate play, where both bots play the same deals in all rotations. Both meet the same opponents, as in a
round robin: a table of `greedy`, then one of `random`. The matches of both bots count. Prints a markdown
table as it comes; the ratio has its standard error, by jackknife over deals.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine import search
from engine.contract import Game
from engine.games import all_games
from engine.match import play, points, run
from engine.policies import Ask, Policy, house_policy
from engine.rng import Stream

Values = NDArray[np.float64]

Z = 1.96


class Searcher:
    """The house bot search, which needs the whole match to guess at what is hidden."""

    def __init__(self, game: Game, stream: Stream) -> None:
        self._game = game
        self._stream = stream

    def act(self, ask: Ask) -> str:
        """Return the action that the search prefers."""
        return ask.state.action_text(search.choose(self._game, ask.state, ask.seat, self._stream))


MAKERS: dict[str, Callable[[Game, Stream], Policy]] = {
    "random": partial(house_policy, "random"),
    "greedy": partial(house_policy, "greedy"),
    "search": Searcher,
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The points of two bots at the same table: one row a deal, one column a side."""

    better: Values
    worse: Values

    def independent(self) -> float:
        """Return the matches needed when every match has its own deal."""
        variance = self.better.var() + self.worse.var()
        return float(2 * variance * (Z / self._gap()) ** 2)

    def duplicate(self) -> float:
        """Return the matches needed when both bots play all rotations of the same deals."""
        differences = self.better.mean(axis=1) - self.worse.mean(axis=1)
        return float(2 * self.better.shape[1] * differences.var() * (Z / self._gap()) ** 2)

    def _gap(self) -> float:
        return float(self.better.mean() - self.worse.mean())

    def ratio_error(self) -> float:
        """Return the standard error of the ratio of both numbers."""
        deals = len(self.better)
        ratios = []
        for deal in range(deals):
            less = Comparison(np.delete(self.better, deal, axis=0), np.delete(self.worse, deal, axis=0))
            ratios.append(less.duplicate() / less.independent())
        return float(np.sqrt((deals - 1) * np.var(ratios)))


def main() -> None:
    """Measure the games and print the table."""
    parser = argparse.ArgumentParser(description="How many matches tell bots apart")
    parser.add_argument("--game", action="append", help="only this game; may be repeated")
    parser.add_argument("--deals", type=int, default=300, help="deals for greedy against random")
    parser.add_argument(
        "--search-deals", type=int, default=0, help="deals for search against greedy; 0: none"
    )
    given = parser.parse_args()
    print("| game | sides | bots | opponents | apart by | independent deals | duplicate deals | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    for game in all_games():
        if not given.game or game.id in given.game:
            for line in _lines(game, given.deals, given.search_deals):
                print(line, flush=True)


def _lines(game: Game, deals: int, search_deals: int) -> Iterator[str]:
    for opponents in ("greedy", "random"):
        yield _line(game, "greedy", "random", opponents, deals)
    if search_deals:
        yield _line(game, "search", "greedy", "greedy", search_deals)


def _line(game: Game, better: str, worse: str, opponents: str, deals: int) -> str:
    """Return one comparison as a row of the table."""
    found = Comparison(_points(game, better, opponents, deals), _points(game, worse, opponents, deals))
    independent, duplicate = found.independent(), found.duplicate()
    cells = [
        game.id,
        str(found.better.shape[1]),
        f"{better}, {worse}",
        opponents,
        f"{found.better.mean() - found.worse.mean():+.3f}",
        f"{independent:.1f}",
        f"{duplicate:.1f}",
        f"{duplicate / independent:.2f} ± {found.ratio_error():.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def _points(game: Game, name: str, opponents: str, deals: int) -> Values:
    """Return the points, 0 to 1, of a bot on every side (column) of every deal (row)."""
    seats, options = game.settle()
    sides = game.sides(seats, options)
    count = max(sides) + 1
    found = np.zeros((deals, count))
    for deal in range(deals):
        for own in range(count):
            policies = [
                MAKERS[name if side == own else opponents](game, Stream(f"luck/{name}/{deal}/{own}/{seat}"))
                for seat, side in enumerate(sides)
            ]
            match = play(game, seats=seats, options=options, seed=Stream(f"luck/{deal}").seed())
            result = run(match, partial(_answer, policies))
            half_wins = points(result.places, sides, result.forfeits)[sides.index(own)]
            found[deal, own] = half_wins / (2 * (count - 1))
    return found


def _answer(policies: list[Policy], ask: Ask) -> str | int:
    answer = policies[ask.seat].act(ask)
    assert isinstance(answer, str | int), "house bots have no faults"
    return answer


if __name__ == "__main__":
    main()
