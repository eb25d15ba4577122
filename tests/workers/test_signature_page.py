"""The verification of signatures on the page for authors, in both languages, against real signed requests."""

import base64
import json
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.bot_server import bot_server
from support.duels import run

from workers import wire
from workers.runtimes.addresses import AddressRules
from workers.runtimes.clock import Heartbeat
from workers.runtimes.exchange import Call, EndpointClient

PAGE = (Path(__file__).parents[2] / "docs" / "bots.md").read_text("utf-8")
SECRET = "a secret, not only ASCII: 札"
NODE = """
let input = "";
process.stdin.on("data", (chunk) => { input += chunk; });
process.stdin.on("end", () => {
  const { headers, body, secret } = JSON.parse(input);
  const lower = {};  // as Node's server gives them
  for (const [name, value] of Object.entries(headers)) lower[name.toLowerCase()] = value;
  console.log(JSON.stringify(isFromTheArena(lower, Buffer.from(body, "base64"), secret)));
});
"""

Headers = Mapping[str, str]
Verify = Callable[[Headers, bytes, str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A request as an endpoint gets it."""

    headers: dict[str, str]
    body: bytes


def block(language: str, name: str) -> str:
    """Return the example in a language that defines a function."""
    (found,) = [text for text in re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S) if name in text]
    return str(found)


def in_python(headers: Headers, body: bytes, secret: str) -> bool:
    space: dict[str, Verify] = {}
    exec(block("python", "is_from_the_arena"), space)
    return space["is_from_the_arena"](headers, body, secret)


def in_javascript(headers: Headers, body: bytes, secret: str) -> bool:
    given = json.dumps({"headers": headers, "body": base64.b64encode(body).decode(), "secret": secret})
    program = block("javascript", "isFromTheArena") + NODE
    done = subprocess.run(["node", "-e", program], input=given, capture_output=True, text=True, check=True)
    return bool(json.loads(done.stdout))


languages = pytest.mark.parametrize(
    "verify", [in_python, pytest.param(in_javascript, marks=pytest.mark.needs("node"))]
)


@pytest.fixture(scope="module")
def signed() -> Signed:
    """A request that the arena has really sent."""

    async def sent() -> Signed:
        body = json.dumps({"version": 1, "requests": [{"id": "ä", "match": "m", "observation": {}}]}).encode()
        client = EndpointClient(AddressRules(allow_private=True), Heartbeat())
        async with bot_server(_nothing) as server:
            try:
                await client.exchange(Call(url=server.url("/"), secret=SECRET, body=body, deadline_seconds=5))
            finally:
                await client.close()
            return Signed(headers=server.headers[0], body=server.bodies[0])

    return run(sent)


async def _nothing(asked: object) -> dict[str, str]:
    return {}


@languages
def test_what_the_arena_sent_is_verified(verify: Verify, signed: Signed) -> None:
    assert verify(signed.headers, signed.body, SECRET) is True


@languages
def test_another_secret_or_body_is_not(verify: Verify, signed: Signed) -> None:
    assert verify(signed.headers, signed.body, SECRET + "x") is False
    assert verify(signed.headers, signed.body + b" ", SECRET) is False


@languages
@pytest.mark.parametrize(
    "changed",
    [
        {"Fudaba-Signature": ""},
        {"Fudaba-Signature": "v1=00"},
        {"Fudaba-Signature": "v1=" + "é" * 64},
        {"Fudaba-Timestamp": ""},
        {"Fudaba-Timestamp": "soon"},
        {"Fudaba-Timestamp": "9" * 5000},
    ],
)
def test_forged_headers_are_not(verify: Verify, signed: Signed, changed: dict[str, str]) -> None:
    assert verify({**signed.headers, **changed}, signed.body, SECRET) is False


@languages
def test_a_request_without_a_signature_is_not(verify: Verify, signed: Signed) -> None:
    assert verify({}, signed.body, SECRET) is False


@languages
@pytest.mark.parametrize("timestamp", ["1700000000", "4000000000"])
def test_an_old_request_is_not_though_its_signature_is_right(
    verify: Verify, signed: Signed, timestamp: str
) -> None:
    signature = wire.signature(SECRET.encode(), timestamp, signed.body)
    headers = {"Fudaba-Timestamp": timestamp, "Fudaba-Signature": signature}
    assert verify(headers, signed.body, SECRET) is False
