"""Standings of a large event: `PYTHONPATH=.:tests python tests/benchmarks/standings_speed.py [--json]`.

An event is filled by the transactions of the product (claims, results, totals, blocks), in large batches.
Measures at each size how long its standings take to read, and one more batch of an ordinary size to write.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import UUID

import structlog
from support import arena, brokers, simulation
from support.simulation import Clock, Fleet

from store import batches, shares, standings, tournaments
from store.database import Database
from store.models.tournaments import Event
from workers import advance, batch

TITLES = ("database", "results", "read ms", "batch ms", "batch CPU ms")
ENTRANTS = 40
FILLING, ORDINARY = 780, 11  # groups of 12 matches in a batch
TRIES = 15
MOST_READ_MS = 50


def main() -> None:
    """Fill an event in each database and print what its standings cost at every power of ten."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], help="both when left out")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    kinds = [given.database] if given.database else ["sqlite", "postgresql"]
    rows = [row for kind in kinds for row in _measured(kind, given.matches)]
    aims = {"standings are read in under 50 ms": all(float(row["read ms"]) < MOST_READ_MS for row in rows)}
    if given.json:
        print(json.dumps({"rows": rows, "aims": aims}))
        return
    print(f"| {' | '.join(TITLES)} |\n{'|---:' * len(TITLES)}|")
    for row in rows:
        print(f"| {' | '.join(str(row[title]) for title in TITLES)} |")
    for aim, is_met in aims.items():
        print(f"\n{aim}: {'yes' if is_met else 'no'}")


def _measured(kind: str, matches: int) -> Iterator[dict[str, str | float]]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fudaba-standings-")))
        broker = stack.enter_context(brokers.server(folder))
        database, _ = stack.enter_context(simulation.database(kind, folder))
        made = simulation.install(database, broker.url, Clock(), batch_seconds=2)
        filled = _Filled(Fleet(made, Clock(), workers=1, match_seconds=0), matches)
        size = 1_000
        while size <= matches:
            filled.up_to(size)
            read = _median_ms(filled.read, time.perf_counter)
            filled.take(ORDINARY)
            write, cpu = (
                _median_ms(filled.write_next, one) for one in (time.perf_counter, time.process_time)
            )
            row: dict[str, str | float] = {"database": kind, "results": filled.played()}
            yield {**row, "read ms": read, "batch ms": write, "batch CPU ms": cpu}
            size *= 10
        made.close()


class _Filled:
    """A tournament of one event between 40 entrants, to which batches of real matches are added."""

    def __init__(self, fleet: Fleet, matches: int) -> None:
        self._fleet = fleet
        self._database: Database = fleet.services.database
        pairs = ENTRANTS * (ENTRANTS - 1) // 2
        event: dict[str, Any] = {"game": "sakura", "seats": 2, "options": {"rounds": 1}, "schedule": "full"}
        event["deals"] = matches // (2 * pairs) + 24  # there must be some left
        entrants = tuple(arena.crowd(self._database, ENTRANTS))
        self._id = arena.draft(self._database, event, entrants=entrants).id
        with self._database.transaction() as tx:
            started = tournaments.start(tx, self._id, fleet.services.clock())
        self._event_id: UUID = started.events[0].id

    def up_to(self, size: int) -> None:
        """Fill the event until it has so many results."""
        while (missing := size - self.played()) > 0:
            self.take(max(1, min(FILLING, missing // (12 * shares.OPEN_AT_LEAST))))

    def take(self, groups: int) -> None:
        """Let what is opened from here on be batches of so many groups; what is open is played."""
        with self._database.transaction() as tx:
            tx.get_one(Event, self._event_id).batch_groups = groups
        self._write(self._open())
        advance.tournament(self._fleet.services, self._id)

    def write_next(self) -> None:
        """Claim one batch and write its results with all that belongs to it."""
        self._write(self._open()[:1])

    def read(self) -> None:
        """Read all standings of the tournament."""
        with self._database.reading() as tx:
            assert standings.of_tournament(tx, self._id)

    def played(self) -> int:
        """Return how many results there are."""
        with self._database.reading() as tx:
            return tx.get_one(Event, self._event_id).played

    def _open(self) -> list[int]:
        services = self._fleet.services
        with self._database.transaction() as tx:
            return batches.lost(tx, services.clock(), -1, lease_seconds=services.settings.lease_seconds)

    def _write(self, batch_ids: list[int]) -> None:
        for batch_id in batch_ids:
            job = batch.claim(self._fleet.services, batch_id)
            assert job is not None
            assert batch.write(self._fleet.services, job, self._fleet.played(job), [])


def _median_ms(call: Callable[[], object], clock: Callable[[], float]) -> float:
    taken = []
    for _ in range(TRIES):
        begun = clock()
        call()
        taken.append((clock() - begun) * 1000)
    return round(statistics.median(taken), 1)


if __name__ == "__main__":
    main()
