"""What is asked of a player and what may come back; the house policies random, first and greedy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from engine.contract import Action, Game, Observation, Seat, State
from engine.errors import FudabaError
from engine.rng import Stream


class FaultCode(StrEnum):
    """Every kind of fault; all but PLATFORM are the bot's."""

    ILLEGAL = "illegal"
    BAD_REPLY = "bad_reply"
    EXCEPTION = "exception"
    TIMEOUT = "timeout"
    START_TIMEOUT = "start_timeout"
    MEMORY = "memory"
    CRASH = "crash"
    LOG_FLOOD = "log_flood"
    CONNECT = "connect"
    TLS = "tls"
    HTTP_STATUS = "http_status"
    TOO_LARGE = "too_large"
    REDIRECT = "redirect"
    REFUSED_ADDRESS = "refused_address"
    PLATFORM = "platform"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One error of a player: what kind, a sentence for its author, and evidence (JSON-ready).

    Keys of the evidence are, where they apply: traceback, limit_ms, used_ms, phase, reply, status, signal,
    exit_code.
    """

    code: FaultCode
    detail: str
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Ask:
    """A decision that a seat has to make: the step in the match and its legal actions, at least two.

    `state` is borrowed: house policies may look, nobody may apply; everybody else gets `observation()` alone.
    """

    step: int
    seat: Seat
    legal: list[Action]
    state: State

    def observation(self) -> Observation:
        """Return what the seat may know; a fresh object."""
        return self.state.observation(self.seat)


# An action text, or its index in `legal`, or what went wrong.
Answer = str | int | Fault


class Policy(Protocol):
    """Something that picks actions in this process."""

    def act(self, ask: Ask) -> Answer:
        """Return an action text, an index in the legal actions, or a fault."""


class UnknownPolicy(FudabaError):
    """No house bot has this name."""

    code = "unknown_bot"


class RandomPolicy:
    """Picks any legal action, each equally likely."""

    def __init__(self, game: Game, stream: Stream) -> None:
        self._stream = stream

    def act(self, ask: Ask) -> Answer:
        """Return the index of a random legal action."""
        return self._stream.below(len(ask.legal))


class FirstPolicy:
    """Picks the lowest legal action; it also answers in the place of a bot that failed."""

    def __init__(self, game: Game, stream: Stream) -> None:
        pass

    def act(self, ask: Ask) -> Answer:
        """Return the index of the lowest legal action."""
        return 0


class GreedyPolicy:
    """Plays by the short heuristic in the game's own file."""

    def __init__(self, game: Game, stream: Stream) -> None:
        self._choose = game.greedy

    def act(self, ask: Ask) -> Answer:
        """Return the action text that the heuristic prefers."""
        return self._choose(ask.observation())


HOUSE: dict[str, Callable[[Game, Stream], Policy]] = {
    "random": RandomPolicy,
    "first": FirstPolicy,
    "greedy": GreedyPolicy,
}


# All house bots by name. `search` (engine.search) thinks for long and so is no Policy: it runs apart.
SEARCH = "search"
HOUSE_NAMES: tuple[str, ...] = (*HOUSE, SEARCH)


def house_stream(event_index: int, match_number: int, seat: Seat) -> Stream:
    """Return the random stream of a house bot at one seat of one match, apart from all deals."""
    return Stream(f"house/{event_index}/{match_number}/{seat}")


def house_policy(name: str, game: Game, stream: Stream) -> Policy:
    """Return a house policy for one seat of one match; raises UnknownPolicy."""
    if name not in HOUSE:
        raise UnknownPolicy(f"house bot {name!r} is unknown; there are: {', '.join(HOUSE)}")
    return HOUSE[name](game, stream)
