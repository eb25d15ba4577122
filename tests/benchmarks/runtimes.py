"""Decisions per second through one worker's event loop: house bots, sandboxed modules, endpoints.

Run by hand or by `make bench`: python tests/benchmarks/runtimes.py [--game ID] [--seconds S] [--json]. Every
seat is played by a bot of the same kind that picks the first legal action; forced decisions are not counted.
The bare engine, and bare aiohttp at the same batch size, are measured in the same run.
"""

import argparse
import asyncio
import json
import multiprocessing
import time
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import aiohttp
from aiohttp import web

from engine import games
from engine.limits import Limits
from engine.match import play
from engine.policies import Ask, house_stream
from store import uploads
from workers.driving import drive
from workers.runtimes.addresses import AddressRules
from workers.runtimes.base import Bot, Setting
from workers.runtimes.endpoint import Endpoint, LocalSlots
from workers.runtimes.openers import Runtimes
from workers.runtimes.sandbox import back_ends
from workers.runtimes.selftest import choose

IN_FLIGHT = (1, 16, 64, 256)
MAX_BATCH = 16
MODULE = b"def act(observation):\n    return 0\n"
LIMITS = Limits(bank_base_ms=600_000, log_kb=1024)
Row = dict[str, Any]


class Counted:
    """A player whose decisions are counted."""

    def __init__(self, player: Any, counter: list[int]) -> None:
        self._player, self._counter = player, counter

    async def act(self, ask: Ask) -> Any:
        """Return the player's answer."""
        self._counter[0] += 1
        return await self._player.act(ask)

    async def close(self) -> None:
        """Close the player."""
        await self._player.close()


async def measure(setting: Setting, bots: Sequence[Bot], in_flight: int, seconds: float) -> Row:
    """Keep so many matches in flight for a while; return decisions a second, wall and CPU of this process."""
    counter, numbers, stop_at = [0], count(), 0.0

    async def play_on() -> None:
        while time.perf_counter() < stop_at:
            number = next(numbers)
            seed = number.to_bytes(32, "big")
            match = play(setting.game, seats=setting.seats, options=dict(setting.options), seed=seed)
            players = [Counted(bot.player(f"{number}", seat), counter) for seat, bot in enumerate(bots)]
            await drive(match, players)

    for bot in bots:
        fault = await bot.start()
        assert fault is None, fault
    stop_at = time.perf_counter() + seconds
    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(play_on() for _ in range(in_flight)))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    await asyncio.gather(*(bot.close() for bot in bots))
    return {"in_flight": in_flight, "per_second": counter[0] / wall, "per_cpu_second": counter[0] / cpu}


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


async def bare_aiohttp(url: str, body: bytes, exchanges: int, seconds: float) -> float:
    """Return the decisions per wall second of aiohttp alone, posting one ready body of MAX_BATCH requests."""
    done, stop_at = 0, time.perf_counter() + seconds

    async with aiohttp.ClientSession() as session:

        async def post_on() -> None:
            nonlocal done
            while time.perf_counter() < stop_at:
                async with session.post(url, data=body) as answer:
                    await answer.read()
                done += MAX_BATCH

        await asyncio.gather(*(post_on() for _ in range(exchanges)))
    return done / seconds


def a_body(setting: Setting) -> bytes:
    """Return the body of a call with MAX_BATCH requests about the first decision of a match."""
    observation = setting.game.start(setting.seats, dict(setting.options), bytes(32)).observation(0)
    requests = [{"id": f"{n}", "match": f"{n}", "observation": observation} for n in range(MAX_BATCH)]
    return json.dumps({"version": 1, "requests": requests}).encode()


async def all_rows(setting: Setting, seconds: float, ports: Sequence[int]) -> list[Row]:
    """Measure every kind at every number of matches in flight."""
    choice = await choose(back_ends("auto", allow_unsafe=False))
    runtimes = Runtimes(sandbox=choice.sandbox, rules=AddressRules(allow_private=True))
    runtimes.start()
    upload = uploads.inspect(MODULE, "bot.py")
    rows = [{"kind": "bare engine", **bare(setting, seconds)}]

    async def add(kind: str, make: Callable[[], Bot], sizes: Sequence[int] = IN_FLIGHT) -> None:
        for in_flight in sizes:
            bots = [make() for _ in range(setting.seats)]
            rows.append({"kind": kind, **await measure(setting, bots, in_flight, seconds)})

    def streams(name: str, seat: int) -> Any:
        return house_stream(0, int(name), seat)

    def house() -> Bot:
        return runtimes.house("first", setting, streams)

    def module() -> Bot:
        return runtimes.module(upload, setting)

    await add("house", house, (1, 64))
    await add(f"module ({choice.sandbox.name if choice.sandbox else 'none'})", module)
    body = a_body(setting)
    for port, latency in zip(ports, (0, 20), strict=True):
        endpoint = Endpoint(url=f"http://127.0.0.1:{port}/", secret="0" * 64, max_batch=MAX_BATCH)
        slots = LocalSlots(endpoint.max_in_flight)

        def remote(endpoint: Endpoint = endpoint, slots: LocalSlots = slots) -> Bot:
            return runtimes.endpoint(endpoint, setting, slots)

        await add(f"endpoint, {latency} ms", remote)
        rate = await bare_aiohttp(endpoint.url, body, endpoint.max_in_flight, seconds)
        rows.append({"kind": f"bare aiohttp, {latency} ms", "in_flight": 256, "per_second": rate})
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
        rows = asyncio.run(all_rows(setting, given.seconds, ports))
    finally:
        for server in servers:
            server.kill()
    if given.json:
        print(json.dumps({"game": game.id, "max_batch": MAX_BATCH, "rows": rows}))
        return
    print(f"| {game.id} | in flight | decisions/s (wall) | per CPU second of the worker |\n|--|--|--|--|")
    for row in rows:
        cpu = row.get("per_cpu_second")
        cells = (row["kind"], row["in_flight"], f"{row['per_second']:,.0f}", f"{cpu:,.0f}" if cpu else "")
        print("| " + " | ".join(map(str, cells)) + " |")


if __name__ == "__main__":
    main()
