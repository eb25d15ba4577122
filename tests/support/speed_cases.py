"""What the benchmark of the engine measures, in a process of its own: `python -m support.speed_cases`.

It plays with the engine that comes first on its path. The first line that it writes names its cases; then it
reads requests `{"case": ..., "seconds": ...}`, a line each, and answers each with what was done in about so
many CPU seconds: `{"done": ..., "matches": ..., "seconds": ...}`. `done` counts decisions, copies or steps.
"""

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, cycle
from random import Random

from msgspec.json import Encoder

from engine.contract import Game, State
from engine.games import all_games
from engine.match import play, points, run
from engine.policies import Answer, Ask, house_policy, house_stream
from engine.rng import Stream
from engine.search import choose

MACHINE = "machine/loop"

# Does one piece of work, a match or a number of copies, and returns how much it was.
Work = Callable[[], int]


def seeds(purpose: str) -> Iterator[bytes]:
    """Yield the seeds of deals that no other case plays, the same ones in every process."""
    return (f"{purpose}/{number}".encode() for number in count())


def playouts(game: Game, *, observed: bool) -> Work:
    """Return work that plays a random match; `observed`: the seat to move gets its observation."""
    seats, options = game.settle()
    deals, pick = seeds(f"{game.id}/playouts/{observed}"), Random(1).random

    def work() -> int:
        state = game.start(seats, options, next(deals))
        decisions = 0
        while (seat := state.to_move) is not None:
            if observed:
                state.observation(seat)
            legal = state.legal_actions()
            state.apply(legal[int(pick() * len(legal))])
            decisions += 1
        state.scores()
        return decisions

    return work


def greedy(game: Game) -> Work:
    """Return work that plays a match by the heuristic of the game, from observations."""
    seats, options = game.settle()
    deals = seeds(f"{game.id}/greedy")

    def work() -> int:
        state = game.start(seats, options, next(deals))
        decisions = 0
        while (seat := state.to_move) is not None:
            state.apply(state.parse_action(game.greedy(state.observation(seat))))
            decisions += 1
        return decisions

    return work


def searches(game: Game) -> Work:
    """Return work that decides once by search, with all of its playouts, in one position after the other."""
    states = cycle([state for state in positions(game) if len(state.legal_actions()) > 1])
    rng = Stream("speed")

    def work() -> int:
        state = next(states)
        choose(game, state, state.to_move or 0, rng)
        return 1

    return work


def encodings(game: Game) -> Work:
    """Return work that makes JSON of what the seat to move sees in every position of a few matches."""
    views, encode = [state.observation(state.to_move or 0) for state in positions(game)], Encoder().encode

    def work() -> int:
        for view in views:
            encode(view)
        return len(views)

    return work


def positions(game: Game, matches: int = 5) -> list[State]:
    """Return every position of a few random matches."""
    seats, options = game.settle()
    deals, random, found = seeds(f"{game.id}/positions"), Random(1), []
    for _ in range(matches):
        state = game.start(seats, options, next(deals))
        while state.to_move is not None:
            found.append(state.clone())
            state.apply(random.choice(state.legal_actions()))
    return found


def clones(game: Game) -> Work:
    """Return work that copies every position of a few matches."""
    states = positions(game)

    def work() -> int:
        for state in states:
            state.clone()
        return len(states)

    return work


def determinizations(game: Game) -> Work:
    """Return work that determinizes a tenth of the positions of a few matches."""
    states, rng = positions(game)[::10], Stream("speed")

    def work() -> int:
        for state in states:
            state.determinize(state.to_move or 0, rng)
        return len(states)

    return work


def house_matches(game: Game) -> Work:
    """Return work that plays a match of `random` house bots as the arena does."""
    seats, numbers = game.settle()[0], count()

    def deal_bots() -> Callable[[Ask], Answer]:
        number = next(numbers)
        bots = [house_policy("random", game, house_stream(0, number, seat)) for seat in range(seats)]
        return lambda ask: bots[ask.seat].act(ask)

    return _arena(game, deal_bots, seeds(f"{game.id}/house"))


def viewing_matches(game: Game) -> Work:
    """Return work that plays a match of bots that get whole observations and answer with a text."""
    pick = Random(1).choice

    def answer(ask: Ask) -> str:
        text: str = pick(ask.observation()["legal"])
        return text

    return _arena(game, lambda: answer, seeds(f"{game.id}/views"))


def _arena(game: Game, bots: Callable[[], Callable[[Ask], Answer]], deals: Iterator[bytes]) -> Work:
    """Return work that plays a match with points and record, every deal in as many rotations as sides."""
    seats, options = game.settle()
    sides = game.sides(seats, options)
    rotations = (deal for deal in deals for _ in range(max(sides) + 1))

    def work() -> int:
        result = run(play(game, seats=seats, options=options, seed=next(rotations)), bots())
        points(result.places, sides, result.forfeits)
        result.record.to_bytes()
        return len(result.record.actions)

    return work


def loop() -> int:
    """Do a piece of integer arithmetic that measures the machine alone."""
    number = 0
    for step in range(10_000):
        number = (number * 1103515245 + step) & 0x7FFFFFFF
    return 10_000


CASES: dict[str, Callable[[Game], Work]] = {
    "bare": partial(playouts, observed=False),
    "observed": partial(playouts, observed=True),
    "clone": clones,
    "determinize": determinizations,
    "encoded": encodings,
    "greedy": greedy,
    "search": searches,
    "house": house_matches,
    "views": viewing_matches,
}


def measure(work: Work, seconds: float) -> dict[str, float]:
    """Do the work for about so many CPU seconds, at least once; return how much was done, and the time."""
    gc.collect()
    done = times = 0
    start = time.process_time()
    while (spent := time.process_time() - start) < seconds or not times:
        done += work()
        times += 1
    return {"done": done, "matches": times, "seconds": spent}


def serve(cases: dict[str, Callable[[], Work]]) -> None:
    """Answer requests until there are no more; the work of a case is set up when it is first asked for."""
    _answer(list(cases))
    ready: dict[str, Work] = {}
    for line in sys.stdin:
        request = json.loads(line)
        name: str = request["case"]
        if name not in ready:
            ready[name] = cases[name]()
            ready[name]()
        _answer(measure(ready[name], request["seconds"]))


def _answer(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def engine_cases() -> dict[str, Callable[[], Work]]:
    """Return every case of every game, by "<game>/<case>", and the measure of the machine."""
    cases = {f"{game.id}/{name}": partial(make, game) for game in all_games() for name, make in CASES.items()}
    return {MACHINE: lambda: loop, **cases}


if __name__ == "__main__":
    serve(engine_cases())
