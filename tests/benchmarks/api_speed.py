"""How fast the API is with much in the database: `PYTHONPATH=.:tests python tests/benchmarks/api_speed.py`.

Loads 1,000 bots and 1,000,000 matches, then asks the ten commonest calls in an open loop (a request is due at
its time, whether those before are answered or not, and its time counts from then) at 100 requests a second,
64 at once, on SQLite and on PostgreSQL; then, with 200 listeners to the stream, once more; then at rising
rates until fewer than 95 in 100 are answered in time. The API runs as in production: gunicorn with the
configuration of deploy/, as many processes as cores. Prints markdown tables, or JSON with --json.

With --cpu it asks the application itself, and prints what each call costs in CPU time and queries, on SQLite.
"""

import argparse
import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random
from uuid import UUID

import aiohttp
import numpy as np
import structlog
from flask.testing import FlaskClient
from sqlalchemy import event as sql_event
from sqlalchemy import insert, update
from support import arena, brokers, databases, postgres

from api.app import create_app
from api.bodies import SHELF, Shelf
from engine import games
from engine.schedule import Format, Schedule
from store import tournaments
from store.database import Database
from store.models.accounts import Account, Role
from store.models.bots import Bot, BotKind, Version, VersionState
from store.models.matches import Result
from store.models.tournaments import EntrantTotals, Event, EventState, PairTotals
from store.results import pack_actions

CONNECTIONS, LISTENERS = 64, 200
ROUNDS = 20  # in which the CPU time of each call is measured
GUNICORN = Path(__file__).parents[2] / "deploy/gunicorn.conf.py"
ENTRANTS = 40  # of the tournament that holds the matches
IN_TIME_SECONDS = 1.0
_CHUNK = 20_000


@dataclass(slots=True)
class Calls:
    """The ten commonest calls, and how long each took."""

    paths: Sequence[str]
    seconds: dict[str, list[float]] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)

    def note(self, path: str, seconds: float, status: int) -> None:
        """Keep one answer."""
        self.seconds.setdefault(path, []).append(seconds)
        if status != 200:
            self.failed[path] = self.failed.get(path, 0) + 1


def load(database: Database, bots: int, matches: int) -> tuple[UUID, str]:
    """Fill the database; return the tournament that holds the matches, and the id of one of them."""
    _load_bots(database, bots)
    event = {"game": "sakura", "seats": 2, "options": {"rounds": 1}}
    pairs = ENTRANTS * (ENTRANTS - 1) // 2
    deals = max(1, round(matches / (2 * pairs)))
    entrants = tuple(f"owner{number}/bot" for number in range(ENTRANTS))
    draft = arena.draft(
        database, {**event, "deals": deals, "schedule": "full"}, entrants=entrants, name="huge"
    )
    with database.transaction() as tx:
        started = tournaments.start(tx, draft.id, arena.NOW)
        (one,) = started.events
    _load_results(database, one)
    for _ in range(50):
        arena.draft(database, name="small")
    return draft.id, f"{one.id.hex}-{one.matches // 2}"


def _load_bots(database: Database, bots: int) -> None:
    with database.transaction() as tx:
        for number in range(bots):
            made = arena.NOW - timedelta(seconds=number)
            owner = Account(name=f"owner{number}", role=Role.PARTICIPANT, created_at=made)
            version = Version(
                number=1, state=VersionState.QUALIFIED, sha256="0" * 64, games=[], created_at=made
            )
            bot = Bot(owner=owner, name="bot", kind=BotKind.HOUSE, active_number=1, created_at=made)
            bot.versions = [version]
            tx.add(bot)


