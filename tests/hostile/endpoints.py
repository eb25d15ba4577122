"""Hostile endpoints: what each answers, byte for byte, and the faults that it must get."""

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

Ids = Sequence[str]
Behaviour = Callable[[asyncio.StreamWriter, Ids], Awaitable[None]]
THREE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class HostileEndpoint:
    """A way to answer, the fault codes of its match, and a word that the first fault must say."""

    behaviour: Behaviour
    codes: list[str]
    says: str = ""
    max_faults: int = THREE


def bad(behaviour: Behaviour, code: str, says: str = "", *, max_faults: int = THREE) -> HostileEndpoint:
    """An endpoint that gets the same fault until it forfeits."""
    return HostileEndpoint(behaviour=behaviour, codes=[code] * max_faults, says=says, max_faults=max_faults)


def response(body: bytes, *headers: str, status: str = "200 OK", length: int | None = None) -> bytes:
    """A reply with these headers beside the usual ones."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers]
    if not any(header.lower().startswith("content-type") for header in headers):
        lines.append("Content-Type: application/json")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def always(data: bytes) -> Behaviour:
    """Answer with the same bytes."""

    async def answer(writer: asyncio.StreamWriter, ids: Ids) -> None:
        writer.write(data)
        await writer.drain()

    return answer


def says(body: Callable[[Ids], object]) -> Behaviour:
    """Answer with JSON made of the request's ids."""

    async def answer(writer: asyncio.StreamWriter, ids: Ids) -> None:
        writer.write(response(json.dumps(body(ids)).encode()))

    return answer


def value(action: object) -> Behaviour:
    """Answer every request with the same value."""
    return says(lambda ids: {"actions": {name: action for name in ids}})


def raw_value(text: str) -> Behaviour:
    """Answer every request with the same value, as JSON or what looks like it."""

    async def answer(writer: asyncio.StreamWriter, ids: Ids) -> None:
        pairs = ",".join(f'"{name}":{text}' for name in ids)
        writer.write(response(f'{{"actions":{{{pairs}}}}}'.encode()))

    return answer


def drip(data: bytes, piece: bytes) -> Behaviour:
    """Begin with `data`, then go on for ever, a piece at a time."""

    async def answer(writer: asyncio.StreamWriter, ids: Ids) -> None:
        writer.write(data)
        while not writer.is_closing():
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.02)

    return answer


def flood(data: bytes, piece: bytes) -> Behaviour:
    """Begin with `data`, then send pieces as fast as they are taken."""

    async def answer(writer: asyncio.StreamWriter, ids: Ids) -> None:
        writer.write(data)
        while not writer.is_closing():
            writer.write(piece)
            await writer.drain()

    return answer


async def silence(writer: asyncio.StreamWriter, ids: Ids) -> None:
    """Never answer."""
    await asyncio.sleep(3600)


async def hang_up(writer: asyncio.StreamWriter, ids: Ids) -> None:
    """Close the connection instead of answering."""
    writer.close()


async def reset(writer: asyncio.StreamWriter, ids: Ids) -> None:
    """Break the connection off."""
    writer.transport.abort()


async def half_a_body(writer: asyncio.StreamWriter, ids: Ids) -> None:
    """Promise more than comes."""
    writer.write(response(b'{"actions":', length=500))
    writer.close()


async def close_behind(writer: asyncio.StreamWriter, ids: Ids) -> None:
    """Answer well, then close the connection without having said so."""
    await value("take:1")(writer, ids)
    await writer.drain()
    writer.close()


_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_CHUNKED = _HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
_BOMB = gzip.compress(bytes(10 << 20))
_REDIRECT = "Location: http://10.0.0.1/inside"

