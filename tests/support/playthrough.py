"""Golden playthroughs: whole matches as text with every seat's view, for every seat count and option value.

`python -m support.playthrough`, with the repository and tests/ on the path, writes them all anew.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from engine.contract import Game, Observation, State
from engine.errors import BadOptions
from engine.games import all_games
from engine.options import Choice, Flag, OneOf, Option, OptionValue
from engine.rng import Stream

GOLDEN = Path(__file__).parents[1] / "engine" / "golden"
SEED = bytes([0, 1])
EVEN_VIEWS = (
    5  # moments at which the views are shown, beside the first one of each phase and of the last round
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One golden file: a game, a seat count and at most one option that differs from its default."""

    game: Game
    seats: int
    options: Mapping[str, OptionValue]

    @property
    def name(self) -> str:
        """The file's name."""
        changed = "".join(f"-{name}={_text(value)}" for name, value in self.options.items())
        return f"{self.game.id}-{self.seats}{changed}.txt"

    def start(self) -> State:
        """Return the first state of the match."""
        return self.game.new_match(seats=self.seats, options=self.options, seed=SEED)


def cases(game: Game) -> Iterator[Case]:
    """Yield a case for each seat count, and one for each other value of each option.

    An option is shown at the first seat count, the default one first, at which it changes the match.
    """
    for seats in game.seats:
        yield Case(game=game, seats=seats, options={})
    for option in game.options:
        for value in other_values(option):
            allowed = list(_allowed(game, {option.name: value}))
            changed = (case for case in allowed if _course(case) != _course(replace(case, options={})))
            yield from [next(changed, allowed[0])] if allowed else []


def other_values(option: Option) -> list[OptionValue]:
    """Return the values other than the default; of a range its ends, or the value next to an end."""
    if isinstance(option, Flag):
        return [not option.default]
    if isinstance(option, Choice | OneOf):
        return [value for value in option.values if value != option.default]
    ends = [option.least + (option.least == option.default), option.most - (option.most == option.default)]
    return [*dict.fromkeys(ends)]


def _allowed(game: Game, options: Mapping[str, OptionValue]) -> Iterator[Case]:
    """Yield a case for each seat count at which the game allows these options, the default one first."""
    for seats in dict.fromkeys((game.default_seats, *game.seats)):
        try:
            game.settle(seats, options)
        except BadOptions:
            continue
        yield Case(game=game, seats=seats, options=options)


def _course(case: Case) -> tuple[list[str], list[int], list[int]]:
    """Return what is played and how it ends."""
    state, texts = case.start(), []
    for text in _choices(state):
        texts.append(text)
    return texts, state.scores(), state.placements()


def _choices(state: State) -> Iterator[str]:
    """Play a match with the choices of a fixed stream, and yield each text before it is applied."""
    rng = Stream("golden")
    while state.to_move is not None:
        action = rng.choice(state.legal_actions())
        yield state.action_text(action)
        state.apply(action)


def playthrough(case: Case) -> str:
    """Return the whole match as text: each decision, and the views of all seats at a few moments."""
    state = case.start()
    total = sum(1 for _ in _choices(case.start()))
    shown: set[str] = set()
    lines = [
        f"{case.game.id}, {case.seats} seats, seed {SEED.hex()}",
        f"options {json.dumps(state.observation(0)['options'])}",
    ]
    for number, text in enumerate(_choices(state)):
        seen = state.observation(0)
        stage = f"{seen['phase']} {seen.get('part', '')}"
        if stage not in shown or number % max(1, total // EVEN_VIEWS) == 0:
            shown.add(stage)
            lines += _views(state, case.seats, seen)
        lines.append(f"{number:4}  seat {state.to_move}  {text}")
    lines += _views(state, case.seats, state.observation(0))
    lines.append(f"scores {state.scores()}  places {state.placements()}")
    return "\n".join(lines) + "\n"


def _views(state: State, seats: int, first: Observation) -> list[str]:
    """Return seat 0's observation, a field a line, and of the other seats what differs from it."""
    lines = ["", f"== seat {state.to_move} to move, as seat 0 sees it"]
    lines += [f"   {name}: {_shown(value)}" for name, value in first.items() if name != "options"]
    for seat in range(1, seats):
        lines.append(f"-- seat {seat}")
        seen = state.observation(seat)
        lines += [
            f"   {name}: {_shown(value)}"
            for name, value in seen.items()
            if name not in first or first[name] != value
        ]
    return [*lines, ""]


def _shown(value: object) -> str:
    """Return a value as JSON, of a very long list (bids) the ends."""
    if isinstance(value, list) and len(value) > 150:
        value = [*value[:10], f"... {len(value) - 20} more ...", *value[-10:]]
    return json.dumps(value)


def _text(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def write_all(folder: Path = GOLDEN) -> None:
    """Write every playthrough of every game, and remove files that belong to none."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {case.name: case for game in all_games() for case in cases(game)}
    for path in folder.glob("*.txt"):
        if path.name not in wanted:
            path.unlink()
    for name, case in wanted.items():
        (folder / name).write_text(playthrough(case), "utf-8")


if __name__ == "__main__":
    write_all()
