"""A bot's server within the test's own event loop: it answers as told and keeps what it was asked."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

HELLO = {"fudaba": 1, "name": "tester", "games": ["seiten", "sutda"], "max_batch": 4}
Answer = Callable[[dict[str, Any]], Awaitable[dict[str, str]]]


@dataclass
class BotServer:
    """What was asked: the requests with their headers and bodies, and how many were in flight at most."""

    port: int = 0
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0

    @property
    def batches(self) -> list[list[dict[str, Any]]]:
        """The requests of each POST."""
        return [json.loads(body)["requests"] for body in self.bodies]

    def url(self, path: str = "/") -> str:
        """The URL of a path."""
        return f"http://127.0.0.1:{self.port}{path}"


async def first_legal(asked: dict[str, Any]) -> dict[str, str]:
    """The first legal action for every request."""
    return {request["id"]: request["observation"]["legal"][0] for request in asked["requests"]}


@asynccontextmanager
async def bot_server(answer: Answer = first_legal, hello: object = HELLO) -> AsyncIterator[BotServer]:
    """Serve a bot on a free port of this machine."""
    server = BotServer()

    async def post(request: web.Request) -> web.Response:
        server.in_flight += 1
        server.most_in_flight = max(server.most_in_flight, server.in_flight)
        body = await request.read()
        server.paths.append(request.path_qs)
        server.headers.append(dict(request.headers))
        server.bodies.append(body)
        try:
            actions = await answer(json.loads(body))
        finally:
            server.in_flight -= 1
        return web.json_response({"actions": actions}, headers={"Set-Cookie": "session=1"})

    async def get(request: web.Request) -> web.Response:
        server.paths.append(f"GET {request.path_qs}")
        return web.json_response(hello)

    application = web.Application()
    application.router.add_post("/{path:.*}", post)
    application.router.add_get("/{path:.*}", get)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.port = runner.addresses[0][1]
    try:
        yield server
    finally:
        await runner.cleanup()
        await asyncio.sleep(0)
