"""Results written per second: `PYTHONPATH=.:tests python tests/benchmarks/ingest_speed.py [--json]`.

Claims batches of real tournaments and writes results for them with all that belongs to it (matches, totals,
the next batches) in the transactions of the product, one process. Per second of wall time, with the CPU time
of this process and of the server.
"""

import argparse
import json
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import structlog
from support import brokers, simulation
from support.simulation import Clock, Fleet

from store import batches
from workers import advance, batch

TITLES = ("database", "matches", "of a batch", "matches a second", "CPU µs a match", "server CPU µs a match")


def main() -> None:
    """Write results into both databases and print how fast."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=5_000)
    parser.add_argument("--batch-seconds", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    rows = [_measured(kind, given.matches, given.batch_seconds) for kind in ("sqlite", "postgresql")]
    if given.json:
        print(json.dumps({"rows": rows}))
        return
    print(f"| {' | '.join(TITLES)} |\n{'|---:' * len(TITLES)}|")
    for row in rows:
        print(f"| {' | '.join(str(row[title]) for title in TITLES)} |")


def _measured(kind: str, matches: int, batch_seconds: int) -> dict[str, str | int]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fudaba-ingest-")))
        broker = stack.enter_context(brokers.server(folder))
        database, of_server = stack.enter_context(simulation.database(kind, folder))
        clock = Clock()
        made = simulation.install(database, broker.url, clock, batch_seconds=batch_seconds)
        for tournament_id in simulation.start(made, tournaments=1, owners=20, deals=100_000):
            advance.tournament(made, tournament_id)
        fleet = Fleet(made, clock, workers=1, match_seconds=0)
        begun, cpu, server = time.perf_counter(), time.process_time(), of_server()
        while fleet.matches < matches:
            with database.transaction() as tx:
                waiting = batches.lost(tx, made.clock(), -1, lease_seconds=made.settings.lease_seconds)
            for batch_id in waiting:
                job = batch.claim(made, batch_id)
                assert job is not None
                played = fleet.played(job)
                assert batch.write(made, job, played, [])
                fleet.matches += len(played)
                fleet.batches += 1
        seconds, cpu, server = time.perf_counter() - begun, time.process_time() - cpu, of_server() - server
        made.close()
    return {
        "database": kind,
        "matches": fleet.matches,
        "of a batch": round(fleet.matches / fleet.batches),
        "matches a second": round(fleet.matches / seconds),
        "CPU µs a match": round(cpu / fleet.matches * 1e6),
        "server CPU µs a match": round(server / fleet.matches * 1e6),
    }


if __name__ == "__main__":
    main()