def _load_results(database: Database, event: Event) -> None:
    """Store a result for every match of an event, as if it had been played, and what it adds up to."""
    state = games.get(event.game).new_match(seats=event.seats, options=event.options, seed=b"0" * 32)
    actions = []
    while state.to_move is not None:
        actions.append(state.action_text(state.legal_actions()[0]))
        state.apply(state.legal_actions()[0])
    row = {
        "event_id": event.id,
        "scores": [3, -3],
        "places": [1, 2],
        "forfeits": [],
        "is_forfeited": False,
        "faults": 0,
        "decisions": len(actions),
        "actions": pack_actions(actions),
        "played_at": arena.NOW,
    }
    for first in range(0, event.matches, _CHUNK):
        numbers = range(first, min(first + _CHUNK, event.matches))
        with database.transaction() as tx:
            tx.execute(insert(Result), [{**row, "number": number} for number in numbers])
    schedule = Schedule(
        entrants=ENTRANTS,
        sides=2,
        deals=event.deals,
        block_deals=event.block_deals,
        format=Format(event.schedule),
    )
    _load_totals(database, event, schedule.matches // (ENTRANTS * (ENTRANTS - 1) // 2))


def _load_totals(database: Database, event: Event, meetings: int) -> None:
    """Store the sums of an event whose pairs have met so often and won equally often."""
    mine = meetings * (ENTRANTS - 1)
    totals = [
        {
            "event_id": event.id,
            "entrant": number,
            "matches": mine,
            "wins": mine // 2,
            "points": mine + number,
            "score": number,
            "faults": 0,
            "forfeits": 0,
        }
        for number in range(ENTRANTS)
    ]
    pairs = [
        {"event_id": event.id, "entrant": low, "opponent": high, "matches": meetings, "points": meetings}
        for low in range(ENTRANTS)
        for high in range(low + 1, ENTRANTS)
    ]
    with database.transaction() as tx:
        tx.execute(insert(EntrantTotals), totals)
        tx.execute(insert(PairTotals), pairs)
        change = {"played": event.matches, "next_number": event.matches, "state": EventState.RUNNING}
        tx.execute(update(Event).where(Event.id == event.id).values(**change))


@contextmanager
def api(database: Database, redis_url: str) -> Iterator[str]:
    """Serve the API as in production, but without limits, until the block ends; yields its URL."""
    address = "127.0.0.1:18317"
    env = {
        "PATH": "/usr/bin:/bin",
        "GUNICORN_BIND": address,
        "GUNICORN_WORKERS": str(os.cpu_count()),
        "FUDABA_DATABASE_URL": database.url,
        "REDIS_URL": redis_url,
        "FUDABA_LOG_LEVEL": "error",
        **{f"FUDABA_RATE_LIMIT_{of}": "" for of in ("TOKEN", "ADDRESS", "REGISTRATION")},
    }
    command = [sys.executable, "-m", "gunicorn", "api.wsgi:application", "--config", str(GUNICORN)]
    process = subprocess.Popen(command, env=env, start_new_session=True, stderr=subprocess.DEVNULL)
    try:
        yield f"http://{address}/api/v1"
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # with all its streams; nothing is to be kept
        process.wait()


def ten_calls(tournament_id: UUID, match_id: str) -> list[str]:
    """Return the calls that are asked, in turn."""
    cup = f"/tournaments/{tournament_id}"
    return [
        *("/tournaments", cup, f"{cup}/standings", f"{cup}/crosstable", f"{cup}/entrants"),
        *(
            f"{cup}/matches",
            f"{cup}/matches?entrant=7",
            f"/matches/{match_id}",
            "/bots",
            "/bots?owner=owner9",
        ),
    ]


async def ask(url: str, paths: Sequence[str], rate: float, seconds: float) -> Calls:
    """Ask at a rate for a time, each request when it is due, over so many connections."""
    calls, random = Calls(paths), Random(1)
    headers = {"Authorization": f"Bearer {arena.TOKEN}"}
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=CONNECTIONS), headers=headers
    ) as session:
        began = time.monotonic()

        async def one(path: str, due: float) -> None:
            async with session.get(f"{url}{path}") as answer:
                await answer.read()
                calls.note(path, time.monotonic() - due, answer.status)

        async with asyncio.TaskGroup() as group:
            for number in range(int(rate * seconds)):
                due = began + number / rate
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                group.create_task(one(random.choice(paths), due))
    return calls


async def listen(url: str, tournament_id: UUID, ready: asyncio.Event) -> tuple[int, int]:
    """Open many streams, say when they are open, and hold them; return how many were let in and sent away."""
    let_in = sent_away = 0
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        answers = await asyncio.gather(
            *(session.get(f"{url}/tournaments/{tournament_id}/stream") for _ in range(LISTENERS))
        )
        for answer in answers:
            let_in += answer.status == 200
            sent_away += answer.status == 503
        ready.set()
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            return let_in, sent_away
    raise AssertionError("nobody listens for an hour")


async def ask_beside_listeners(
    url: str, tournament_id: UUID, paths: Sequence[str], rate: float, seconds: float
) -> tuple[Calls, tuple[int, int]]:
    """Ask as `ask` does while many listen to a stream."""
    ready = asyncio.Event()
    listening = asyncio.create_task(listen(url, tournament_id, ready))
    await ready.wait()
    calls = await ask(url, paths, rate, seconds)
    listening.cancel()
    return calls, await listening


async def saturation(url: str, paths: Sequence[str], seconds: float) -> float:
    """Return the highest rate, in steps of a quarter, at which 95 of 100 requests are answered in time."""
    rate = 100.0
    while True:
        calls = await ask(url, paths, rate, seconds)
        found = np.concatenate([np.array(times) for times in calls.seconds.values()])
        if np.mean(found <= IN_TIME_SECONDS) < 0.95 or rate > 5000:
            return rate / 1.25
        rate *= 1.25


def figures(calls: Calls) -> dict[str, dict[str, float]]:
    """Return the median and the 99th percentile of each call in milliseconds, and how many failed."""
    return {
        path: {
            "p50_ms": round(float(np.percentile(times, 50)) * 1000, 1),
            "p99_ms": round(float(np.percentile(times, 99)) * 1000, 1),
            "requests": len(times),
            "failed": calls.failed.get(path, 0),
        }
        for path, times in sorted(calls.seconds.items())
    }


