"""How the cost of a match grows: `PYTHONPATH=.:tests python tests/benchmarks/growth_speed.py [--most N]`.

Batches of a real tournament are claimed and their results written by the code of the workers, without the
play, on SQLite; for few and many entrants, for few and many deals. A row is the CPU of a match when the
database holds so many, 1,000, 10,000 and so on up to `--most`, and its ratio to the tournament's first row.
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
FIRST = 1_000
TITLES = ("entrants", "deals", "matches", "of a batch", "opening, s", "µs a match", "growth")
Row = dict[str, Any]


def measured(entrants: int, deals: int, most: int, stretch: int) -> list[Row]:
    """Return what `stretch` matches cost each when there are 1,000, 10,000 and so on up to `most`."""
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
        rows: list[Row] = []
        size = FIRST
        while size <= most:
            _write(fleet, size - fleet.matches)
            of_a_batch = fleet.matches, fleet.batches
            cost = _write(fleet, stretch)
            row = {"entrants": entrants, "deals": deals, "matches": of_a_batch[0]}
            row["of_a_batch"] = (fleet.matches - of_a_batch[0]) / (fleet.batches - of_a_batch[1])
            row |= {"opening_seconds": opening, "us": cost * 1e6}
            rows.append(row | {"growth": row["us"] / (rows[0] if rows else row)["us"]})
            size *= 10
        made.close()
    return rows


def _write(fleet: Fleet, matches: int) -> float:
    """Claim batches and write so many matches or a few more; return the CPU seconds of one."""
    made, written, begun = fleet.services, 0, time.process_time()
    while written < matches:
        with made.database.transaction() as tx:
            waiting = batches.lost(tx, made.clock(), -1, lease_seconds=made.settings.lease_seconds)
        assert waiting, f"the tournament has only {fleet.matches + written} matches"
        for batch_id in waiting:
            job = batch.claim(made, batch_id)
            assert job is not None
            played = fleet.played(job)
            assert batch.write(made, job, played, [])
            written += len(played)
            fleet.batches += 1
    fleet.matches += written
    return (time.process_time() - begun) / max(1, written)


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=10_000, help="matches in the database of the last row")
    parser.add_argument("--stretch", type=int, default=5_000, help="matches that are measured for a row")
    parser.add_argument(
        "--case", nargs=2, type=int, metavar=("ENTRANTS", "DEALS"), help="this tournament alone"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    cases = [tuple(given.case)] if given.case else CASES
    rows = [row for entrants, deals in cases for row in measured(entrants, deals, given.most, given.stretch)]
    if given.json:
        print(json.dumps({"rows": rows}))
        return
    print(f"| {' | '.join(TITLES)} |\n{'|--' * len(TITLES)}|")
    for row in rows:
        cells = (f"{cell:,.2f}" if type(cell) is float else f"{cell:,}" for cell in row.values())
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
