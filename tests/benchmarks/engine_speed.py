"""How fast the engine plays, in CPU time of one process.

`PYTHONPATH=.:tests python tests/benchmarks/engine_speed.py [--game ID] [--case KIND] [--json]`.
Every game is measured at its default options. All cases are run in turn, a few times over, so that noise of
the machine spreads over all alike; what is printed is the median. With `--compare COMMIT COMMIT` two commits
are measured side by side in one run, with `--against FOLDER` the sources in another folder, with `--compiled`
those of this clone as `make fast` builds them. With `--peers` OpenSpiel, RLCard, PettingZoo's classic games
and Kaggle's runner are driven in the same way, those that are installed.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from support import trees

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = {  # title: the case, and what of it is counted per CPU second
    "playouts": ("bare", "matches"),
    "decisions": ("bare", "done"),
    "with observation": ("observed", "done"),
    "clone": ("clone", "done"),
    "determinize": ("determinize", "done"),
    "observations as JSON": ("encoded", "done"),
    "greedy decisions": ("greedy", "done"),
    "search decisions": ("search", "done"),
    "matches of `random`": ("house", "matches"),
    "their decisions": ("house", "done"),
    "decisions of bots with views": ("views", "done"),
}
PEERS = {  # name: the library that must be there, and the program that plays with it
    "OpenSpiel": ("pyspiel", "support.speed_peers"),
    "RLCard and PettingZoo": ("rlcard", "support.speed_rlcard"),
    "Kaggle": ("kaggle_environments", "support.speed_kaggle"),
}
IMPORT = """
import resource, time
start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
import engine.games, engine.match
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(time.process_time() - start, after / 1024, (after - before) / 1024)
"""


@dataclass(slots=True)
class Source:
    """One state of the sources, with a process that plays with it and what that has measured."""

    name: str
    folder: Path
    process: subprocess.Popen[str]
    cases: list[str]
    runs: dict[str, list[dict[str, float]]] = field(default_factory=dict)

    @classmethod
    def start(cls, name: str, folder: Path, module: str = "support.speed_cases") -> "Source":
        """Start the process."""
        process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=environment(folder),
        )
        return cls(name, folder, process, json.loads(_line(process)))

    def measure(self, case: str, seconds: float) -> None:
        """Run one case for about so many CPU seconds."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"case": case, "seconds": seconds}) + "\n")
        self.process.stdin.flush()
        self.runs.setdefault(case, []).append(json.loads(_line(self.process)))

    def rate(self, case: str, what: str) -> float:
        """Return the median of what was done per CPU second."""
        return median(run[what] / run["seconds"] for run in self.runs[case])

    def length(self, game: str) -> float:
        """Return how many decisions a match has."""
        runs = self.runs.get(f"{game}/bare") or self.runs[f"{game}/observed"]
        return sum(run["done"] for run in runs) / sum(run["matches"] for run in runs)

    def games(self) -> list[str]:
        """Return the ids of the games that were measured."""
        games = (case.split("/")[0] for case in self.runs if case.endswith(("/bare", "/observed")))
        return list(dict.fromkeys(games))

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def environment(folder: Path) -> dict[str, str]:
    """Return the environment in which the engine of `folder` is found first."""
    path = os.pathsep.join([str(folder), str(ROOT / "tests")])
    return {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise SystemExit(f"a process of the benchmark has ended with {process.wait()}")
    return line


def import_cost(folder: Path, repeats: int) -> dict[str, float]:
    """Return what importing the engine costs: CPU seconds, memory of the process and of it in MB; medians."""
    command = [sys.executable, "-c", IMPORT]
    runs = [
        subprocess.run(
            command, env=environment(folder), cwd=folder, check=True, capture_output=True, text=True
        )
        for _ in range(repeats)
    ]
    seconds, peak, own = (
        median(each) for each in zip(*(map(float, run.stdout.split()) for run in runs), strict=True)
    )
    return {"cpu_seconds": seconds, "process_mb": peak, "own_mb": own}


def machine() -> dict[str, Any]:
    """Return what the numbers depend on."""
    names = [
        line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")
    ]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "cpu": names[0] if names else platform.processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if os.path.exists(path) else []


def rows(source: Source) -> list[dict[str, Any]]:
    """Return the figures of each game; "cost" is the time with an observation over the time without."""
    found = []
    for game in source.games():
        row: dict[str, Any] = {"source": source.name, "game": game}
        row["decisions in a playout"] = source.length(game)
        for title, (case, what) in COLUMNS.items():
            if f"{game}/{case}" in source.runs:
                row[title] = source.rate(f"{game}/{case}", what)
        if {"decisions", "with observation"} <= set(row):
            row["cost"] = row["decisions"] / row["with observation"]
        found.append(row)
    return found


def table(results: Sequence[dict[str, Any]]) -> str:
    """Return rows as a table; a second source shows its ratio to the first behind every figure."""
    titles = ["source", "game", "decisions in a playout", "decisions", "with observation", "cost", *COLUMNS]
    titles = [title for title in dict.fromkeys(titles) if any(title in row for row in results)]
    base = {row["game"]: row for row in results if row["source"] == results[0]["source"]}
    lines = [f"| {' | '.join(titles)} |", "|" + "--|" * len(titles)]
    for row in results:
        other = None if row is base.get(row["game"]) else base.get(row["game"])
        lines.append(f"| {' | '.join(_cell(row, title, other) for title in titles)} |")
    return "\n".join(lines)


def _cell(row: dict[str, Any], title: str, other: dict[str, Any] | None) -> str:
    value = row.get(title, "")
    if not isinstance(value, float):
        return str(value)
    text = f"{value:,.0f}" if value >= 100 else f"{value:.2f}" if title == "cost" else f"{value:.1f}"
    is_rate = other is not None and title in COLUMNS and title in other
    return f"{text} ({value / other[title]:.2f})" if other is not None and is_rate else text


def run_all(sources: Sequence[Source], cases: Sequence[str], seconds: float, repeats: int) -> None:
    """Run every case of every source `repeats` times in turn; whatever is measured first warms up."""
    for repeat in range(repeats):
        for case in cases:
            ordered = sources if repeat % 2 == 0 else sources[::-1]
            for source in ordered:
                if case in source.cases:
                    source.measure(case, seconds)


def arguments() -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(description="Speed of the engine in CPU time of one process")
    parser.add_argument("--game", action="append", help="only this game; may be repeated")
    parser.add_argument("--case", action="append", help="only this kind of work; may be repeated")
    parser.add_argument("--seconds", type=float, default=0.4, help="CPU seconds of each run")
    parser.add_argument("--repeats", type=int, default=7, help="runs of each case")
    parser.add_argument("--compare", nargs=2, metavar="COMMIT", help="two commits instead of this clone")
    parser.add_argument("--compiled", action="store_true", help="this clone, compiled too")
    parser.add_argument("--against", type=Path, help="a folder with another state of the sources")
    parser.add_argument("--peers", action="store_true", help="measure other projects in the same run")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    return parser.parse_args()


def chosen_sources(chosen: argparse.Namespace, scratch: Path) -> list[Source]:
    """Start what is to be measured; ratios are to the first."""
    folders: dict[str, Path] = {}
    if chosen.against:
        folders["against"] = chosen.against.resolve()
    for number, commit in enumerate(chosen.compare or ()):
        folders[commit] = trees.at_commit(commit, scratch / f"{number}")
    if not chosen.compare:
        folders["this"] = ROOT
    if chosen.compiled:
        (scratch / "compiled").mkdir()
        folders["compiled"] = trees.build(trees.copy(scratch / "compiled"))
    sources = [Source.start(name, folder) for name, folder in folders.items()]
    if chosen.peers:
        found = [peer for peer, (library, _) in PEERS.items() if find_spec(library)]
        sources += [Source.start(peer, ROOT, PEERS[peer][1]) for peer in found]
    return sources


def main() -> int:
    """Measure and print."""
    chosen = arguments()
    with tempfile.TemporaryDirectory(prefix="fudaba-speed-") as scratch:
        report = measured(chosen, chosen_sources(chosen, Path(scratch)))
    print(json.dumps(report) if chosen.json else as_text(report))
    return 0


def measured(chosen: argparse.Namespace, sources: list[Source]) -> dict[str, Any]:
    """Run the chosen cases of all sources, end their processes, and return the report."""
    cases = [
        case
        for case in dict.fromkeys(case for source in sources for case in source.cases)
        if not chosen.game or case.split("/")[0] in [*chosen.game, "machine"]
        if not chosen.case or case.split("/")[1] in [*chosen.case, "loop", "bare"]
    ]
    run_all(sources, cases, chosen.seconds, chosen.repeats)
    report = {
        "machine": {**machine(), "loop_per_second": sources[0].rate("machine/loop", "done")},
        "import": {
            source.name: import_cost(source.folder, chosen.repeats)
            for source in sources
            if source.name not in PEERS
        },
        "rows": [row for source in sources for row in rows(source)],
    }
    for source in sources:
        source.close()
    return report


def as_text(report: dict[str, Any]) -> str:
    """Return the report for people."""
    facts = ", ".join(f"{name} {value}" for name, value in report["machine"].items())
    imports = [
        f"import of the engine ({name}): {cost['cpu_seconds']:.3f} CPU s, {cost['own_mb']:.1f} MB"
        f" ({cost['process_mb']:.1f} MB the whole process)"
        for name, cost in report["import"].items()
    ]
    return "\n".join([facts, "All rates are per CPU second.", "", table(report["rows"]), "", *imports])


if __name__ == "__main__":
    sys.exit(main())