EXCHANGE = {
    "silence": bad(silence, "timeout", "500 ms", max_faults=1),
    "slow_body": bad(drip(_CHUNKED, b"1\r\n \r\n"), "timeout", max_faults=1),
    "slow_headers": bad(drip(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"), "timeout", max_faults=1),
    "slow_status_line": bad(drip(b"HTTP/1.1 200 ", b"O"), "timeout", max_faults=1),
    "endless_early_hints": bad(drip(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"), "timeout", max_faults=1),
    "endless_headers": bad(flood(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 1000), "too_large", "headers"),
    "endless_header_line": bad(flood(b"HTTP/1.1 200 OK\r\nX: ", b"x" * 10000), "too_large", "headers"),
    "endless_status_line": bad(flood(b"HTTP/1.1 200 ", b"x" * 10000), "too_large"),
    "endless_chunks": bad(flood(_CHUNKED, b"1000\r\n" + b" " * 4096 + b"\r\n"), "too_large", "65536"),
    "endless_body": bad(flood(_HEAD + b"Connection: close\r\n\r\n", b" " * 4096), "too_large"),
    "ten_gigabytes": bad(always(response(b"", length=10 << 30)), "too_large", "10737418240"),
    "one_byte_too_much": bad(always(response(b" " * 65537)), "too_large"),
    "compressed": bad(always(response(gzip.compress(b"{}"), "Content-Encoding: gzip")), "bad_reply", "gzip"),
    "bomb": bad(always(response(_BOMB, "Content-Encoding: gzip")), "bad_reply", "gzip"),
    "brotli": bad(always(response(b"x", "Content-Encoding: br")), "bad_reply", "br"),
    "moved": bad(always(response(b"", _REDIRECT, status="301 Moved")), "redirect", "10.0.0.1/inside"),
    "found": bad(always(response(b"", _REDIRECT, status="302 Found")), "redirect", "register"),
    "temporary": bad(always(response(b"", _REDIRECT, status="307 Temporary")), "redirect"),
    "permanent": bad(always(response(b"", _REDIRECT, status="308 Permanent")), "redirect"),
    "redirect_to_nowhere": bad(always(response(b"", status="302 Found")), "redirect", "nowhere"),
    "bad_request": bad(always(response(b"{}", status="400 Bad Request")), "http_status", "400"),
    "unauthorised": bad(always(response(b"{}", status="401 Unauthorized")), "http_status", "401"),
    "not_found": bad(always(response(b"{}", status="404 Not Found")), "http_status", "404"),
    "too_many": bad(always(response(b"", "Retry-After: 60", status="429 Slow")), "http_status", "429"),
    "error": bad(always(response(b"", status="500 Error")), "http_status", "500"),
    "unavailable": bad(always(response(b"", status="503 Unavailable")), "http_status", "503"),
    "created": bad(always(response(b"{}", status="201 Created")), "http_status", "201"),
    "no_content": bad(always(b"HTTP/1.1 204 No Content\r\n\r\n"), "http_status", "204"),
    "hangs_up": bad(hang_up, "connect"),
    "resets": bad(reset, "connect"),
    "half_a_body": bad(half_a_body, "bad_reply"),
    "no_http": bad(always(b"220 mail ready\r\n" * 3), "bad_reply"),
    "two_lengths": bad(always(response(b"{}", "Content-Length: 9")), "bad_reply"),
    "closes_behind_every_answer": HostileEndpoint(behaviour=close_behind, codes=[]),
}

BODY = {
    "empty": bad(always(response(b"")), "bad_reply", "JSON"),
    "web_page": bad(always(response(b"<html>", "Content-Type: text/html")), "bad_reply", "text/html"),
    "no_content_type": bad(always(response(b"{}", "Content-Type:")), "bad_reply", "content type"),
    "broken_json": bad(always(response(b'{"actions": {')), "bad_reply", "JSON"),
    "two_documents": bad(always(response(b'{"actions": {}} {}')), "bad_reply", "JSON"),
    "byte_order_mark": bad(always(response(b'\xef\xbb\xbf{"actions": {}}')), "bad_reply", "JSON"),
    "latin_1": bad(always(response('{"actions": {"é": "é"}}'.encode("latin-1"))), "bad_reply"),
    "list": bad(says(lambda ids: ["take:1" for _ in ids]), "bad_reply", "JSON"),
    "number": bad(always(response(b"1")), "bad_reply", "JSON"),
    "null": bad(always(response(b"null")), "bad_reply", "JSON"),
    "no_actions": bad(says(lambda ids: {"moves": {}}), "bad_reply", "actions"),
    "actions_is_a_list": bad(says(lambda ids: {"actions": ["take:1"]}), "bad_reply", "JSON"),
    "missing_id": bad(says(lambda ids: {"actions": {}}), "bad_reply", "no answer"),
    "unknown_id": bad(says(lambda ids: {"actions": {"x": "take:1"}}), "bad_reply", "not asked"),
    "too_many_answers": bad(
        says(lambda ids: {"actions": {name: "take:1" for name in (*ids, "more")}}), "bad_reply", "more"
    ),
    "deep_nest": bad(always(response(b'{"actions":' + b"[" * 60000)), "bad_reply"),
    "deep_value": bad(raw_value("[" * 20000 + "]" * 20000), "bad_reply"),
    "index": bad(value(0), "bad_reply", "no action text"),
    "true": bad(value(True), "bad_reply"),
    "nothing": bad(value(None), "bad_reply"),
    "float": bad(value(1.5), "bad_reply"),
    "not_a_number": bad(raw_value("NaN"), "bad_reply"),
    "huge_number": bad(raw_value("9" * 5000), "bad_reply"),
    "list_value": bad(value(["take:1"]), "bad_reply"),
    "object_value": bad(value({"action": "take:1"}), "bad_reply"),
    "lone_surrogate": bad(raw_value('"\\ud800"'), "bad_reply"),
    "long_text": bad(value("x" * 10000), "bad_reply", "10000"),
    "unknown_action": bad(value("take:4"), "illegal", "take:1, take:2, take:3"),
    "empty_text": bad(value(""), "illegal"),
}

ADDRESSES = {
    "closed_port": ("http://127.0.0.1:1/", "connect"),
    "unknown_name": ("http://no-such-name.invalid/", "connect"),
}
REFUSED = (
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://0.0.0.0:{port}/",
    "http://127.1:{port}/",
    "http://2130706433:{port}/",
    "http://0x7f.1:{port}/",
    "http://169.254.169.254/latest/meta-data",
    "http://10.0.0.1/",
    "http://[fe80::1]/",
    "http://[ff02::1]/",
)
