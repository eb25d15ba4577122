"""How the cost of a match grows: `PYTHONPATH=.:tests python tests/benchmarks/growth_speed.py [--json]`.

Batches of a real tournament are claimed and their results written by the code of the workers, without the
play, on SQLite; for few and many entrants, for few and many deals. A row is the CPU of a match: in the first
matches of a database, and in as many after `--matches` more. In a service that scales all of it is alike.
"""

import argparse
import json
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import structlog
from support import brokers, simulation
from support.simulation import Clock, Fleet

from store import batches
from workers import advance, batch

CASES = ((10, 1_000), (100, 1_000), (1_000, 1_000), (100, 20), (100, 10_000))  # entrants, deals
Row = dict[str, Any]


def measured(entrants: int, deals: int, matches: int, stretch: int) -> Row:
    """Return what a match costs in the first `stretch` matches, and in as many after `matches` more."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fudaba-growth-")))
        broker = stack.enter_context(brokers.server(folder))
        database, _ = stack.enter_context(simulation.database("sqlite", folder))
        clock = Clock()
        made = simulation.install(database, broker.url, clock, batch_seconds=2)
        begun = time.process_time()
        for tournament_id in simulation.start(made, tournaments=1, owners=entrants, deals=deals):
            advance.tournament(made, tournament_id)
        opening = time.process_time() - begun
        fleet = Fleet(made, clock, workers=1, match_seconds=0)
        _write(fleet, stretch)  # a first time, so that nothing is imported or made while it is measured
        first = _write(fleet, stretch)
        _write(fleet, matches)
        last = _write(fleet, stretch)
        made.close()
    figures = {"opening_seconds": opening, "first_us": first * 1e6, "last_us": last * 1e6}
    return {
        "entrants": entrants,
        "deals": deals,
        "matches": fleet.matches,
        "of_a_batch": fleet.matches / fleet.batches,
        **figures,
        "growth": last / first,
    }


def _write(fleet: Fleet, matches: int) -> float:
    """Claim batches and write so many matches or a few more; return the CPU seconds of one."""
    made, written, begun = fleet.services, 0, time.process_time()
    while written < matches:
        with made.database.transaction() as tx:
            waiting = batches.lost(tx, made.clock(), -1, lease_seconds=made.settings.lease_seconds)
        for batch_id in waiting:
            job = batch.claim(made, batch_id)
            assert job is not None
            played = fleet.played(job)
            assert batch.write(made, job, played, [])
            written += len(played)
            fleet.batches += 1
    fleet.matches += written
    return (time.process_time() - begun) / written


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=20_000, help="between the two stretches")
    parser.add_argument("--stretch", type=int, default=2_000, help="matches that are measured")
    parser.add_argument("--most-entrants", type=int, default=1_000, help="leave out what has more")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    cases = [case for case in CASES if case[0] <= given.most_entrants]
    rows = [measured(entrants, deals, given.matches, given.stretch) for entrants, deals in cases]
    if given.json:
        print(json.dumps({"rows": rows}))
        return
    print(f"| {' | '.join(rows[0])} |".replace("_", " ") + f"\n{'|--' * len(rows[0])}|")
    for row in rows:
        print(
            "| "
            + " | ".join(f"{cell:,.2f}" if type(cell) is float else f"{cell:,}" for cell in row.values())
            + " |"
        )


if __name__ == "__main__":
    main()
