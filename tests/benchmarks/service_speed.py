"""A whole tournament through the service, against the same matches without it.

`PYTHONPATH=.:tests python tests/benchmarks/service_speed.py [--deals N] [--workers N]... [--json]`. Four
copies of a sample module play a tournament in `fudaba up`, sandboxed; then the same matches, as its record
tells them, are played by the bare runner with the same modules, in the same sandboxes and within one process.
CPU is that of all processes together, from the start of the tournament to its frozen standings.
"""

import argparse
import asyncio
import io
import json
import os
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from support import installation, processes
from support.cups import SAMPLES, SECRET

from api.client import Client
from engine import games
from engine.limits import Limits
from engine.match import MatchResult, Play, play, run
from engine.policies import Ask
from store import uploads
from workers import loops
from workers.driving import drive
from workers.runtimes.addresses import AddressRules
from workers.runtimes.base import Setting
from workers.runtimes.module import ModuleBot
from workers.runtimes.openers import Runtimes
from workers.runtimes.sandbox import back_ends
from workers.runtimes.selftest import choose

GAME = games.get("hana_awase")
SOURCE = (SAMPLES / "memory_bot.py").read_bytes()
AUTHORS = ("ann", "ben", "cho", "dan")
IN_FLIGHT = 64
MOST_SECONDS = 3600  # for one step of a tournament, on a slow machine
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A match of the tournament: its number, its deal, the entrant at each seat, and what was played."""

    number: int
    seed: bytes
    entrants: tuple[int, ...]
    actions: tuple[str, ...]

    def begin(self) -> Play:
        """Return the match to be played again."""
        seats, options = GAME.settle()
        return play(GAME, seats=seats, options=options, seed=self.seed)

    def check(self, result: MatchResult) -> None:
        """Fail when the match came out in another way."""
        assert result.record.actions == self.actions, f"match {self.number} was played differently"


def through_service(workers: int, deals: int) -> tuple[Row, list[Match]]:
    """Play the tournament in an installation with so many workers; return what it took, and its matches."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="fudaba-speed-"))
        up = stack.enter_context(installation.running(Path(folder), "--workers", str(workers)))
        client = stack.enter_context(Client(up.url, up.token))
        root = psutil.Process(up.process.pid)
        tournament_id = _draft(client, up.url, deals)
        cpu, begun = processes.cpu_seconds(root), time.monotonic()
        client.start(tournament_id)
        _until(lambda: next(iter(client.matches(tournament_id)), None) is not None, "a first result")
        first = time.monotonic() - begun
        memory = processes.own_megabytes(root)
        _until(lambda: client.tournament(tournament_id)["state"] == "finished", "the end of the tournament")
        wall = time.monotonic() - begun
        cpu = processes.cpu_seconds(root, cpu)
        record = io.BytesIO()
        client.record(tournament_id, record)
    matches = list(_matches(record.getvalue()))
    row = {"how": f"service, {workers} workers", "first_result_seconds": first, "memory_mb": memory}
    return {**row, **_figures(matches, wall, cpu)}, matches


def _draft(client: Client, url: str, deals: int) -> str:
    """Have the authors submit their modules; return the id of a tournament that can start."""
    entrants = []
    for name in AUTHORS:
        with Client(url, client.create_account(name)["token"]) as author:
            answer = author.submit_module("memory", "bot.py", SOURCE, [GAME.id])
            assert author.wait_qualified(answer["id"], answer["version"])["state"] == "qualified"
            entrants.append(answer["id"])
    event = {"game": GAME.id, "deals": deals}
    plan = {"name": "speed", "entrants": entrants, "events": [event], "secret_seed": SECRET}
    return str(client.create_tournament(plan)["id"])


def _until(is_so: Callable[[], bool], what: str) -> None:
    """Wait; a service that stands still for longer than any tournament takes is given up."""
    end = time.monotonic() + MOST_SECONDS
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {MOST_SECONDS} s in vain for {what}")
        time.sleep(0.25)


def _matches(record: bytes) -> Iterator[Match]:
    for line in map(json.loads, record.splitlines()):
        if line["kind"] == "match":
            yield Match(
                number=line["number"],
                seed=bytes.fromhex(line["seed"]),
                entrants=tuple(line["entrants"]),
                actions=tuple(line["actions"]),
            )


def _figures(matches: list[Match], wall: float, cpu: dict[str, float]) -> Row:
    """Return what is told of every way to play; `cpu` is by what the processes are."""
    decisions = sum(len(match.actions) for match in matches)
    times = {"wall_seconds": wall, "cpu_seconds": sum(cpu.values()), "cpu_of": cpu}
    return {"matches": len(matches), "decisions": decisions, **times}


