"""The bot protocol: messages to and from a module's process, requests to and replies of an endpoint."""

import hashlib
import hmac
import struct
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any

import msgspec

from engine.errors import FudabaError
from engine.policies import Fault, FaultCode

# Module: a message is kind, number, match, length and that many bytes of JSON; a reply is number, status,
# microseconds of CPU, length and that many bytes. `runtimes.child` is the other side.
REQUEST = struct.Struct("<BIII")
REPLY = struct.Struct("<IBII")
READY_NUMBER = 0
MOST_REPLY_BYTES = 4096

_encode_json = msgspec.json.Encoder().encode


class Kind(IntEnum):
    """What a message asks a module for."""

    OPEN = 1
    ACT = 2
    CLOSE = 3


class Status(IntEnum):
    """What a reply of a module holds."""

    READY = 1
    TEXT = 2
    INDEX = 3
    WRONG = 4
    EXCEPTION = 5
    MEMORY = 6


class ForgedReply(FudabaError):
    """Bytes from a module's process that its trusted part would not write."""

    code = "forged_reply"


class Reply(msgspec.Struct, frozen=True):
    """One reply of a module: `cpu_us` is its own claim."""

    number: int
    status: int
    cpu_us: int
    payload: bytes


def message(kind: Kind, number: int, match: int, payload: bytes = b"") -> bytes:
    """Return one message to a module."""
    return REQUEST.pack(kind, number, match, len(payload)) + payload


def observation_bytes(observation: Mapping[str, Any]) -> bytes:
    """Return an observation as JSON."""
    return _encode_json(observation)


class ReplyReader:
    """Cuts the bytes from a module's process into replies."""

    def __init__(self) -> None:
        self._buffer = b""

    def feed(self, data: bytes) -> Iterator[Reply]:
        """Yield the replies that are complete; raises ForgedReply."""
        buffer = self._buffer + data if self._buffer else data
        self._buffer = b""
        at, size = 0, len(buffer)
        while size - at >= REPLY.size:
            number, status, cpu_us, length = REPLY.unpack_from(buffer, at)
            if length > MOST_REPLY_BYTES:
                raise ForgedReply(f"a reply of {length} bytes; allowed: {MOST_REPLY_BYTES}")
            start = at + REPLY.size
            if size - start < length:
                break
            at = start + length
            yield Reply(number, status, cpu_us, buffer[start:at])
        self._buffer = buffer[at:]


def module_answer(reply: Reply) -> str | int | Fault:
    """Return the answer in a module's reply, rebuilt as exactly a str or an int, or the fault that it is."""
    payload = reply.payload
    match reply.status:
        case Status.TEXT:
            try:
                return payload.decode()
            except UnicodeDecodeError:
                return bad_reply("a text with lone surrogates or bytes that are not UTF-8", payload)
        case Status.INDEX if len(payload) == 8:
            return int.from_bytes(payload, "little", signed=True)
        case Status.WRONG:
            return bad_reply(
                f"{_text(payload)}; expected an action text or an index, a str or an int", payload
            )
        case Status.EXCEPTION:
            trace = _text(payload)
            return Fault(
                code=FaultCode.EXCEPTION,
                detail=(trace.strip().splitlines() or ["an exception"])[-1][:300],
                evidence={"traceback": trace},
            )
        case Status.MEMORY:
            return Fault(code=FaultCode.MEMORY, detail="out of memory: MemoryError")
    return bad_reply(f"a reply with status {reply.status} and {len(payload)} bytes", payload)


def readiness(reply: Reply) -> str | Fault:
    """Return an empty text when a module says that it is ready, or the fault that kept it from it."""
    if reply.status == Status.READY:
        return ""
    answer = module_answer(reply)
    if isinstance(answer, Fault):
        return answer
    return bad_reply("an answer where nothing was asked yet", reply.payload)


def bad_reply(detail: str, reply: bytes) -> Fault:
    """Return the fault of a reply that is not an answer, with its beginning."""
    return Fault(code=FaultCode.BAD_REPLY, detail=detail, evidence={"reply": _text(reply)[:200]})


def _text(data: bytes) -> str:
    """Return bytes of a bot as text, whatever they are."""
    return data.decode("utf-8", "replace")


# Endpoint: one POST carries several requests, one reply the actions by request id.


class EndpointRequest(msgspec.Struct, frozen=True):
    """One decision asked of an endpoint; `match` is opaque, one per seat of a match."""

    id: str
    match: str
    observation: msgspec.Raw


class EndpointBatch(msgspec.Struct, frozen=True, kw_only=True):
    """The body of a POST to an endpoint."""

    version: int = 1
    requests: Sequence[EndpointRequest]


class EndpointReply(msgspec.Struct, frozen=True):
    """The body of an endpoint's reply: the action text of each request by its id."""

    actions: dict[str, msgspec.Raw]


class Handshake(msgspec.Struct, frozen=True):
    """The body of an endpoint's reply to the handshake."""

    fudaba: int
    name: str
    games: list[str]
    max_batch: int = 1


def signature(secret: bytes, timestamp: str, body: bytes) -> str:
    """Return the value of the Fudaba-Signature header: HMAC-SHA256 over timestamp + "." + body."""
    digest = hmac.new(secret, timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return f"v1={digest}"
