"""The bot protocol: both sides agree, hostile bytes are faults, answers are rebuilt as exact types."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.policies import Fault, FaultCode
from workers import wire
from workers.runtimes import child
from workers.wire import Kind, Reply, ReplyReader, Status


def reply(number: int, status: int, payload: bytes) -> bytes:
    """The bytes of one reply."""
    return wire.REPLY.pack(number, status, 7, len(payload)) + payload


def test_both_sides_of_the_pipe_agree() -> None:
    assert (child.REQUEST.format, child.REPLY.format) == (wire.REQUEST.format, wire.REPLY.format)
    assert tuple(Kind) == (child.OPEN, child.ACT, child.CLOSE)
    own = (child.READY, child.TEXT, child.INDEX, child.WRONG, child.EXCEPTION, child.MEMORY)
    assert own == tuple(Status)
    assert (child.READY_NUMBER, child.MOST_TEXT_BYTES) == (wire.READY_NUMBER, wire.MOST_REPLY_BYTES)


@given(st.lists(st.binary(max_size=40)), st.integers(1, 20))
def test_replies_are_cut_out_of_any_pieces(payloads: list[bytes], piece: int) -> None:
    data = b"".join(reply(number, Status.TEXT, payload) for number, payload in enumerate(payloads))
    reader = ReplyReader()
    pieces = [data[at : at + piece] for at in range(0, len(data), piece)]
    read = [found for part in pieces for found in reader.feed(part)]
    assert [found.payload for found in read] == payloads


def test_a_reply_that_claims_to_be_long_is_forged() -> None:
    with pytest.raises(wire.ForgedReply, match="4294967295 bytes"):
        list(ReplyReader().feed(wire.REPLY.pack(1, Status.TEXT, 0, 0xFFFFFFFF)))


@pytest.mark.parametrize(
    ("status", "payload", "answer"),
    [
        (Status.TEXT, b"play:B7", "play:B7"),
        (Status.TEXT, b"", ""),
        (Status.INDEX, (3).to_bytes(8, "little"), 3),
        (Status.INDEX, (-1).to_bytes(8, "little", signed=True), -1),
    ],
)
def test_an_answer_is_exactly_a_text_or_a_number(status: Status, payload: bytes, answer: str | int) -> None:
    found = wire.module_answer(Reply(1, status, 0, payload))
    assert found == answer
    assert type(found) is type(answer)


@pytest.mark.parametrize(
    ("status", "payload", "code"),
    [
        (Status.TEXT, b"\xed\xa0\x80", FaultCode.BAD_REPLY),
        (Status.TEXT, b"\xff", FaultCode.BAD_REPLY),
        (Status.INDEX, b"\1", FaultCode.BAD_REPLY),
        (Status.READY, b"", FaultCode.BAD_REPLY),
        (Status.WRONG, b"a value of type float", FaultCode.BAD_REPLY),
        (99, b"", FaultCode.BAD_REPLY),
        (Status.EXCEPTION, b"Traceback\nValueError: x", FaultCode.EXCEPTION),
        (Status.EXCEPTION, b"", FaultCode.EXCEPTION),
        (Status.MEMORY, b"", FaultCode.MEMORY),
    ],
)
def test_whatever_else_arrives_is_a_fault(status: int, payload: bytes, code: FaultCode) -> None:
    found = wire.module_answer(Reply(1, status, 0, payload))
    assert isinstance(found, Fault)
    assert found.code is code
    assert found.detail


def test_readiness_is_no_answer_and_an_answer_is_no_readiness() -> None:
    assert wire.readiness(Reply(0, Status.READY, 0, b"act")) == ""
    early = wire.readiness(Reply(0, Status.TEXT, 0, b"take:1"))
    assert isinstance(early, Fault)


def test_an_exception_keeps_its_traceback_and_says_its_last_line() -> None:
    trace = b'Traceback (most recent call last):\n  File "bot.py", line 2, in act\nKeyError: 1\n'
    found = wire.module_answer(Reply(1, Status.EXCEPTION, 0, trace))
    assert isinstance(found, Fault)
    assert found.detail == "KeyError: 1"
    assert found.evidence["traceback"] == trace.decode()


def test_the_signature_is_the_hmac_of_timestamp_dot_body() -> None:
    digest = hmac.new(b"secret", b'1700000000.{"version":1}', hashlib.sha256).hexdigest()
    assert wire.signature(b"secret", "1700000000", b'{"version":1}') == f"v1={digest}"


@pytest.mark.parametrize("value", [True, 1.0, None, b"x", ["x"], {}, 1 << 63, -(1 << 63) - 1, "x" * 4097])
def test_the_child_describes_what_it_may_not_send(value: object) -> None:
    status, payload = child._encoded(value)
    assert status == child.WRONG
    assert payload.startswith((b"a value of type", b"a number of", b"a text of"))


def test_a_traceback_begins_with_the_bots_own_frame_and_is_cut_in_the_middle() -> None:
    def fail(text: str) -> None:
        raise ValueError(text)

    try:
        fail("x" * 10_000)
    except ValueError as error:
        described = child._described(error)
    assert len(described) <= child.MOST_TEXT_BYTES
    assert b"\n  ...\n" in described
    assert b"child.py" not in described