def in_process(matches: list[Match]) -> Row:
    """Play the matches in a plain loop, the modules within this process."""
    space: dict[str, Any] = {}
    exec(compile(SOURCE, "bot.py", "exec"), space)
    seats, options = GAME.settle()
    cpu, wall = time.process_time(), time.monotonic()
    for match in matches:
        bots = [space["Bot"](GAME.id, seat, seats, options) for seat in range(seats)]

        def answer(ask: Ask, bots: list[Any] = bots) -> Any:
            return bots[ask.seat].act(ask.observation())

        match.check(run(match.begin(), answer))
    cpu, wall = time.process_time() - cpu, time.monotonic() - wall
    return {"how": "bare runner, in process", **_figures(matches, wall, {"main": cpu})}


async def sandboxed(matches: list[Match]) -> Row:
    """Play the matches by the bare runner, each module at each seat in a sandbox of its own."""
    choice = await choose(back_ends("auto", allow_unsafe=False))
    runtimes = Runtimes(sandbox=choice.sandbox, rules=AddressRules())
    runtimes.start()
    seats, options = GAME.settle()
    setting = Setting(game=GAME, seats=seats, options=options, limits=Limits())
    upload, root = uploads.inspect(SOURCE, "bot.py"), psutil.Process()
    bots: dict[tuple[int, int], ModuleBot] = {}
    cpu, wall = processes.cpu_seconds(root), time.monotonic()
    for match in matches:
        for place in zip(match.entrants, range(seats), strict=True):
            if place not in bots:
                bots[place] = runtimes.module(upload, setting)
                assert await bots[place].start() is None
    waiting = iter(matches)

    async def play_on() -> None:
        for match in waiting:
            places = zip(match.entrants, range(seats), strict=True)
            players = [bots[place].player(f"{match.number}", place[1]) for place in places]
            match.check(await drive(match.begin(), players))

    await asyncio.gather(*(play_on() for _ in range(IN_FLIGHT)))
    await asyncio.gather(*(bot.close() for bot in bots.values()))
    cpu, wall = processes.cpu_seconds(root, cpu), time.monotonic() - wall
    await runtimes.close()  # what its processes have used would not be told any more
    return {"how": "bare runner, sandboxed", **_figures(matches, wall, cpu)}


def bytes_in_flight(matches: list[Match]) -> float:
    """Return the memory of one match in its middle, in bytes, as a worker holds it."""
    tracemalloc.start()
    begun = tracemalloc.get_traced_memory()[0]
    kept = []
    for match in matches[:200]:
        playing = match.begin()
        ask = next(playing)
        for _ in range(len(match.actions) // 3):
            ask = playing.send(0)
        kept.append((playing, ask))
    taken = tracemalloc.get_traced_memory()[0] - begun
    tracemalloc.stop()
    return taken / len(kept)


def report(workers: list[int], deals: int) -> Row:
    """Measure everything; ratios are of figures of the same run."""
    rows: list[Row] = []
    matches: list[Match] = []
    for count in workers:
        row, matches = through_service(count, deals)
        rows.append(row)
    bare = [loops.run(sandboxed(matches)), in_process(matches)]
    for row in rows:
        row["of the sandboxed"] = row["cpu_seconds"] / bare[0]["cpu_seconds"]
        row["of the bare"] = row["cpu_seconds"] / bare[1]["cpu_seconds"]
        row["as fast as the first"] = rows[0]["wall_seconds"] / row["wall_seconds"]
    load = {"load": os.getloadavg()[0], "cores": os.cpu_count()}
    return {"rows": rows + bare, "bytes_in_flight": bytes_in_flight(matches), **load}


def main() -> None:
    """Print the tables, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=100, help="12 matches each")
    parser.add_argument("--workers", type=int, action="append", help="may be repeated; 1 and 2 when left out")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    found = report(given.workers or [1, 2], given.deals)
    print(json.dumps(found) if given.json else as_text(found))


def as_text(found: Row) -> str:
    """Return the report for people."""
    titles: tuple[str, ...] = (
        "how",
        "matches",
        "decisions",
        "wall_seconds",
        "cpu_seconds",
        "first_result_seconds",
    )
    titles += ("of the sandboxed", "of the bare", "as fast as the first")
    lines = [f"| {' | '.join(titles).replace('_', ' ')} |", "|--" * len(titles) + "|"]
    for row in found["rows"]:
        cells = (row.get(title, "") for title in titles)
        lines.append(
            f"| {' | '.join(f'{cell:.2f}' if type(cell) is float else str(cell) for cell in cells)} |"
        )
    for row in found["rows"]:
        parts = ", ".join(f"{role} {seconds:.2f}" for role, seconds in row["cpu_of"].items())
        lines.append(f"{row['how']}: CPU seconds of {parts}")
        for role, sizes in row.get("memory_mb", {}).items():
            each = ", ".join(f"{size:.0f}" for size in sizes)
            lines.append(f"{row['how']}: memory of {role}, MB each: {each}")
    lines.append(f"a match in flight: {found['bytes_in_flight'] / 1024:.1f} KiB")
    return "\n".join([*lines, f"load of the machine: {found['load']:.1f} on {found['cores']} cores"])


if __name__ == "__main__":
    main()
