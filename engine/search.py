"""The house bot search: determinized Monte Carlo over the engine contract, its budget counted in playouts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import erf, sqrt

from engine.contract import Action, Game, Seat, State
from engine.rng import Stream

PLAYOUTS = 128  # of one decision
STEPS = 4000  # decisions inside them; playouts that are long are fewer
CANDIDATES = 10  # actions that are compared at most
DOUBT = 1.0  # standard errors by which another action must beat the heuristic's own

Leads = tuple[int, ...]  # of the searching side over each other side


@dataclass(slots=True)
class _Candidate:
    """An action and its results, one for each guess of the hidden cards, the same guesses for all."""

    action: Action
    results: list[Leads] = field(default_factory=list)


def choose(game: Game, state: State, seat: Seat, rng: Stream, playouts: int = PLAYOUTS) -> Action:
    """Return an action for `seat`, which is to move in `state`; `state` itself stays as it is.

    Each guess of the hidden cards (`determinize`) serves all candidates, and all seats play on by the game's
    heuristic to the end of the round (common random numbers). Stage by stage half of the candidates go on to
    further guesses, until `playouts`, or STEPS inside them, are used up. The heuristic's own action is always
    among them and left only for one that did better beyond doubt. The same state and `rng` give the same
    choice; what the seat cannot know enters by guesses alone.
    """
    view = state.observation(seat)
    favourite = state.parse_action(game.greedy(view))
    table = _Table(game, seat, view["round"], game.sides(view["seats"], view["options"]))
    rounds_left = max(0, view["rounds"] - view["round"] - 1)
    base = _Candidate(favourite)
    running = [
        base if action == favourite else _Candidate(action)
        for action in candidates(state.legal_actions(), favourite)
    ]
    stages = max(1, (len(running) - 1).bit_length())
    for stage in range(stages):
        for _ in range(max(2, playouts // (stages * len(running)))):
            if len(base.results) > 1 and table.steps * stages > STEPS * (stage + 1):
                break
            guess = state.determinize(seat, rng)
            for candidate in running:
                candidate.results.append(table.result(guess, candidate.action))
        worth = _Worth(_swing(base.results) * sqrt(rounds_left + 1))
        running.sort(key=worth.mean, reverse=True)
        if stage + 1 < stages:
            running = running[: (len(running) + 1) // 2]
            running = running if base in running else [*running[:-1], base]
    return running[0].action if worth.is_clearly_better(running[0], base) else favourite


def candidates(legal: Sequence[Action], favourite: Action) -> list[Action]:
    """Return the actions to compare, ascending: all, or `favourite` and a spread, denser at the low end."""
    if len(legal) <= CANDIDATES:
        return list(legal)
    steps = CANDIDATES - 3
    places = [0, *(round((len(legal) - 1) ** (step / steps)) for step in range(steps + 1))]
    return sorted({favourite, *(legal[place] for place in places)})


def _swing(results: Sequence[Leads]) -> float:
    """Return the standard deviation of a lead at the end of the round, at least 1."""
    total = 0.0
    for leads in zip(*results, strict=True):
        mean = sum(leads) / len(leads)
        total += sum((lead - mean) ** 2 for lead in leads) / (len(leads) - 1)
    return max(1.0, sqrt(total / len(results[0])))


@dataclass(frozen=True, slots=True)
class _Worth:
    """What leads are worth when those at the end of the match are spread around them normally.

    `spread` is their standard deviation: a round's own for each round that is left, and one more, so that the
    leads of a last round are told apart by more than their sign.
    """

    spread: float

    def of(self, leads: Leads) -> float:
        """Return the mean chance to end before another side, 0 to 1."""
        return sum(0.5 + erf(lead / (self.spread * sqrt(2))) / 2 for lead in leads) / len(leads)

    def mean(self, candidate: _Candidate) -> float:
        """Return what the candidate's results are worth on average."""
        return sum(map(self.of, candidate.results)) / len(candidate.results)

    def is_clearly_better(self, best: _Candidate, base: _Candidate) -> bool:
        """Return whether `best` beats `base` by more than DOUBT standard errors of the mean gain."""
        pairs = zip(best.results, base.results, strict=True)
        gains = [self.of(mine) - self.of(others) for mine, others in pairs]
        mean = sum(gains) / len(gains)
        return mean > DOUBT * sqrt(sum((gain - mean) ** 2 for gain in gains)) / len(gains)


@dataclass(slots=True)
class _Table:
    """Who searches what: the game, the seat, the round that is played out, and the side of each seat.

    `steps` counts the decisions with a choice that were made in playouts.
    """

    game: Game
    seat: Seat
    round: int
    sides: tuple[int, ...]
    steps: int = 0

    def result(self, guess: State, action: Action) -> Leads:
        """Return the leads of the seat's side over the others after `action` and the rest of the round."""
        state = guess.clone()
        state.apply(action)
        by_side = dict(zip(self.sides, self._play_out(state), strict=True))
        own = by_side.pop(self.sides[self.seat])
        return tuple(own - other for other in by_side.values())

    def _play_out(self, state: State) -> Sequence[int]:
        """Return the scores when all seats play the round to its end by the heuristic."""
        while (seat := state.to_move) is not None:
            legal = state.legal_actions()
            if len(legal) == 1:
                state.apply(legal[0])
                continue
            view = state.observation(seat)
            if view["round"] != self.round:
                scores: list[int] = view["scores"]
                return scores
            self.steps += 1
            state.apply(state.parse_action(self.game.greedy(view)))
        return state.scores()
