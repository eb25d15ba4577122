"""The report of a qualification for people."""

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.text import Text

from api.client import Json
from api.commands.tables import clean, table
from engine import faults

_LONG = ("traceback", "printed")  # evidence that is many lines long
_HEADINGS = ("game", "result", "asked", "legal", "faults", "score", "place", "mean ms", "most ms", "seconds")


def show(console: Console, report: Json) -> None:
    """Print a report: each phase with its time, each game, every fault with its evidence, and the verdict."""
    for part in (*_phases(report), *_matches(report)):
        console.print(part)
    accepted = report["accepted"]
    verdict = "accepted" if accepted else f"refused: {clean(report['reason'])}"
    console.print(Text(verdict, "bold green" if accepted else "bold red"))


def fault_panel(fault: Json, title: str) -> Panel:
    """Return one fault: what kind it is and its evidence."""
    kind = faults.kind_of(fault["code"])
    lines = [f"{fault['code']}: {fault['detail']}"]
    if kind is not None:
        lines.append(f"({kind.happened}; the fault of the {kind.culprit})")
    lines += [
        f"{name}: {of}" for name, of in fault["evidence"].items() if name not in _LONG and of is not None
    ]
    lines += [str(fault["evidence"][name]).rstrip() for name in _LONG if fault["evidence"].get(name)]
    return _panel("\n".join(lines), title, "red")


def log_panel(text: str, title: str) -> Panel:
    """Return the end of what a bot printed."""
    return _panel(text.rstrip(), title, "dim")


def _phases(report: Json) -> list[RenderableType]:
    """Return what came of the upload, the handshake and the start, as far as it came."""
    sandbox, start = report.get("sandbox"), report.get("start") or {}
    lines = (
        [f"kind       {report['kind']}" + (f", sandbox {sandbox}" if sandbox else "")]
        if "kind" in report
        else []
    )
    if report.get("ignored_files"):
        lines.append(f"ignored    {', '.join(report['ignored_files'])}")
    if report.get("limits"):
        limits = ", ".join(f"{name} {value}" for name, value in report["limits"].items())
        lines.append(f"limits     {limits}")
    if report.get("handshake"):
        lines += _handshake(report["handshake"])
    if start.get("seconds") is not None:
        lines.append(f"start      {start['seconds']:.3f} s")
    parts: list[RenderableType] = [Text(clean(line)) for line in lines]
    if start.get("fault"):
        parts.append(fault_panel(start["fault"], "start"))
        if start["fault"].get("log"):
            parts.append(log_panel(start["fault"]["log"], "start: printed"))
    return parts


def _handshake(found: Json) -> list[str]:
    status = "no answer" if found["status"] is None else f"status {found['status']}"
    first = f"handshake  {found['request']}: {status}, {found['latency_ms']} ms"
    if found["ok"]:
        return [f"{first}; {found['name']}, max_batch {found['max_batch']}: {', '.join(found['games'])}"]
    return [first, f"           {found['code']}: {found['problem']}", f"           to mend: {found['mend']}"]


def _matches(report: Json) -> list[RenderableType]:
    """Return a table of the games, then the faults and the log of each."""
    matches: list[Json] = report.get("matches") or []
    if not matches:
        return []
    parts: list[RenderableType] = [table(_HEADINGS, map(_row, matches))]
    for match in matches:
        named = [fault_panel(fault, f"{match['game']}, step {fault['step']}") for fault in match["faults"]]
        printed = [log_panel(match["log"], f"{match['game']}: log")] if match["log"] else []
        if named or (printed and report["kind"] == "module"):
            parts.append(Group(*named, *printed))
    return parts


def _row(match: Json) -> tuple[object, ...]:
    result = "passed" if match["passed"] else "forfeited" if match["forfeited"] else "failed"
    counts = (match["asked"], match["legal"], len(match["faults"]), match["scores"][0], match["places"][0])
    times = (f"{match['mean_ms']:.1f}", f"{match['most_ms']:.1f}", f"{match['seconds']:.2f}")
    return match["game"], result, *counts, *times


def _panel(text: str, title: str, style: str) -> Panel:
    return Panel(Text(clean(text)), title=Text(clean(title)), title_align="left", border_style=style)
