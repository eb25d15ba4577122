"""Every hostile endpoint gets its fault, its opponent plays undisturbed, and nothing is left behind."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hostile.endpoints import ADDRESSES, BODY, EXCHANGE, REFUSED, Behaviour, HostileEndpoint, response, value
from support.duels import HONEST, LIMITS, actions_of, codes, house, matches, module, run, runtimes, setting

from engine.match import MatchResult
from workers.runtimes.line import Endpoint, LocalSlots
from workers.runtimes.openers import Runtimes

pytestmark = [pytest.mark.integration]
UNDISTURBED = ["take:3", "take:1", "take:2", "take:3"]
SECRET = "a secret that no evidence may show"
SELF_SIGNED = Path(__file__).parent.parent / "support" / "self_signed.pem"


@asynccontextmanager
async def serving(behaviour: Behaviour, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Answer every request on a port of this machine in the given way."""
    handlers: set[asyncio.Task[None]] = set()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        handlers.add(task)
        try:
            while not writer.is_closing():
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
                body = await reader.readexactly(length)
                requests = json.loads(body)["requests"] if body else []
                await behaviour(writer, [request["id"] for request in requests])
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            handlers.discard(task)
            writer.transport.abort()

    server = await asyncio.start_server(converse, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        left = list(handlers)
        for handler in left:
            handler.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        await server.wait_closed()


async def duel(opened: Runtimes, url: str, max_faults: int = 3) -> MatchResult:
    """Play a match of an endpoint, in the first seat, and an honest module."""
    given = setting(replace(LIMITS, max_faults=max_faults), rounds=len(UNDISTURBED))
    endpoint = Endpoint(url=url, secret=SECRET, max_batch=4)
    bots = [opened.endpoint(endpoint, given, LocalSlots(4)), opened.module(module(HONEST), given)]
    (result,) = await matches(bots, given)
    return result


def check(result: MatchResult, expected: list[str], said: str = "") -> None:
    """Assert the faults, their evidence, and that the opponent is not disturbed."""
    assert codes(result) == expected, [recorded.fault for recorded in result.faults]
    assert actions_of(result, 1) == UNDISTURBED
    for recorded in result.faults:
        evidence = json.dumps(dict(recorded.fault.evidence))
        assert said in recorded.fault.detail
        assert SECRET not in evidence and SECRET not in recorded.fault.detail
        if recorded.fault.code != "illegal":
            assert {"url", "latency_ms"} <= recorded.fault.evidence.keys()


def play_against(hostile: HostileEndpoint) -> None:
    """Play against an endpoint that answers in a hostile way, and assert its faults."""

    async def work() -> MatchResult:
        async with runtimes() as opened, serving(hostile.behaviour) as port:
            return await duel(opened, f"http://127.0.0.1:{port}/bot?x=1", hostile.max_faults)

    check(run(work), hostile.codes, hostile.says)


@pytest.mark.parametrize("name", EXCHANGE)
def test_an_exchange_that_goes_wrong_has_a_fault_of_its_own(name: str) -> None:
    play_against(EXCHANGE[name])


@pytest.mark.parametrize("name", BODY)
def test_a_body_that_is_not_an_answer_is_a_fault(name: str) -> None:
    play_against(BODY[name])


@pytest.mark.parametrize("name", ADDRESSES)
def test_an_endpoint_that_cannot_be_reached_is_a_fault(name: str) -> None:
    url, code = ADDRESSES[name]

    async def work() -> MatchResult:
        async with runtimes() as opened:
            return await duel(opened, url)

    check(run(work), [code] * 3)


@pytest.mark.parametrize("form", REFUSED)
def test_an_inner_address_is_refused_in_every_spelling_and_nothing_connects(form: str) -> None:
    asked: list[object] = []

    async def note(writer: asyncio.StreamWriter, ids: object) -> None:
        asked.append(ids)

    async def work() -> MatchResult:
        async with runtimes(allow_private=False) as opened, serving(note) as port:
            return await duel(opened, form.format(port=port))

    check(run(work), ["refused_address"] * 3)
    assert asked == []


def test_a_certificate_that_nobody_vouches_for_is_a_fault() -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(SELF_SIGNED)

    async def work() -> MatchResult:
        async with runtimes() as opened, serving(value("take:1"), context) as port:
            return await duel(opened, f"https://localhost:{port}/")

    check(run(work), ["tls"] * 3)


def test_a_server_that_speaks_no_tls_is_a_fault() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(response(b"{}", status="400 Bad Request"))
        writer.close()

    async def work() -> MatchResult:
        server = await asyncio.start_server(refuse, "127.0.0.1", 0)
        async with runtimes() as opened, server:
            return await duel(opened, f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/")

    check(run(work), ["tls"] * 3)


def test_one_missing_answer_in_a_batch_is_a_fault_of_that_request_alone() -> None:
    async def first_only(writer: asyncio.StreamWriter, ids: object) -> None:
        assert isinstance(ids, list)
        await value("take:1")(writer, ids[:1])

    async def work() -> list[list[str]]:
        async with runtimes() as opened, serving(first_only) as port:
            given = setting(replace(LIMITS, max_faults=1), rounds=1)
            endpoint = Endpoint(url=f"http://127.0.0.1:{port}/", secret=SECRET, max_batch=2)
            bots = [
                opened.endpoint(endpoint, given, LocalSlots(1)),
                house(opened, given),
            ]
            return [codes(result) for result in await matches(bots, given, count=2)]

    assert run(work) == [[], ["bad_reply"]]
