"""What the service costs as it grows: `PYTHONPATH=.:tests python tests/benchmarks/scale.py`.

Hundreds of simulated workers take real messages from a real Redis, claim batches and write results through
the real database; only the play takes no time, and time itself is simulated. Prints a markdown table, a row
for each tenth of the matches: CPU time a match by what it was spent on, of this process and of the servers.
In a service that scales, the last row is as cheap as the first.
"""

import argparse
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import structlog
from support import brokers, simulation
from support.simulation import Clock, Costs, Cpu, Fleet, install, start

PARTS = ("messages", "claims", "renewals", "results", "sweeps")
ROWS = 10


def main() -> None:
    """Play a fleet's matches and print what they cost."""
    given = _arguments()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fudaba-scale-")))
        broker = stack.enter_context(brokers.server(folder))
        database, of_database = stack.enter_context(simulation.database(given.database, folder))
        clock = Clock()
        made = install(database, broker.url, clock, batch_seconds=given.batch_seconds)
        fleet = Fleet(made, clock, workers=given.workers, match_seconds=given.match_ms / 1000)
        fleet.announce()
        start(made, tournaments=given.tournaments, owners=given.entrants, deals=given.deals)
        report = _Report(fleet, of_database, simulation.cpu_of([broker.pid]))
        fleet.run(given.matches, report.row, every=max(1, given.matches // ROWS))
        report.row()
        report.end()
        made.close()


class _Report:
    """A table with a row for each stretch of matches."""

    def __init__(self, fleet: Fleet, of_database: Cpu, of_redis: Cpu) -> None:
        self._fleet, self._of_database, self._of_redis = fleet, of_database, of_redis
        titles = ["matches", "of a batch", *(f"{part} µs" for part in PARTS), "database µs", "Redis µs"]
        titles += ["all µs a match", "matches a second of CPU", "workers busy"]
        print(f"| {' | '.join(titles)} |\n{'|---:' * len(titles)}|", flush=True)
        self._first: float | None = None
        self._last = 0.0
        self._begun = time.monotonic()
        self._begin()

    def row(self) -> None:
        """Print what the matches since the last row cost."""
        fleet = self._fleet
        matches = fleet.matches - self._matches
        if not matches:  # all workers have begun
            self._begin()
            return
        batches = fleet.batches - self._batches
        parts = [(fleet.costs.seconds[part] - self._costs.seconds[part]) / matches for part in PARTS]
        parts += [
            (self._of_database() - self._database) / matches,
            (self._of_redis() - self._redis) / matches,
        ]
        busy = fleet.busy_seconds - self._busy
        share = busy / max(1e-9, (fleet.clock.seconds - self._clock) * fleet.workers)
        self._last = sum(parts)
        self._first = self._first or self._last
        cells = [f"{fleet.matches:,}", f"{matches / batches:.0f}", *(f"{part * 1e6:.0f}" for part in parts)]
        cells += [f"{self._last * 1e6:.0f}", f"{1 / self._last:,.0f}", f"{share:.0%}"]
        print(f"| {' | '.join(cells)} |", flush=True)
        self._begin()

    def end(self) -> None:
        """Print what the whole run comes to."""
        fleet, seconds = self._fleet, time.monotonic() - self._begun
        assert self._first is not None, "nothing was played"
        print(
            f"\n{fleet.workers} workers, {fleet.batches:,} batches, {fleet.clock.seconds:,.0f} simulated s in"
            f" {seconds:,.0f} s; the last row costs {self._last / self._first:.2f} of the first"
        )

    def _begin(self) -> None:
        fleet = self._fleet
        self._matches, self._batches, self._busy = fleet.matches, fleet.batches, fleet.busy_seconds
        self._clock, self._costs = fleet.clock.seconds, Costs(fleet.costs.seconds.copy())
        self._database, self._redis = self._of_database(), self._of_redis()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=20_000, help="how many are played; up to 10,000,000")
    parser.add_argument("--workers", type=int, default=500)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--tournaments", type=int, default=4, help="at the same time, six events each")
    parser.add_argument("--entrants", type=int, default=40)
    parser.add_argument("--deals", type=int, default=100_000)
    parser.add_argument("--match-ms", type=float, default=20.0, help="simulated play time of a match")
    parser.add_argument("--batch-seconds", type=int, default=2)
    given = parser.parse_args()
    if not 1 <= given.matches <= 10_000_000:
        parser.error(f"--matches is {given.matches}; allowed: 1 to 10,000,000")
    return given


if __name__ == "__main__":
    main()
