"""Tables in the terminal; whatever others wrote is shown as plain text."""

import sys
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.client import Json

PLAIN_WIDTH = 160  # of what goes into a file or a pipe
_KEPT = {"\n", "\t"}
_TEXTS = {
    "bot",
    "name",
    "url",
    "action",
    "event",
    "by",
    "game",
    "id",
    "match",
    "state",
    "kind",
    "owner",
    "tournament",
    "created",
    "ahead by",
}


def plain_console() -> Console:
    """Return a console on standard output that takes nothing for markup."""
    width = None if sys.stdout.isatty() else PLAIN_WIDTH
    return Console(highlight=False, markup=False, emoji=False, width=width)


def clean(value: object) -> str:
    """Return a value as text without anything that a terminal would take for a command."""
    text = "" if value is None else str(value)
    return "".join(
        char if char.isprintable() or char in _KEPT else "\N{REPLACEMENT CHARACTER}" for char in text
    )


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None) -> Table:
    """Return a table; columns of numbers are aligned to the right, ids and names are never cut."""
    made = Table(
        title=None if title is None else Text(clean(title), "bold"),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
        collapse_padding=True,
    )
    for heading in headings:
        is_text = heading in _TEXTS
        made.add_column(heading, justify="left" if is_text else "right", no_wrap=is_text, overflow="fold")
    for row in rows:
        made.add_row(*(Text(clean(value)) for value in row))
    return made


def event_table(event: Json) -> Table:
    """Return the standings of one event."""
    return table(
        ("place", "bot", "points", "95%", "rating", "wins", "played", "mean score", "faults", "forfeits"),
        [
            (
                row["place"],
                row["name"],
                f"{row['points']:.3f}",
                _interval(row),
                _rating(row),
                row["wins"],
                row["matches"],
                f"{row['mean_score']:.2f}",
                row["faults"],
                row["forfeits"],
            )
            for row in event["rows"]
        ],
        title=f"{event['game']}: {event['seats']} seats, {event['played']} matches",
    )


def overall_table(standings: Json) -> Table:
    """Return the standings over all events, with the place in each."""
    events = standings["events"]
    games = [event["game"].replace("_", "\n") for event in events]
    return table(
        ("place", "bot", "points", "rating", "faults", *games),
        [
            (
                row["place"],
                row["name"],
                f"{row['points']:.3f}",
                _rating(row),
                row["faults"],
                *(row["places"].get(str(event["index"]), "-") for event in events),
            )
            for row in standings["overall"]
        ],
        title="overall: the mean over all games",
    )


def _interval(row: Json) -> str:
    """Return the interval of the points of a row, to two places; empty while there is none."""
    if row["points_low"] is None:
        return ""
    return f"{row['points_low']:.2f}-{row['points_high']:.2f}"


def _rating(row: Json) -> str:
    """Return the rating of a row as a whole number; empty while there is none."""
    return "" if row["rating"] is None else f"{row['rating']:.0f}"
