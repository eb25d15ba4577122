"""A tiny game for tests of the runtimes: seats take turns to take 1, 2 or 3; whoever took most wins."""

from typing import Self

from engine.contract import Action, Game, Observation, Seat, rank_high_to_low
from engine.errors import IllegalAction, MatchNotOver
from engine.options import Number, Options
from engine.rng import Stream

_TAKES = 3


class ToyState:
    """A match in progress."""

    def __init__(self, seats: int, rounds: int) -> None:
        self._seats = seats
        self._turns = rounds * seats
        self._taken: list[int] = []

    @property
    def to_move(self) -> Seat | None:
        return len(self._taken) % self._seats if len(self._taken) < self._turns else None

    def legal_actions(self) -> list[Action]:
        return list(range(_TAKES))

    def apply(self, action: Action) -> None:
        if action not in self.legal_actions():
            raise IllegalAction(f"action {action} is not open")
        self._taken.append(action)

    def observation(self, seat: Seat) -> Observation:
        return {
            "game": "toy",
            "options": {"rounds": self._turns // self._seats},
            "seats": self._seats,
            "seat": seat,
            "sides": list(range(self._seats)),
            "scores": self._totals(),
            "hand": [],
            "legal": ["take:1", "take:2", "take:3"] if self.to_move == seat else [],
            "history": [f"{index % self._seats} take:{take + 1}" for index, take in enumerate(self._taken)],
        }

    def action_text(self, action: Action) -> str:
        return f"take:{action + 1}"

    def parse_action(self, text: str) -> Action:
        for action in range(_TAKES):
            if text == self.action_text(action):
                return action
        raise IllegalAction(f"{text!r} is no action")

    def scores(self) -> list[int]:
        if self.to_move is not None:
            raise MatchNotOver("the match is not over")
        return self._totals()

    def placements(self) -> list[int]:
        return rank_high_to_low(self.scores())

    def clone(self) -> Self:
        twin = type(self)(self._seats, self._turns // self._seats)
        twin._taken = list(self._taken)
        return twin

    def determinize(self, seat: Seat, rng: Stream) -> Self:
        return self.clone()

    def _totals(self) -> list[int]:
        return [sum(take + 1 for take in self._taken[seat :: self._seats]) for seat in range(self._seats)]


def _start(seats: int, options: Options, seed: bytes) -> ToyState:
    rounds = options["rounds"]
    assert isinstance(rounds, int)
    return ToyState(seats, rounds)


def _decisions(seats: int, options: Options) -> int:
    rounds = options["rounds"]
    assert isinstance(rounds, int)
    return seats * rounds


TOY = Game(
    id="toy",
    title="Toy",
    summary="Take as much as you can.",
    seats=(2, 3, 4),
    default_seats=2,
    options=(Number("rounds", 5, 1, 1000, "turns of each seat"),),
    notation=(("take:<n>", "take n"),),
    start=_start,
    greedy=lambda observation: "take:3",
    actions=lambda seats, options: _TAKES,
    max_decisions=_decisions,
)
