"""What a module's process is asked for: to be ready, to open a match, to decide."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

import msgspec

from engine.policies import Answer, FaultCode
from workers import wire
from workers.runtimes.base import Latencies
from workers.runtimes.clock import MatchClock


class Request(Protocol):
    """One message that wants one reply; times are microseconds."""

    @property
    def limit_us(self) -> int:
        """What it may use of the bot's CPU."""

    @property
    def wall_us(self) -> int:
        """What it may take in all."""

    @property
    def phase(self) -> str:
        """What the bot does meanwhile, for messages."""

    @property
    def timeout_code(self) -> FaultCode:
        """The fault of taking longer."""

    def encode(self, number: int) -> bytes:
        """Return the message."""

    def read(self, reply: wire.Reply) -> Answer:
        """Return what a reply says."""

    def resolve(self, answer: Answer, used_us: int) -> None:
        """Take the answer, and the time that it took."""

    def charge_more(self, used_us: int) -> None:
        """Take a share of time that turned out after the answers were in."""


@dataclass(slots=True, kw_only=True)
class Preparation:
    """The import of a bot, or the construction of its object for a match; it has a limit of its own."""

    phase: str
    limit_us: int
    match: int = 0
    given: bytes = b""
    answer: Answer | None = None

    @property
    def wall_us(self) -> int:
        """The limit is one of the wall clock."""
        return self.limit_us

    @property
    def timeout_code(self) -> FaultCode:
        """Taking longer is a fault of the start."""
        return FaultCode.START_TIMEOUT

    def encode(self, number: int) -> bytes:
        """Return the message that opens the match."""
        return wire.message(wire.Kind.OPEN, number, self.match, self.given)

    def read(self, reply: wire.Reply) -> Answer:
        """Return an empty text when the bot is ready, or its fault."""
        return wire.readiness(reply)

    def resolve(self, answer: Answer, used_us: int) -> None:
        """Keep the answer."""
        self.answer = answer

    def charge_more(self, used_us: int) -> None:
        """Do nothing: this time is not taken from a bank."""


class Decision(msgspec.Struct, kw_only=True):
    """A decision in one match."""

    match: int
    clock: MatchClock
    latencies: Latencies
    observation: bytes
    wall_us: int
    answer: asyncio.Future[Answer]

    @property
    def limit_us(self) -> int:
        """The cap, or what is left in the bank."""
        return self.clock.allowed_us

    @property
    def phase(self) -> str:
        """The decision itself."""
        return "the decision"

    @property
    def timeout_code(self) -> FaultCode:
        """Taking longer is a timeout."""
        return FaultCode.TIMEOUT

    def encode(self, number: int) -> bytes:
        """Return the message with the observation."""
        return wire.message(wire.Kind.ACT, number, self.match, self.observation)

    def read(self, reply: wire.Reply) -> Answer:
        """Return the action text, the index or the fault."""
        return wire.module_answer(reply)

    def resolve(self, answer: Answer, used_us: int) -> None:
        """Charge the time and hand on the answer, unless nobody waits for it any more."""
        self.clock.charge(used_us)
        self.latencies.add(used_us)
        if not self.answer.done():
            self.answer.set_result(answer)

    def charge_more(self, used_us: int) -> None:
        """Take it from the bank."""
        self.clock.charge_more(used_us)