def measure(database: Database, redis_url: str, given: argparse.Namespace) -> dict[str, object]:
    """Load a database and measure the API on it."""
    arena.install(database)
    began = time.monotonic()
    tournament_id, match_id = load(database, given.bots, given.matches)
    loaded = time.monotonic() - began
    paths = ten_calls(tournament_id, match_id)
    names = {path: path.replace(str(tournament_id), "{id}").replace(match_id, "{id}") for path in paths}
    with api(database, redis_url) as url:
        asyncio.run(_until_up(url))
        asyncio.run(ask(url, paths, 20, 2))  # so that all is warm
        alone = asyncio.run(ask(url, paths, given.rate, given.seconds))
        beside, (let_in, sent_away) = asyncio.run(
            ask_beside_listeners(url, tournament_id, paths, given.rate, given.seconds)
        )
        most = asyncio.run(saturation(url, paths, given.seconds / 4))
    return {
        "loaded_seconds": round(loaded, 1),
        "alone": {names[path]: row for path, row in figures(alone).items()},
        "beside_listeners": {names[path]: row for path, row in figures(beside).items()},
        "listeners": {"let_in": let_in, "sent_away": sent_away},
        "saturates_at_requests_per_second": round(most),
    }


def costs(database: Database, redis_url: str, given: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Load a database; measure CPU time and queries of each call, and with nothing kept of the one before."""
    variables = {f"FUDABA_RATE_LIMIT_{of}": "" for of in ("TOKEN", "ADDRESS", "REGISTRATION")}
    app = create_app(arena.install(database, REDIS_URL=redis_url, **variables))
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    tournament_id, match_id = load(database, given.bots, given.matches)
    asked: list[str] = []
    sql_event.listen(database.engine, "before_cursor_execute", lambda *found: asked.append(found[2]))
    found: dict[str, dict[str, float]] = {}
    for path in ten_calls(tournament_id, match_id):
        row = found[path.replace(str(tournament_id), "{id}").replace(match_id, "{id}")] = {}
        _cpu_ms(app.test_client(), path)  # so that all is warm
        for prefix, shelf in (("", app.extensions[SHELF]), ("anew_", Shelf(most_bytes=0))):
            app.extensions[SHELF] = shelf
            asked.clear()
            row[f"{prefix}cpu_ms"] = _cpu_ms(app.test_client(), path)
            row[f"{prefix}queries"] = len([text for text in asked if text.startswith("SELECT")]) / ROUNDS
        app.extensions[SHELF] = Shelf()
    return found


def _cpu_ms(client: FlaskClient, path: str) -> float:
    """Ask a call some times; return what it takes of CPU time in milliseconds."""
    headers = {"Authorization": f"Bearer {arena.TOKEN}"}
    began = time.process_time()
    for _ in range(ROUNDS):
        assert client.get(f"/api/v1{path}", headers=headers).status_code == 200
    return round((time.process_time() - began) / ROUNDS * 1000, 1)


async def _until_up(url: str) -> None:
    async with aiohttp.ClientSession() as session:
        for _ in range(300):
            try:
                async with session.get(f"{url}/healthz"):
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)
    raise AssertionError(f"{url} does not answer")


def show(name: str, found: dict[str, object]) -> None:
    """Print what was measured on one database as a table."""
    alone, beside = found["alone"], found["beside_listeners"]
    assert isinstance(alone, dict)
    assert isinstance(beside, dict)
    print(f"\n{name}: loaded in {found['loaded_seconds']} s; listeners {found['listeners']}; ", end="")
    print(f"saturates at {found['saturates_at_requests_per_second']} requests/s\n")
    print("| call | p50 ms | p99 ms | p99 ms beside listeners | failed |\n|--|--|--|--|--|")
    for path, row in alone.items():
        late = beside.get(path, {}).get("p99_ms", "")
        print(f"| {path} | {row['p50_ms']} | {row['p99_ms']} | {late} | {row['failed']} |")


def show_costs(found: dict[str, dict[str, float]]) -> None:
    """Print what each call costs as a table."""
    print("| call | CPU ms | queries | CPU ms, anew | queries, anew |\n|--|--|--|--|--|")
    for path, row in found.items():
        print(f"| `{path}` | " + " | ".join(f"{value:g}" for value in row.values()) + " |")


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--database", choices=("sqlite", "postgresql", "both"), default="both")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found: dict[str, dict[str, object]] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        redis = stack.enter_context(brokers.server(folder)).url
        if given.cpu:
            show_costs(costs(databases.sqlite(folder), redis, given))
            return
        if given.database in ("sqlite", "both"):
            database = databases.sqlite(folder)
            found["sqlite"] = measure(database, redis, given)
        if given.database in ("postgresql", "both"):
            database = databases.postgresql(stack.enter_context(postgres.server()))
            found["postgresql"] = measure(database, redis, given)
            database.dispose()
    if given.json:
        print(json.dumps(found))
        return
    for name, one in found.items():
        show(name, one)


if __name__ == "__main__":
    main()
