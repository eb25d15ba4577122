"""Our side of an HTTP endpoint: gathers decisions into batches, sends them and hands out the answers."""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Protocol

import msgspec

from engine.contract import Seat
from engine.policies import Answer, Ask, Fault, FaultCode
from workers import wire
from workers.runtimes.base import Latencies, LogTail, Setting
from workers.runtimes.clock import MatchClock, timeout
from workers.runtimes.exchange import Call, EndpointClient, ExchangeFailed

_MOST_LOG_BYTES = 1 << 20

_requests = msgspec.json.Encoder()
_replies = msgspec.json.Decoder(wire.EndpointReply)
_texts = msgspec.json.Decoder(str)


class Slots(Protocol):
    """How many exchanges with one endpoint may be in flight at once, over all who hold the same slots."""

    def slot(self) -> AbstractAsyncContextManager[None]:
        """Return a context that waits for a free slot and holds it."""


class LocalSlots:
    """Slots within one process."""

    def __init__(self, count: int) -> None:
        self._free = asyncio.Semaphore(count)

    def slot(self) -> AbstractAsyncContextManager[None]:
        """Return a context that waits for a free slot and holds it."""
        return self._free


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a bot is, and how it wants to be asked."""

    url: str
    secret: str
    max_batch: int = 1
    max_in_flight: int = 16


@dataclass(slots=True, kw_only=True)
class _Decision:
    """A decision that waits or is in flight."""

    request: wire.EndpointRequest
    clock: MatchClock
    answer: asyncio.Future[Answer]


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

    async def act(self, ask: Ask) -> Answer:
        """Return the endpoint's answer, or its fault."""
        self._clock.ask(ask.step)
        observation = ask.observation()
        observation["time"] = self._clock.view()
        request = wire.EndpointRequest(
            id=f"{self._match_id}.{ask.step}",
            match=self._match_id,
            observation=msgspec.Raw(wire.observation_bytes(observation)),
        )
        return await self._bot.decide(request, self._clock)

    async def close(self) -> None:
        """Do nothing: every request is complete in itself."""


