"""What every game promises: a description of itself, and states that only `apply` changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

from engine import options as option_kinds
from engine.errors import BadOptions, IllegalAction, UnknownSeat
from engine.options import Option, Options
from engine.rng import Stream

Seat = int
Action = int
Observation = dict[str, Any]


class State(Protocol):
    """A match in progress. Only `apply` changes it."""

    @property
    def to_move(self) -> Seat | None:
        """The seat that decides next; None when the match is over."""

    def legal_actions(self) -> list[Action]:
        """Return the actions open to the seat to move, ascending; never empty while a seat is to move.

        The list belongs to the state: callers must not change it.
        """

    def apply(self, action: Action) -> None:
        """Play `action` for the seat to move; IllegalAction leaves the state as it was."""

    def observation(self, seat: Seat) -> Observation:
        """Return what `seat` may know, JSON-ready; a fresh object that the caller may keep and change.

        Raises UnknownSeat.
        """

    def action_text(self, action: Action) -> str:
        """Return the text of an action of this game; IllegalAction when it has none of this number."""

    def parse_action(self, text: str) -> Action:
        """Return the action with this text; IllegalAction when the game has none, or it is no text."""

    def scores(self) -> list[int]:
        """Return one number a seat, higher is better; MatchNotOver before the end."""

    def placements(self) -> list[int]:
        """Return one 1-based place a seat, ties share the better place; MatchNotOver before the end."""

    def clone(self) -> Self:
        """Return an independent copy."""

    def determinize(self, seat: Seat, rng: Stream) -> Self:
        """Return a random complete state that agrees with everything that `seat` knows; or UnknownSeat."""


def each_for_himself(seats: int, options: Options) -> tuple[int, ...]:
    """Return the side of each seat when every seat is a side of its own."""
    return tuple(range(seats))


def no_further_rule(seats: int, options: Options) -> None:
    """Accept every combination of seats and options that are allowed by themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """One game: its rules as a factory of states, and what others must know of it.

    `start(seats, options, seed)` gets checked values and all options. `sides(seats, options)` is the side of
    each seat, numbered from 0 in order of first seat. `check(seats, options)` raises BadOptions for
    combinations that are not allowed. `actions` is the number of action ids, all below it. `max_decisions`
    bounds the decisions of a match. `notation` is pairs of (form of an action text or card code, meaning).
    `greedy` picks an action text by a short heuristic from an observation alone.
    """

    id: str
    title: str
    summary: str
    seats: tuple[int, ...]
    default_seats: int
    options: tuple[Option, ...]
    notation: tuple[tuple[str, str], ...]
    start: Callable[[int, Options, bytes], State]
    greedy: Callable[[Observation], str]
    actions: Callable[[int, Options], int]
    max_decisions: Callable[[int, Options], int]
    sides: Callable[[int, Options], tuple[int, ...]] = each_for_himself
    check: Callable[[int, Options], None] = no_further_rule

    def settle(
        self, seats: int | None = None, options: Options | None = None
    ) -> tuple[int, dict[str, option_kinds.OptionValue]]:
        """Return the seat count and all options, defaults filled in; raises BadOptions."""
        count = self.default_seats if seats is None else seats
        if type(count) is not int or count not in self.seats:
            allowed = ", ".join(map(str, self.seats))
            raise BadOptions(f"seats is {count!r}; allowed for {self.id}: {allowed}")
        values = option_kinds.complete(self.options, options)
        self.check(count, values)
        return count, values

    def new_match(self, *, seats: int | None = None, options: Options | None = None, seed: bytes) -> State:
        """Return the first state of a match; all of it follows from the seats, the options and the seed.

        Raises BadOptions.
        """
        count, values = self.settle(seats, options)
        if not isinstance(seed, bytes):
            raise BadOptions(f"seed is {seed!r}; expected bytes")
        return self.start(count, values, seed)

    def options_schema(self) -> Mapping[str, Any]:
        """Return the JSON schema of this game's options object."""
        return option_kinds.schema(self.options)


def rank_high_to_low(keys: list[Any]) -> list[int]:
    """Return a 1-based place for each key, the highest first; equal keys share the better place (1, 1, 3)."""
    ordered = sorted(keys, reverse=True)
    return [ordered.index(key) + 1 for key in keys]


def check_seat(seat: object, seats: int) -> Seat:
    """Return a seat of a match of this many; raises UnknownSeat: a negative one is no seat either."""
    if not isinstance(seat, int) or not 0 <= seat < seats:
        raise UnknownSeat(f"seat {seat!r} is unknown; this match has the seats 0 to {seats - 1}")
    return seat


def action_of(actions: Mapping[str, Action], text: object, game_id: str) -> Action:
    """Return the action with this text; IllegalAction when the game has none, or it is no text."""
    if not isinstance(text, str) or text not in actions:
        raise IllegalAction(f"{text!r} is no action of {game_id}")
    return actions[text]
