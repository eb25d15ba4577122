"""Records: what is needed to replay a match, as bytes and back, and the states on the way."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import msgspec

from engine import games
from engine.contract import State
from engine.errors import BadRecord, FudabaError
from engine.options import OptionValue

_FIELDS = {"game", "options", "seats", "seed", "actions"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a whole match follows from: game, all options, seats, seed and the action texts."""

    game: str
    options: Mapping[str, OptionValue]
    seats: int
    seed: bytes
    actions: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the record as a JSON-ready object; the seed in lower-case hex."""
        return {
            "game": self.game,
            "options": dict(self.options),
            "seats": self.seats,
            "seed": self.seed.hex(),
            "actions": list(self.actions),
        }

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Return the record that `data` describes; raises BadRecord naming what is wrong."""
        if not isinstance(data, dict) or set(data) != _FIELDS:
            raise BadRecord(f"a record is an object with the fields {', '.join(sorted(_FIELDS))}")
        actions, seed = data["actions"], data["seed"]
        if not isinstance(actions, list) or not all(type(text) is str for text in actions):
            raise BadRecord("actions is not a list of texts")
        if type(seed) is not str or seed != seed.lower():
            raise BadRecord(f"seed is {seed!r}; expected lower-case hex")
        try:
            seats, options = games.get(data["game"]).settle(data["seats"], data["options"])
            seed_bytes = bytes.fromhex(seed)
        except (FudabaError, ValueError) as error:
            raise BadRecord(f"the record cannot be played: {error}") from error
        return cls(game=data["game"], options=options, seats=seats, seed=seed_bytes, actions=tuple(actions))

    def to_bytes(self) -> bytes:
        """Return canonical JSON: sorted keys, no spaces."""
        return canonical(self.to_json())

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the record in these bytes; raises BadRecord."""
        try:
            return cls.from_json(msgspec.json.decode(data))
        except msgspec.DecodeError as error:
            raise BadRecord(f"the record is not JSON: {error}") from error

    def start(self) -> State:
        """Return the first state of the match."""
        return games.get(self.game).start(self.seats, dict(self.options), self.seed)

    def states(self) -> Iterator[tuple[State, str | None]]:
        """Yield the state before each action with the action's text, then the last state with None.

        It is one state that moves on: whoever keeps it must clone it. Raises BadRecord where an action is not
        legal or the match does not end with the last one.
        """
        state = self.start()
        for step, text in enumerate(self.actions):
            if state.to_move is None:
                raise BadRecord(f"action {step} ({text!r}) comes after the end of the match")
            yield state, text
            try:
                state.apply(state.parse_action(text))
            except FudabaError as error:
                raise BadRecord(f"action {step} ({text!r}) is not legal: {error}") from error
        if state.to_move is not None:
            raise BadRecord(f"the match is not over after its {len(self.actions)} actions")
        yield state, None

    def final(self) -> State:
        """Return the last state; raises BadRecord when the record does not replay."""
        state = self.start()
        for state, _text in self.states():  # noqa: B007 (the last one is the result)
            pass
        return state


def is_bare(line: bytes) -> bool:
    """Return whether a line of a file has the form of a record by itself, not of a tournament's line."""
    try:
        data = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return isinstance(data, dict) and set(data) == _FIELDS


def canonical(data: object) -> bytes:
    """Return canonical JSON: sorted keys, no spaces, UTF-8."""
    return msgspec.json.encode(data, order="sorted")
