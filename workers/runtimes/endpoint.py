"""Our side of an HTTP endpoint at one seat: what it is asked and charged, and the log of its calls."""

import asyncio
from collections.abc import Awaitable, Mapping
from datetime import UTC, datetime
from typing import Final

import msgspec

from engine.contract import Seat
from engine.limits import Limits
from engine.policies import Answer, Ask, Fault, FaultCode
from workers import wire
from workers.runtimes.base import Latencies, LogTail, Setting
from workers.runtimes.clock import MatchClock, timeout
from workers.runtimes.exchange import ExchangeFailed
from workers.runtimes.line import Decision, Line, hand_out

_MOST_LOG_BYTES = 1 << 20


class EndpointPlayer:
    """An endpoint at one seat of one match."""

    def __init__(self, bot: "EndpointBot", match_id: str, clock: MatchClock) -> None:
        self._bot = bot
        self._match_id = match_id
        self._clock = clock

    @property
    def spent_us(self) -> Mapping[int, int]:
        """What each decision took on the wall clock."""
        return self._clock.spent_us

    def act(self, ask: Ask) -> Awaitable[Answer]:
        """Return what becomes the endpoint's answer, or its fault."""
        self._clock.ask(ask.step)
        observation = ask.observation()
        observation["time"] = self._clock.view()
        request = wire.EndpointRequest(
            id=f"{self._match_id}.{ask.step}",
            match=self._match_id,
            observation=msgspec.Raw(wire.observation_bytes(observation)),
        )
        return self._bot.decide(request, self._clock)

    async def close(self) -> None:
        """Do nothing: every request is complete in itself."""


class EndpointBot:
    """An endpoint for one seat of one group."""

    def __init__(self, setting: Setting, line: Line) -> None:
        self.latencies: Final = Latencies()
        self._setting = setting
        self._line = line
        self._log = LogTail(_MOST_LOG_BYTES)

    @property
    def limits(self) -> Limits:
        """What its matches are played under."""
        return self._setting.limits

    @property
    def log(self) -> bytes:
        """The tail of the log of calls: when, how many requests, the status or the fault, how long."""
        return self._log.tail()

    def player(self, match_id: str, seat: Seat) -> EndpointPlayer:
        """Return the player of a match that begins."""
        limits = self._setting.limits
        return EndpointPlayer(self, match_id, MatchClock(limits, limits.endpoint_wall_ms))

    async def start(self) -> Fault | None:
        """Open the connection with a handshake, so that the first decision does not pay for it.

        What it answers does not matter: an endpoint that fails does so, and is judged, at its first decision.
        """
        try:
            await self._line.warm_up(self.limits.start_ms / 1000)
        except ExchangeFailed as failed:
            self.note(f"handshake {failed.fault.code}: {failed.fault.detail}", failed.seconds)
        return None

    def decide(self, request: wire.EndpointRequest, clock: MatchClock) -> Awaitable[Answer]:
        """Return what becomes the endpoint's answer to one request, or its fault."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._line.ask(Decision(asker=self, request=request, clock=clock, answer=future))
        return future

    async def close(self) -> None:
        """Give up what is in flight; decisions that still wait get a platform fault."""
        await self._line.leave(self)

    def settle(self, decision: Decision, found: Answer, used_us: int) -> None:
        """Charge a decision and answer it; one that used more than it had is a timeout."""
        allowed_us = decision.clock.allowed_us
        if used_us > allowed_us and not isinstance(found, Fault):
            found = timeout(
                FaultCode.TIMEOUT, phase="the decision", limit_us=allowed_us, used_us=used_us, of="wall"
            )
        decision.clock.charge(used_us)
        self.latencies.add(used_us)
        hand_out(decision, found)

    def note(self, what: str, seconds: float) -> None:
        """Add a line to the log of calls."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._log.add(f"{now} {what} ({round(seconds * 1000)} ms)\n".encode("utf-8", "replace"))
