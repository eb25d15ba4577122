"""How much stronger the house bots are than each other: `python tests/benchmarks/strength.py`.

For each game greedy is measured against random and search against greedy, in duplicate play: every deal is
played once with each side in the hands of the stronger bot and all others in the hands of the weaker one. The
value of a deal is the mean over these rotations; intervals are 95%, the deal being the unit. Points are those
of a match, from 0 to 1.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from engine import search  # noqa: E402
from engine.contract import Action, Game, Seat, State  # noqa: E402
from engine.games import all_games  # noqa: E402
from engine.match import points  # noqa: E402
from engine.rng import Stream  # noqa: E402

Choose = Callable[[Game, State, Seat, Stream], Action]

# Deals that tell the bots of a game apart at its default settings: (greedy over random, search over greedy).
DEALS = {
    "seiten": (range(40), range(8)),
    "sakura": (range(40), range(16)),
    "sutda": (range(60), range(250, 550)),  # the budget of search was chosen on the deals before
    "hachinin_meri": (range(40), range(5)),
    "hana_awase": (range(60), range(120)),
    "minhwatu": (range(60), range(80)),
}
OTHER_GAMES = (range(60), range(60))


def choose_random(game: Game, state: State, seat: Seat, rng: Stream) -> Action:
    """Return any legal action."""
    return rng.choice(state.legal_actions())


def choose_greedy(game: Game, state: State, seat: Seat, rng: Stream) -> Action:
    """Return what the game's heuristic picks."""
    return state.parse_action(game.greedy(state.observation(seat)))


@dataclass(slots=True)
class Searcher:
    """Search with a budget; keeps how long its decisions took."""

    playouts: int
    seconds: list[float] = field(default_factory=list)

    def __call__(self, game: Game, state: State, seat: Seat, rng: Stream) -> Action:
        """Return what search picks."""
        start = time.process_time()
        action = search.choose(game, state, seat, rng, self.playouts)
        self.seconds.append(time.process_time() - start)
        return action


@dataclass(frozen=True, slots=True)
class Duel:
    """What one bot is ahead of another by, a number for each deal: in points, and in the game's own score."""

    game: str
    stronger: str
    weaker: str
    points: list[float]
    scores: list[float]


def play_match(game: Game, seed: bytes, stronger: Choose, weaker: Choose, side: int) -> tuple[float, float]:
    """Return how far `stronger` on one side is ahead of the mean of the others, in points and in score."""
    seats, options = game.settle()
    sides = game.sides(seats, options)
    state = game.start(seats, options, seed)
    streams = [Stream(seed + b"/%d/%d" % (side, seat)) for seat in range(seats)]
    while (seat := state.to_move) is not None:
        legal = state.legal_actions()
        choose = stronger if sides[seat] == side else weaker
        state.apply(legal[0] if len(legal) == 1 else choose(game, state, seat, streams[seat]))
    count = max(sides) + 1
    half_wins = dict(zip(sides, points(state.placements(), sides, ()), strict=True))
    return (
        _ahead(half_wins, side) / (2 * (count - 1)),
        _ahead(dict(zip(sides, state.scores(), strict=True)), side),
    )


def _ahead(by_side: dict[int, int], side: int) -> float:
    others = [value for other, value in by_side.items() if other != side]
    return by_side[side] - sum(others) / len(others)


def play_duel(game: Game, names: tuple[str, str], bots: tuple[Choose, Choose], deals: range) -> Duel:
    """Play every deal in all rotations."""
    seats, options = game.settle()
    count = max(game.sides(seats, options)) + 1
    duel = Duel(game.id, *names, points=[], scores=[])
    for deal in deals:
        seed = b"strength/%d" % deal
        results = [play_match(game, seed, *bots, side) for side in range(count)]
        duel.points.append(sum(result[0] for result in results) / count)
        duel.scores.append(sum(result[1] for result in results) / count)
    return duel


def interval(values: list[float]) -> tuple[float, float]:
    """Return the mean and half the width of its 95% interval."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, 1.96 * sqrt(variance / len(values))


def play_all(games: list[Game], chosen: range | None, playouts: int) -> Iterator[tuple[Duel, str]]:
    """Yield every duel of every game, and what a decision of search took."""
    for game in games:
        first, second = (chosen, chosen) if chosen else DEALS.get(game.id, OTHER_GAMES)
        yield play_duel(game, ("greedy", "random"), (choose_greedy, choose_random), first), ""
        searcher = Searcher(playouts)
        duel = play_duel(game, ("search", "greedy"), (searcher, choose_greedy), second)
        milliseconds = sorted(1000 * seconds for seconds in searcher.seconds)
        middle, last = milliseconds[len(milliseconds) // 2], milliseconds[-1]
        yield duel, f"{middle:.0f} ms, at most {last:.0f} ms"


def line(duel: Duel, times: str) -> str:
    """Return a duel as a row of the table."""
    cells = [duel.game, f"{duel.stronger} over {duel.weaker}", str(len(duel.points))]
    mean, half = interval(duel.points)
    cells.append(f"{mean:+.3f} ± {half:.3f}")
    score, score_half = interval(duel.scores)
    cells += [f"{score:+.1f} ± {score_half:.1f}", "yes" if mean > half else "no", times]
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Print the table as it comes; 1 when some interval does not exclude zero."""
    parser = argparse.ArgumentParser(description="Strength of the house bots in duplicate play")
    parser.add_argument("--game", action="append", help="only this game; may be repeated")
    parser.add_argument("--deals", type=int, help="deals of every duel, at least 2")
    parser.add_argument("--first", type=int, default=0, help="number of the first deal, with --deals")
    parser.add_argument("--playouts", type=int, default=search.PLAYOUTS, help="budget of search")
    chosen = parser.parse_args()
    games = [game for game in all_games() if not chosen.game or game.id in chosen.game]
    print("| game | duel | deals | points | score | clear | a decision of search |")
    print("|--|--|--|--|--|--|--|")
    clear = True
    deals = range(chosen.first, chosen.first + chosen.deals) if chosen.deals else None
    for duel, times in play_all(games, deals, chosen.playouts):
        print(line(duel, times), flush=True)
        mean, half = interval(duel.points)
        clear = clear and mean > half
    return 0 if clear else 1


if __name__ == "__main__":
    sys.exit(main())
