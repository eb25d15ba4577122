"""What waits for one endpoint: the decisions of all seats that it has in this process, sent in batches."""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Protocol

import msgspec

from engine.limits import Limits
from engine.policies import Answer, Fault, FaultCode
from workers import wire
from workers.runtimes.clock import MatchClock
from workers.runtimes.exchange import Call, EndpointClient, ExchangeFailed, HttpReply

# Turns of the loop in which the matches of one exchange ask again and their requests leave, before those of
# another go on: else exchanges that come back together stay together, and the endpoint and this process wait
# for each other in turn.
_TURNS = 4
_CLOSED = Fault(code=FaultCode.PLATFORM, detail="the bot was closed")

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


class Asker(Protocol):
    """Who asks an endpoint: the bot at one seat of one group."""

    @property
    def limits(self) -> Limits:
        """What its matches are played under."""

    def note(self, what: str, seconds: float) -> None:
        """Take note of an exchange that it had a part in."""

    def settle(self, decision: "Decision", answer: Answer, used_us: int) -> None:
        """Take the answer to a decision of its own, and the time that it took."""


class Decision(msgspec.Struct, kw_only=True):
    """A decision that waits or is in flight."""

    asker: Asker
    request: wire.EndpointRequest
    clock: MatchClock
    answer: asyncio.Future[Answer]


class Line:
    """Gathers what waits for one endpoint into batches, sends them and hands out the answers.

    Seats share batches: whoever keeps an endpoint sees all of its seats anyway, and batches get full.
    """

    def __init__(self, endpoint: Endpoint, *, client: EndpointClient, slots: Slots) -> None:
        self._endpoint = endpoint
        self._client = client
        self._slots = slots
        self._waiting: deque[Decision] = deque()
        self._turn = asyncio.Lock()
        self._senders: dict[asyncio.Task[None] | None, Sequence[Decision]] = {}

    def ask(self, decision: Decision) -> None:
        """Have a decision sent with the next batch that has room for it."""
        self._waiting.append(decision)
        if len(self._senders) < self._endpoint.max_in_flight:
            self._senders[asyncio.create_task(self._send_waiting())] = ()

    async def leave(self, asker: Asker) -> None:
        """Give an asker's open decisions a platform fault; end what nobody waits for any more."""
        asked = [*self._waiting, *(each for batch in self._senders.values() for each in batch)]
        for decision in asked:
            if decision.asker is asker:
                hand_out(decision, _CLOSED)
        self._waiting = deque(each for each in self._waiting if not each.answer.done())
        idle = [sender for sender, batch in self._senders.items() if sender and self._is_idle(batch)]
        for sender in idle:
            sender.cancel()
        if idle:
            await asyncio.wait(idle)
        for sender in idle:  # one that was cancelled before it began has not taken itself out
            self._senders.pop(sender, None)

    async def warm_up(self, seconds: float) -> HttpReply:
        """Open the connection with a handshake; raises ExchangeFailed."""
        async with self._slots.slot():
            return await self._client.exchange(self._call(None, seconds))

    def _is_idle(self, batch: Sequence[Decision]) -> bool:
        """Return whether nobody waits for what is sent, or, where nothing is sent yet, for what is next."""
        return all(each.answer.done() for each in batch or self._waiting)

    async def _send_waiting(self) -> None:
        """Send what waits, batch by batch, until nothing waits. Waiting for a slot is not the bot's time."""
        sender = asyncio.current_task()
        try:
            while self._waiting:
                async with self._slots.slot():
                    # The matches that the last exchange answered ask again in this turn of the loop.
                    await asyncio.sleep(0)
                    count = min(self._endpoint.max_batch, len(self._waiting))
                    self._senders[sender] = batch = [self._waiting.popleft() for _ in range(count)]
                    if batch:
                        await self._send(batch)
                    self._senders[sender] = ()
        finally:
            # Here and not later: what is asked from now on needs a sender of its own.
            self._senders.pop(sender, None)

    async def _send(self, batch: Sequence[Decision]) -> None:
        """Have a batch decided and hand out the answers."""
        body = _requests.encode(wire.EndpointBatch(requests=[decision.request for decision in batch]))
        allowed_us = sum(decision.clock.allowed_us for decision in batch)
        longest_ms = min(decision.asker.limits.batch_wall_ms for decision in batch)
        call = self._call(body, min(allowed_us / 1e6, longest_ms / 1000))
        try:
            answers, used_seconds = await self._exchange(call, batch)
            async with self._turn:
                share_us = round(used_seconds * 1e6) // len(batch)
                for decision, found in zip(batch, answers, strict=True):
                    decision.asker.settle(decision, found, share_us)
                for _ in range(_TURNS):
                    await asyncio.sleep(0)
        except asyncio.CancelledError:
            for decision in batch:
                hand_out(decision, _CLOSED)
            raise

    async def _exchange(self, call: Call, batch: Sequence[Decision]) -> tuple[list[Answer], float]:
        """Return an answer for each decision and the time that the endpoint took."""
        askers = dict.fromkeys(decision.asker for decision in batch)
        try:
            reply = await self._client.exchange(call)
        except ExchangeFailed as failed:
            fault = self._evident(failed.fault, failed.seconds, len(batch))
            for asker in askers:
                asker.note(f"POST {len(batch)} requests: {fault.code}: {fault.detail}", failed.seconds)
            return [fault] * len(batch), failed.used_seconds
        for asker in askers:
            asker.note(f"POST {len(batch)} requests: 200", reply.seconds)
        ids = [decision.request.id for decision in batch]
        return [
            self._evident(found, reply.seconds, len(batch)) if isinstance(found, Fault) else found
            for found in read_actions(reply.body, ids)
        ], reply.used_seconds

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


def hand_out(decision: Decision, found: Answer) -> None:
    """Hand out an answer, unless nobody waits for it any more."""
    if not decision.answer.done():
        decision.answer.set_result(found)
