"""A match that remembers what each seat saw when it decided, and can be copied, pickled and dealt anew."""

from typing import Any, NamedTuple

from engine import games
from engine.adapters.matches import match_seed
from engine.contract import Action, Observation, Seat
from engine.options import OptionValue
from engine.record import canonical
from engine.rng import Stream


class Setup(NamedTuple):
    """What a match is of: the game, its seats, and all options."""

    game_id: str
    seats: int
    options: dict[str, OptionValue]


class Decision(NamedTuple):
    """A decision of one seat: what it saw, the text of what it did, and its decision before."""

    view: Observation
    action: str
    before: "Decision | None"


class Resampling(NamedTuple):
    """The point of a match where what `seat` did not know was dealt anew."""

    seat: Seat
    seed: int


class Table:
    """A match in progress. A copy is cheap and independent; pickled it is its seed and its `script`."""

    def __init__(self, setup: Setup, seed: int) -> None:
        self.setup, self.seed = setup, seed
        self.match = games.get(setup.game_id).start(setup.seats, dict(setup.options), match_seed(seed))
        self.script: tuple[Action | Resampling, ...] = ()
        self._last: list[Decision | None] = [None] * setup.seats

    def apply(self, action: Action) -> None:
        """Play an action for the seat to move; IllegalAction leaves everything as it was."""
        seat, match = self.match.to_move, self.match
        if seat is None:
            match.apply(action)
            return
        view = match.observation(seat)
        match.apply(action)
        self._last[seat] = Decision(view, match.action_text(action), self._last[seat])
        self.script += (action,)

    def resample(self, seat: Seat, seed: int) -> None:
        """Deal anew what `seat` does not know. The other seats, who saw other cards, remember nothing."""
        self.match = self.match.determinize(seat, Stream(f"resample/{seed}"))
        self._last = [last if other == seat else None for other, last in enumerate(self._last)]
        self.script += (Resampling(seat, seed),)

    def view_text(self, seat: Seat) -> str:
        """Return what a seat may see in this moment, as canonical JSON."""
        return canonical(self.match.observation(seat)).decode()

    def memory_text(self, seat: Seat) -> str:
        """Return all that a seat knows, with perfect recall: its decisions, a line each, and what it sees.

        Of what it saw at a decision the line holds what had changed since the one before.
        """
        decisions = []
        decision = self._last[seat]
        while decision is not None:
            decisions.append(decision)
            decision = decision.before
        lines, known = [], Observation()
        for decision in reversed(decisions):
            lines.append(f"{canonical(changes(known, decision.view)).decode()} {decision.action}")
            known = decision.view
        return "\n".join([*lines, self.view_text(seat)])

    def __deepcopy__(self, memo: dict[int, Any]) -> "Table":
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.match, twin._last = self.match.clone(), self._last[:]
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        return replayed, (type(self), self.setup, self.seed, self.script)


def replayed(kind: type[Table], setup: Setup, seed: int, script: tuple[Action | Resampling, ...]) -> Table:
    """Return the table at which all of this was done."""
    table = kind(setup, seed)
    for step in script:
        if isinstance(step, Resampling):
            table.resample(step.seat, step.seed)
        else:
            table.apply(step)
    return table


def changes(before: Observation, after: Observation) -> Observation:
    """Return the fields of a view that differ from an earlier one; of a longer history the new entries."""
    changed = {name: value for name, value in after.items() if name not in before or before[name] != value}
    old, new = before.get("history"), changed.get("history")
    if old and new and new[: len(old)] == old:
        changed["history+"] = changed.pop("history")[len(old) :]
    return changed