class EndpointBot:
    """An endpoint for one seat of one group."""

    def __init__(
        self,
        endpoint: Endpoint,
        setting: Setting,
        *,
        client: EndpointClient,
        slots: Slots,
    ) -> None:
        self.latencies: Final = Latencies()
        self._endpoint = endpoint
        self._setting = setting
        self._client = client
        self._slots = slots
        self._log = LogTail(_MOST_LOG_BYTES)
        self._waiting: deque[_Decision] = deque()
        self._senders: set[asyncio.Task[None] | None] = set()

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
        seconds = self._setting.limits.start_ms / 1000
        try:
            async with self._slots.slot():
                await self._client.exchange(self._call(None, seconds))
        except ExchangeFailed as failed:
            self._note(f"handshake {failed.fault.code}: {failed.fault.detail}", failed.seconds)
        return None

    async def decide(self, request: wire.EndpointRequest, clock: MatchClock) -> Answer:
        """Return the endpoint's answer to one request, or its fault."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Decision(request=request, clock=clock, answer=answer))
        if len(self._senders) < self._endpoint.max_in_flight:
            self._senders.add(asyncio.create_task(self._send_waiting()))
        return await answer

    async def close(self) -> None:
        """Give up what is in flight; decisions that still wait get a platform fault."""
        senders = [sender for sender in self._senders if sender is not None]
        for sender in senders:
            sender.cancel()
        if senders:
            await asyncio.wait(senders)
        closed = Fault(code=FaultCode.PLATFORM, detail="the bot was closed")
        while self._waiting:
            _answer(self._waiting.popleft(), closed)

    async def _send_waiting(self) -> None:
        """Send what waits, batch by batch, until nothing waits. Waiting for a slot is not the bot's time."""
        try:
            while self._waiting:
                async with self._slots.slot():
                    count = min(self._endpoint.max_batch, len(self._waiting))
                    batch = [self._waiting.popleft() for _ in range(count)]
                    if batch:
                        await self._ask(batch)
        finally:
            # Here and not later: what is asked from now on needs a sender of its own.
            self._senders.discard(asyncio.current_task())

    async def _ask(self, batch: Sequence[_Decision]) -> None:
        """Have a batch decided and hand out the answers."""
        body = _requests.encode(wire.EndpointBatch(requests=[decision.request for decision in batch]))
        allowed_us = sum(decision.clock.allowed_us for decision in batch)
        seconds = min(allowed_us / 1e6, self._setting.limits.batch_wall_ms / 1000)
        try:
            answers, used_seconds = await self._exchange(self._call(body, seconds), batch)
        except asyncio.CancelledError:
            for decision in batch:
                _answer(decision, Fault(code=FaultCode.PLATFORM, detail="the bot was closed"))
            raise
        share_us = round(used_seconds * 1e6) // len(batch)
        for decision, answer in zip(batch, answers, strict=True):
            self._settle(decision, answer, share_us)

    async def _exchange(self, call: Call, batch: Sequence[_Decision]) -> tuple[list[Answer], float]:
        """Return an answer for each decision and the time that the endpoint took."""
        try:
            reply = await self._client.exchange(call)
        except ExchangeFailed as failed:
            fault = self._evident(failed.fault, failed.seconds, len(batch))
            self._note(f"POST {len(batch)} requests: {fault.code}: {fault.detail}", failed.seconds)
            return [fault] * len(batch), failed.used_seconds
        self._note(f"POST {len(batch)} requests: 200", reply.seconds)
        ids = [decision.request.id for decision in batch]
        return [
            self._evident(answer, reply.seconds, len(batch)) if isinstance(answer, Fault) else answer
            for answer in read_actions(reply.body, ids)
        ], reply.used_seconds

    def _settle(self, decision: _Decision, answer: Answer, used_us: int) -> None:
        """Charge a decision and answer it; one that used more than it had is a timeout."""
        allowed_us = decision.clock.allowed_us
        if used_us > allowed_us and not isinstance(answer, Fault):
            answer = timeout(
                FaultCode.TIMEOUT, phase="the decision", limit_us=allowed_us, used_us=used_us, of="wall"
            )
        decision.clock.charge(used_us)
        self.latencies.add(used_us)
        _answer(decision, answer)

    def _call(self, body: bytes | None, seconds: float) -> Call:
        """Return a call of this endpoint."""
        return Call(url=self._endpoint.url, secret=self._endpoint.secret, body=body, deadline_seconds=seconds)

    def _evident(self, fault: Fault, seconds: float, requests: int) -> Fault:
        """Return a fault with the exchange that it happened in."""
        evidence = {
            "url": self._endpoint.url,
            "latency_ms": round(seconds * 1000),
            "requests": requests,
            **fault.evidence,
        }
        return replace(fault, evidence=evidence)

    def _note(self, what: str, seconds: float) -> None:
        """Add a line to the log of calls."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._log.add(f"{now} {what} ({round(seconds * 1000)} ms)\n".encode("utf-8", "replace"))


def read_actions(body: bytes, ids: Sequence[str]) -> list[Answer]:
    """Return the answer to each request id in a reply's body, or what is wrong with it.

    A missing id or a value that is no text is a fault for that request alone, anything else for all of them.
    """
    known = set(ids)
    try:
        actions = _replies.decode(body).actions
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return [wire.bad_reply(f"the body is not the expected JSON: {error}"[:300], body)] * len(ids)
    if unknown := [name for name in actions if name not in known]:
        detail = f"an answer to {unknown[0][:80]!r}, which was not asked for"
        return [wire.bad_reply(detail, body)] * len(ids)
    return [_action(actions.get(name), name) for name in ids]


def _action(value: msgspec.Raw | None, name: str) -> Answer:
    """Return the action text in a value, or what is wrong with it."""
    if value is None:
        return wire.bad_reply(f"no answer to {name}", b"")
    raw = bytes(value)
    try:
        text = _texts.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return wire.bad_reply("an answer that is no action text", raw)
    if len(text) > wire.MOST_REPLY_BYTES:
        return wire.bad_reply(f"a text of {len(text)} characters", raw)
    return text


def _answer(decision: _Decision, answer: Answer) -> None:
    """Hand out an answer, unless nobody waits for it any more."""
    if not decision.answer.done():
        decision.answer.set_result(answer)
