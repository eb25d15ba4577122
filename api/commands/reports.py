"""The result of a local round robin for people and as JSON."""

import sys
from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from engine.match import RecordedFault
from workers.local import RoundRobin
from workers.local_tally import Faults, Line, LocalTally

_PLAIN_WIDTH = 120
_BESIDE = {"traceback", "printed"}  # evidence that is many lines long


def as_json(event: RoundRobin, tally: LocalTally, sandbox: str | None) -> dict[str, Any]:
    """Return standings, faults and settings, JSON-ready."""
    return {
        "game": event.game.id,
        "seats": event.seats,
        "options": dict(event.options),
        "deals": event.deals,
        "seed": event.seed,
        "matches": tally.matches,
        "limits": event.limits.to_json(),
        "sandbox": sandbox,
        "standings": [_line_json(line) for line in tally.lines()],
        "faults": [
            _faults_json(entrant.name, faults)
            for entrant, faults in zip(event.entrants, tally.faults, strict=True)
            if faults.first
        ],
    }


def _line_json(line: Line) -> dict[str, Any]:
    row = line.row
    return {
        "place": None if line.is_filler else row.place,
        "bot": line.name,
        "filler": line.is_filler,
        "matches": row.matches,
        "wins": row.wins,
        "points": float(row.points),
        "interval": line.interval,
        "mean_score": float(row.mean_score),
        "faults": row.faults,
        "forfeits": row.forfeits,
        "reason": row.reason,
    }


def _faults_json(name: str, faults: Faults) -> dict[str, Any]:
    assert faults.first is not None
    match, recorded = faults.first
    return {
        "bot": name,
        "count": faults.codes.total(),
        "codes": dict(faults.codes),
        "first": {
            "match": match,
            "step": recorded.step,
            "seat": recorded.seat,
            "code": recorded.fault.code.value,
            "detail": recorded.fault.detail,
            "evidence": dict(recorded.fault.evidence),
        },
    }


def show(event: RoundRobin, tally: LocalTally, sandbox: str | None) -> None:
    """Print the standings, then what went wrong with each bot."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _PLAIN_WIDTH)
    options = "  ".join(f"{name}={str(of).lower()}" for name, of in event.options.items())
    console.print(Text.assemble((event.game.title, "bold"), f"  {event.seats} seats  ", (options, "dim")))
    rotations = len(set(event.sides))
    counts = f"{tally.matches} matches: {event.deals} deals in {rotations} rotations of each table"
    console.print(Text(f"{counts}, seed {event.seed}" + (f", sandbox {sandbox}" if sandbox else ""), "dim"))
    lines = tally.lines()
    console.print(_table(lines))
    if any(line.is_filler for line in lines):
        console.print(Text("house bots without a place fill chairs and are not ranked", "dim"))
    for entrant, faults in zip(event.entrants, tally.faults, strict=True):
        if faults.first is not None:
            console.print(_faults(entrant.name, faults))


def _table(lines: list[Line]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("place", justify="right")
    table.add_column("bot", no_wrap=True)
    for heading in ("points", "95%", "wins", "mean score", "faults", "forfeits"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    for line in lines:
        row = line.row
        low, high = line.interval or (None, None)
        table.add_row(
            "" if line.is_filler else str(row.place),
            line.name,
            f"{float(row.points):.3f}",
            "" if low is None else f"{low:.3f} to {high:.3f}",
            f"{row.wins} of {row.matches}",
            f"{float(row.mean_score):.2f}",
            Text(str(row.faults), "red" if row.faults else ""),
            Text(str(row.forfeits), "red" if row.forfeits else ""),
            Text("" if line.is_filler else row.reason, "dim"),
            style="dim" if line.is_filler else "bold" if row.place == 1 else "",
        )
    return table


def _faults(name: str, faults: Faults) -> Panel:
    """Return the faults of one bot, counted by code, with the evidence of the first."""
    assert faults.first is not None
    counted = ", ".join(f"{count} {code}" for code, count in faults.codes.most_common())
    title = Text(f"{name}: {faults.codes.total()} faults ({counted})", "red")
    return Panel(_evidence(*faults.first), title=title, title_align="left", border_style="red")


def _evidence(match: int, recorded: RecordedFault) -> Text:
    fault = recorded.fault
    lines = [f"the first: match {match}, step {recorded.step}, seat {recorded.seat}"]
    lines.append(f"{fault.code.value}: {fault.detail}")
    lines += [f"{name}: {of}" for name, of in fault.evidence.items() if name not in _BESIDE]
    lines += [str(fault.evidence[name]).rstrip() for name in sorted(_BESIDE) if fault.evidence.get(name)]
    return Text("\n".join(lines))
