"""Endpoints: what is sent, how it is batched and signed, what is charged, and what the handshake finds."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from support.bot_server import HELLO, Answer, BotServer, bot_server, first_legal
from support.duels import LIMITS, codes, house, matches, run, runtimes, setting

from engine.limits import Limits
from engine.match import MatchResult, PlatformFault
from engine.match import play as play_match
from engine.policies import Answer as Found
from engine.policies import Ask, Fault, FaultCode
from workers import wire
from workers.runtimes.addresses import AddressRules
from workers.runtimes.base import Setting
from workers.runtimes.endpoint import EndpointBot
from workers.runtimes.handshake import HandshakeReport, handshake
from workers.runtimes.line import Endpoint, LocalSlots
from workers.runtimes.openers import Runtimes

pytestmark = [pytest.mark.integration]
T = TypeVar("T")
SECRET = "the bot's own secret"


def play(
    server: BotServer,
    opened: Runtimes,
    *,
    count: int = 1,
    max_batch: int = 1,
    in_flight: int = 16,
    limits: Limits = LIMITS,
    path: str = "/bot",
) -> Callable[[], Awaitable[tuple[list[MatchResult], EndpointBot]]]:
    """Play some matches at once of an endpoint, in the first seat, against a house bot."""

    async def work() -> tuple[list[MatchResult], EndpointBot]:
        given = setting(limits)
        endpoint = Endpoint(url=server.url(path), secret=SECRET, max_batch=max_batch, max_in_flight=in_flight)
        bot = opened.endpoint(endpoint, given, LocalSlots(in_flight))
        return await matches([bot, house(opened, given)], given, count), bot

    return work


def test_a_request_is_complete_signed_and_sent_to_the_url_as_given() -> None:
    async def work() -> BotServer:
        async with bot_server() as server, runtimes() as opened:
            results, _ = await play(server, opened, path="/a/b/?key=v%20w&x=")()
            assert codes(results[0]) == []
            return server

    server = run(work)
    assert set(server.paths) == {"/a/b/?key=v%20w&x="}
    assert len(server.bodies) == 5
    for headers, body in zip(server.headers, server.bodies, strict=True):
        timestamp = headers["Fudaba-Timestamp"]
        assert abs(int(timestamp) - time.time()) < 60
        assert headers["Fudaba-Signature"] == wire.signature(SECRET.encode(), timestamp, body)
        assert headers["Content-Type"] == "application/json"
        assert "Cookie" not in headers
        asked = json.loads(body)
        assert asked.keys() == {"version", "requests"}
        assert asked["version"] == 1
    requests = [request for batch in server.batches for request in batch]
    assert all(request.keys() == {"id", "match", "observation"} for request in requests)
    assert len({request["id"] for request in requests}) == 5
    assert {request["match"] for request in requests} == {"m0-0"}
    assert requests[0]["observation"]["time"] == {"bank_ms": 5_100, "cap_ms": 500, "last_ms": 0}
    assert requests[1]["observation"]["legal"] == ["take:1", "take:2", "take:3"]


def test_decisions_of_many_matches_share_batches_up_to_the_declared_size() -> None:
    async def work() -> list[int]:
        async with bot_server() as server, runtimes() as opened:
            results, _ = await play(server, opened, count=12, max_batch=5, in_flight=1)()
            assert [codes(result) for result in results] == [[]] * 12
            return [len(batch) for batch in server.batches]

    sizes = run(work)
    assert sum(sizes) == 60
    assert max(sizes) == 5
    assert len(sizes) < 20


def test_the_seats_of_an_endpoint_share_batches() -> None:
    async def work() -> list[set[str]]:
        async with bot_server() as server, runtimes() as opened:
            given, slots = setting(), LocalSlots(1)
            endpoint = Endpoint(url=server.url(), secret=SECRET, max_batch=8)
            bots = [opened.endpoint(endpoint, given, slots) for _ in range(2)]
            results = await matches(bots, given, 12)
            assert [codes(result) for result in results] == [[]] * 12
            return [{request["match"][-1] for request in batch} for batch in server.batches]

    assert {"0", "1"} in run(work)


def an_ask(given: Setting) -> Ask:
    """The first decision of a match."""
    return next(play_match(given.game, seats=given.seats, options=dict(given.options), seed=b""))


def test_a_seat_that_is_closed_leaves_the_others_of_its_exchange_their_answers() -> None:
    async def work() -> list[Found]:
        arrived, go = asyncio.Event(), asyncio.Event()

        async def wait(asked: dict[str, Any]) -> dict[str, str]:
            arrived.set()
            await go.wait()
            return await first_legal(asked)

        async with bot_server(wait) as server, runtimes() as opened:
            given, slots = setting(replace(LIMITS, endpoint_wall_ms=30_000)), LocalSlots(1)
            endpoint = Endpoint(url=server.url(), secret=SECRET, max_batch=2)
            bots = [opened.endpoint(endpoint, given, slots) for _ in range(2)]
            asked = [bot.player(f"m{n}", 0).act(an_ask(given)) for n, bot in enumerate(bots)]
            await arrived.wait()
            await bots[0].close()
            go.set()
            answers = [await each for each in asked]
            await bots[1].close()
            assert [len(batch) for batch in server.batches] == [2]
            return answers

    closed, played = run(work)
    assert isinstance(closed, Fault)
    assert closed.code is FaultCode.PLATFORM
    assert played == "take:1"


def test_what_nobody_waits_for_any_more_is_given_up() -> None:
    async def work() -> None:
        arrived = asyncio.Event()

        async def be_silent(asked: dict[str, Any]) -> dict[str, str]:
            arrived.set()
            await asyncio.sleep(60)
            return {}

        async with bot_server(be_silent) as server, runtimes() as opened:
            given, slots = setting(replace(LIMITS, endpoint_wall_ms=30_000)), LocalSlots(1)
            endpoint = Endpoint(url=server.url(), secret=SECRET)
            bots = [opened.endpoint(endpoint, given, slots) for _ in range(2)]
            asked = [bot.player(f"m{n}", 0).act(an_ask(given)) for n, bot in enumerate(bots)]
            await arrived.wait()
            await asyncio.gather(*(bot.close() for bot in bots))
            assert [isinstance(await each, Fault) for each in asked] == [True, True]
            async with asyncio.timeout(20), slots.slot():  # nobody holds it
                return

    run(work)


def test_no_more_exchanges_are_in_flight_than_allowed() -> None:
    async def slow(asked: dict[str, Any]) -> dict[str, str]:
        await asyncio.sleep(0.01)
        return await first_legal(asked)

    async def work() -> int:
        async with bot_server(slow) as server, runtimes() as opened:
            results, _ = await play(server, opened, count=20, in_flight=3)()
            assert all(codes(result) == [] for result in results)
            return server.most_in_flight

    assert run(work) == 3


def test_waiting_for_a_slot_is_not_charged() -> None:
    async def slow(asked: dict[str, Any]) -> dict[str, str]:
        await asyncio.sleep(0.1)
        return await first_legal(asked)

    async def work() -> EndpointBot:
        async with bot_server(slow) as server, runtimes() as opened:
            results, bot = await play(server, opened, count=8, in_flight=1)()
            assert all(codes(result) == [] for result in results)
            return bot

    assert 20_000 < run(work).latencies.most_us < 700_000  # the eighth would have waited that long


def test_a_batch_has_the_time_of_all_its_decisions_and_is_charged_in_equal_parts() -> None:
    async def slow(asked: dict[str, Any]) -> dict[str, str]:
        await asyncio.sleep(0.7)
        return await first_legal(asked)

    async def work() -> EndpointBot:
        async with bot_server(slow) as server, runtimes() as opened:
            given = setting(LIMITS, rounds=1)
            endpoint = Endpoint(url=server.url(), secret=SECRET, max_batch=4)
            bot = opened.endpoint(endpoint, given, LocalSlots(1))
            results = await matches([bot, house(opened, given)], given, 4)
            assert [codes(result) for result in results] == [[]] * 4
            return bot

    latencies = run(work).latencies
    assert latencies.count == 4
    assert 350_000 < latencies.total_us < 2_000_000  # a loop that was late takes off what it was late by
    assert latencies.most_us == latencies.total_us // 4


def test_every_decision_of_a_batch_that_misses_its_deadline_is_a_timeout() -> None:
    async def never(asked: dict[str, Any]) -> dict[str, str]:
        await asyncio.sleep(60)
        return {}

    async def work() -> list[MatchResult]:
        async with bot_server(never) as server, runtimes() as opened:
            limits = replace(LIMITS, endpoint_wall_ms=150, max_faults=1)
            results, bot = await play(server, opened, count=2, max_batch=2, in_flight=1, limits=limits)()
            assert b"timeout" in bot.log
            return results

    results = run(work)
    assert [codes(result) for result in results] == [["timeout"]] * 2
    evidence = results[0].faults[0].fault.evidence
    assert evidence["limit_ms"] == 300
    assert evidence["used_ms"] >= 300
    assert evidence["requests"] == 2


def test_a_connection_that_breaks_is_tried_once_more() -> None:
    calls: list[int] = []

    async def break_first(asked: dict[str, Any]) -> dict[str, str]:
        calls.append(len(calls))
        if len(calls) % 2:
            raise asyncio.CancelledError
        return await first_legal(asked)

    async def work() -> list[str]:
        async with bot_server(break_first) as server, runtimes() as opened:
            results, _ = await play(server, opened)()
            return codes(results[0])

    assert run(work) == []
    assert len(calls) == 10


def late_loop(answer: Answer) -> list[str]:
    """The faults of an endpoint whose server lives in our loop and makes it late; limit 200 ms."""

    async def work() -> list[str]:
        async with bot_server(answer) as server, runtimes() as opened:
            limits = replace(LIMITS, endpoint_wall_ms=200)
            results, _ = await play(server, opened, limits=limits)()
            return codes(results[0])

    return run(work)


def test_the_time_that_our_loop_was_late_by_is_given_back() -> None:
    async def block_us(asked: dict[str, Any]) -> dict[str, str]:
        time.sleep(0.4)
        return await first_legal(asked)

    assert late_loop(block_us) == []


def test_a_silent_endpoint_is_blamed_although_our_loop_was_late() -> None:
    async def block_us_and_be_silent(asked: dict[str, Any]) -> dict[str, str]:
        time.sleep(0.1)
        await asyncio.sleep(60)
        return {}

    assert late_loop(block_us_and_be_silent) == ["timeout"] * 3


def test_a_loop_that_is_late_all_the_time_is_our_fault() -> None:
    async def block_us_for_ever(asked: dict[str, Any]) -> dict[str, str]:
        while True:
            time.sleep(0.3)
            await asyncio.sleep(0)

    with pytest.raises(PlatformFault, match="our event loop was late"):
        late_loop(block_us_for_ever)


def test_the_log_has_a_line_for_every_call() -> None:
    async def work() -> EndpointBot:
        async with bot_server() as server, runtimes() as opened:
            given = setting()
            bot = opened.endpoint(Endpoint(url=server.url(), secret=SECRET), given, LocalSlots(1))
            assert await bot.start() is None
            await matches([bot, house(opened, given)], given)
            return bot

    lines = run(work).log.decode().splitlines()
    assert len(lines) == 5
    assert all(" POST 1 requests: 200 (" in line for line in lines)


def shake(hello: object, rules: AddressRules | None = None, path: str = "/") -> HandshakeReport:
    """The report of a handshake with a server that says this about itself."""

    async def work() -> HandshakeReport:
        async with bot_server(hello=hello) as server, runtimes() as opened:
            return await handshake(
                server.url(path),
                SECRET,
                client=opened.client,
                rules=rules or opened.rules,
                deadline_seconds=5,
            )

    return run(work)


def test_a_handshake_tells_the_name_the_games_and_the_batch_size() -> None:
    report = shake(HELLO, path="/bot?x").to_json()
    assert report["request"].endswith("/bot?x")
    assert (report["ok"], report["status"], report["problem"]) == (True, 200, None)
    assert {name: report[name] for name in HELLO} == HELLO


@pytest.mark.parametrize(
    ("hello", "problem"),
    [
        ({**HELLO, "fudaba": 2}, "fudaba is 2; expected 1"),
        ({**HELLO, "name": ""}, "name has 0 characters"),
        ({**HELLO, "name": "x" * 101}, "name has 101 characters"),
        ({**HELLO, "games": ["chess"]}, "game 'chess' is unknown"),
        ({**HELLO, "games": []}, "games is empty"),
        ({**HELLO, "max_batch": 0}, "max_batch is 0; allowed: 1 to 64"),
        ({**HELLO, "max_batch": 65}, "max_batch is 65; allowed: 1 to 64"),
        ({**HELLO, "max_batch": "4"}, "max_batch"),
        ({"name": "x", "games": ["seiten"]}, "fudaba"),
        (["fudaba"], "not the expected JSON"),
    ],
)
def test_a_handshake_that_cannot_be_so_says_what_to_mend(hello: object, problem: str) -> None:
    report = shake(hello).to_json()
    assert (report["ok"], report["code"], report["status"]) == (False, "bad_reply", 200)
    assert problem in report["problem"]
    assert '"fudaba": 1' in report["mend"]


def test_a_handshake_with_a_refused_address_connects_to_nothing() -> None:
    report = shake(HELLO, rules=AddressRules()).to_json()
    assert (report["code"], report["status"]) == ("refused_address", None)
    assert "public address" in report["mend"]
