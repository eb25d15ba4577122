"""Decisions per second through one worker's event loop: house bots, sandboxed modules, endpoints.

Run by hand or by `make bench`: python tests/benchmarks/runtimes.py [--game ID] [--seconds S] [--json]. Every
seat is played by a bot of the same kind that picks the first legal action; forced decisions are not counted.
The bare engine is measured in the same run, and bare aiohttp with full batches and with those that the
endpoints of 256 matches came to on average.
Then every sandbox starts bots with and without numpy, by a zygote and on their own.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import aiohttp
from aiohttp import web

from engine import games
from engine.limits import Limits
from engine.match import play
from engine.policies import house_stream
from store import uploads
from workers import loops
from workers.driving import drive
from workers.runtimes.addresses import AddressRules
from workers.runtimes.base import Bot, Setting
from workers.runtimes.exchange import Call, EndpointClient, HttpReply
from workers.runtimes.line import Endpoint, LocalSlots
from workers.runtimes.openers import Runtimes
from workers.runtimes.sandbox import back_ends
from workers.runtimes.selftest import choose

IN_FLIGHT = (1, 16, 64, 256)
MAX_BATCH = 16
MODULE = b"def act(observation):\n    return 0\n"
LIMITS = Limits(bank_base_ms=600_000, log_kb=1024)
Row = dict[str, Any]


async def measure(setting: Setting, bots: Sequence[Bot], in_flight: int, seconds: float) -> Row:
    """Keep so many matches in flight for a while; return decisions a second, wall and CPU of this process."""
    decisions, numbers, stop_at = 0, count(), 0.0

    def decided() -> None:
        nonlocal decisions
        decisions += 1

    async def play_on() -> None:
        while time.perf_counter() < stop_at:
            number = next(numbers)
            seed = number.to_bytes(32, "big")
            match = play(setting.game, seats=setting.seats, options=dict(setting.options), seed=seed)
            players = [bot.player(f"{number}", seat) for seat, bot in enumerate(bots)]
            await drive(match, players, decided)

    for bot in bots:
        fault = await bot.start()
        assert fault is None, fault
    stop_at = time.perf_counter() + seconds
    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(play_on() for _ in range(in_flight)))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    await asyncio.gather(*(bot.close() for bot in bots))
    return {
        "in_flight": in_flight,
        "decisions": decisions,
        "per_second": decisions / wall,
        "per_cpu_second": decisions / cpu,
    }


def bare(setting: Setting, seconds: float) -> Row:
    """Play the same matches in a plain loop with the lowest legal action and nothing else."""
    decisions, cpu = 0, time.process_time()
    while time.process_time() - cpu < seconds:
        state = setting.game.start(setting.seats, dict(setting.options), decisions.to_bytes(32, "big"))
        while state.to_move is not None:
            legal = state.legal_actions()
            decisions += len(legal) > 1
            state.apply(legal[0])
    rate = decisions / (time.process_time() - cpu)
    return {"in_flight": 1, "per_second": rate, "per_cpu_second": rate}


def serve(port: int, latency_seconds: float) -> None:
    """Run an endpoint bot that waits so long before each answer."""

    async def hello(_: web.Request) -> web.Response:
        return web.json_response({"fudaba": 1, "name": "bench", "games": [], "max_batch": 64})

    async def answer(request: web.Request) -> web.Response:
        asked = json.loads(await request.read())
        if latency_seconds:
            await asyncio.sleep(latency_seconds)
        actions = {each["id"]: each["observation"]["legal"][0] for each in asked["requests"]}
        return web.json_response({"actions": actions})

    app = web.Application(client_max_size=1 << 24)
    app.add_routes([web.get("/", hello), web.post("/", answer)])
    web.run_app(app, host="127.0.0.1", port=port, print=None, access_log=None)


class CountingClient(EndpointClient):
    """A client that counts its exchanges."""

    exchanges = 0

    async def exchange(self, call: Call) -> HttpReply:
        """Return the reply of an endpoint."""
        self.exchanges += 1
        return await super().exchange(call)


async def bare_aiohttp(url: str, body: bytes, batch: int, exchanges: int, seconds: float) -> float:
    """Return the decisions per wall second of aiohttp alone, posting one ready body of `batch` requests."""
    done, stop_at = 0, time.perf_counter() + seconds

    async with aiohttp.ClientSession() as session:

        async def post_on() -> None:
            nonlocal done
            while time.perf_counter() < stop_at:
                async with session.post(url, data=body) as answer:
                    await answer.read()
                done += batch

        await asyncio.gather(*(post_on() for _ in range(exchanges)))
    return done / seconds


async def bare_row(endpoint: Endpoint, setting: Setting, batch: int, seconds: float) -> Row:
    """Measure aiohttp alone with batches of this size."""
    body, exchanges = a_body(setting, batch), endpoint.max_in_flight
    rate = await bare_aiohttp(endpoint.url, body, batch, exchanges, seconds)
    return {"in_flight": 256, "per_second": rate, "batch": batch}


def a_body(setting: Setting, batch: int) -> bytes:
    """Return the body of a call with `batch` requests, spread evenly over the decisions of one match."""
    state, seen = setting.game.start(setting.seats, dict(setting.options), bytes(32)), []
    while (seat := state.to_move) is not None:
        legal = state.legal_actions()
        if len(legal) > 1:
            seen.append(state.observation(seat))
        state.apply(legal[0])
    chosen = [seen[n * len(seen) // batch] for n in range(batch)]
    requests = [{"id": f"{n}", "match": f"{n}", "observation": each} for n, each in enumerate(chosen)]
    return json.dumps({"version": 1, "requests": requests}).encode()


async def starts(setting: Setting, count: int = 9) -> list[Row]:
    """Return for every back end how long bots take until they are imported, in milliseconds of wall."""
    rows = []
    for sandbox in back_ends("auto", allow_unsafe=False):
        if sandbox.probe() is not None:
            continue
        runtimes = Runtimes(sandbox=sandbox, rules=AddressRules())
        runtimes.start()
        for name, source in (("plain", MODULE), ("numpy", b"import numpy\n" + MODULE)):
            took = []
            for _ in range(count + 1):
                bot = runtimes.module(uploads.inspect(source, "bot.py"), setting)
                began = time.perf_counter()
                assert await bot.start() is None
                took.append(1000 * (time.perf_counter() - began))
                await bot.close()
            rows.append(
                {"sandbox": sandbox.name, "bot": name, "first_ms": took[0], "ms": statistics.median(took[1:])}
            )
        await runtimes.close()
    return rows


def aims(rows: Sequence[Row]) -> list[Row]:
    """Return what is aimed at and what was reached; ratios are of figures of the same run."""

    def rate(kind: str, in_flight: int, per: str = "per_second") -> float:
        found = [row for row in rows if row["kind"].startswith(kind) and row["in_flight"] == in_flight]
        return float(found[-1][per])

    slow, bare = rate("endpoint, 20", 256), rate("bare aiohttp, 20", 256)
    house = rate("house", 64, "per_cpu_second") / rate("bare engine", 1, "per_cpu_second")
    return [
        {"aim": "modules at 64 in flight, decisions/s", "least": 40_000, "reached": rate("module", 64)},
        {"aim": "endpoint, 20 ms, at 256 in flight, decisions/s", "least": 8_000, "reached": slow},
        {"aim": "the same against bare aiohttp with as large batches", "least": 0.9, "reached": slow / bare},
        {"aim": "house bots against the bare engine, per CPU second", "least": 0.5, "reached": house},
    ]


async def all_rows(setting: Setting, seconds: float, ports: Sequence[int]) -> list[Row]:
    """Measure every kind at every number of matches in flight."""
    choice = await choose(back_ends("auto", allow_unsafe=False))
    runtimes = Runtimes(sandbox=choice.sandbox, rules=AddressRules(allow_private=True))
    runtimes.start()
    runtimes.client = client = CountingClient(runtimes.rules, runtimes.heartbeat)
    upload = uploads.inspect(MODULE, "bot.py")
    rows = [{"kind": "bare engine", **bare(setting, seconds)}]

    async def add(kind: str, make: Callable[[], Bot], sizes: Sequence[int] = IN_FLIGHT) -> None:
        for in_flight in sizes:
            bots = [make() for _ in range(setting.seats)]
            before = client.exchanges
            row = {"kind": kind, **await measure(setting, bots, in_flight, seconds)}
            if client.exchanges > before:
                row["batch"] = row["decisions"] / (client.exchanges - before)
            rows.append(row)

    def streams(name: str, seat: int) -> Any:
        return house_stream(0, int(name), seat)

    def house() -> Bot:
        return runtimes.house("first", setting, streams)

    def module() -> Bot:
        return runtimes.module(upload, setting)

    await add("house", house, (1, 64))
    await add(f"module ({choice.sandbox.name if choice.sandbox else 'none'})", module)
    for port, latency in zip(ports, (0, 20), strict=True):
        endpoint = Endpoint(url=f"http://127.0.0.1:{port}/", secret="0" * 64, max_batch=MAX_BATCH)
        slots = LocalSlots(endpoint.max_in_flight)

        def remote(endpoint: Endpoint = endpoint, slots: LocalSlots = slots) -> Bot:
            return runtimes.endpoint(endpoint, setting, slots)

        await add(f"endpoint, {latency} ms", remote)
        for batch in dict.fromkeys((MAX_BATCH, round(rows[-1]["batch"]))):
            row = await bare_row(endpoint, setting, batch, seconds)
            rows.append({"kind": f"bare aiohttp, {latency} ms", **row})
    await runtimes.close()
    return rows


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="minhwatu")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    game = games.get(given.game)
    seats, options = game.settle()
    setting = Setting(game=game, seats=seats, options=options, limits=LIMITS)
    ports = (18461, 18462)
    servers = [
        multiprocessing.get_context("spawn").Process(target=serve, args=(port, latency), daemon=True)
        for port, latency in zip(ports, (0.0, 0.02), strict=True)
    ]
    for server in servers:
        server.start()
    time.sleep(2)
    try:
        rows = loops.run(all_rows(setting, given.seconds, ports))
    finally:
        for server in servers:
            server.kill()
    started = loops.run(starts(setting))
    if given.json:
        found = {"rows": rows, "aims": aims(rows), "starts": started, "load": os.getloadavg()[0]}
        print(json.dumps({"game": game.id, "max_batch": MAX_BATCH, **found}))
        return
    show(game.id, rows, started)


def show(game_id: str, rows: Sequence[Row], started: Sequence[Row]) -> None:
    """Print the tables."""
    print(f"| {game_id} | in flight | decisions/s (wall) | per CPU second of the worker | a batch |")
    print("|--|--|--|--|--|")
    for row in rows:
        cpu = row.get("per_cpu_second")
        rate, batch = f"{row['per_second']:,.0f}", row.get("batch")
        cells = (
            *(row["kind"], row["in_flight"], rate),
            *(f"{cpu:,.0f}" if cpu else "", f"{batch:.1f}" if batch else ""),
        )
        print("| " + " | ".join(map(str, cells)) + " |")
    print("\n| aim | at least | reached |\n|--|--|--|")
    for row in aims(rows):
        print(f"| {row['aim']} | {row['least']:,} | {row['reached']:,.{2 if row['least'] < 1 else 0}f} |")
    print("\n| start of a module | bot | the first, ms | median, ms |\n|--|--|--|--|")
    for row in started:
        print(f"| {row['sandbox']} | {row['bot']} | {row['first_ms']:.1f} | {row['ms']:.1f} |")
    print(f"\nload of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
