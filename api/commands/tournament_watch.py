"""Watching a tournament until it is over, on a terminal or in a log."""

import sys
import time
from collections.abc import Callable, Iterator

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from api.client import Client, Json, Unreachable
from api.commands.service import Left

POLL_SECONDS = 1.0
PATIENCE_SECONDS = 60.0  # for a service that cannot be reached, since it may be starting again
OVER = ("finished", "cancelled")
_LINE_SECONDS = 10.0

Show = Callable[[Json], None]


def watch(client: Client, tournament_id: str, *, is_quiet: bool) -> Json:
    """Return a tournament once it is over; its progress is shown on standard error unless `is_quiet`.

    Raises Left on Ctrl-C, and Unreachable when the service is away for too long.
    """
    try:
        if is_quiet:
            return _last(states(client, tournament_id), lambda state: None)
        if sys.stderr.isatty():
            return _with_bar(states(client, tournament_id))
        return _last(states(client, tournament_id), _lines())
    except KeyboardInterrupt:
        raise Left(f"left; it goes on, and so does `fudaba tournament watch {tournament_id}`") from None


def states(client: Client, tournament_id: str) -> Iterator[Json]:
    """Yield a tournament again and again, the last time when it is over."""
    away_since: float | None = None
    while True:
        try:
            state = client.tournament(tournament_id)
            away_since = None
        except Unreachable:
            away_since = away_since or time.monotonic()
            if time.monotonic() - away_since > PATIENCE_SECONDS:
                raise
        else:
            yield state
            if state["state"] in OVER:
                return
        time.sleep(POLL_SECONDS)


def _last(found: Iterator[Json], show: Show) -> Json:
    state: Json = {}
    for state in found:
        show(state)
    return state


def _with_bar(found: Iterator[Json]) -> Json:
    """Show a bar for all matches."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("matches"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=None)

        def show(state: Json) -> None:
            total = state["matches"] or None
            progress.update(bar, description=state["state"], total=total, completed=_done(state))

        return _last(found, show)


def _lines() -> Show:
    """Return what prints a line at each change of the state, and otherwise now and then."""
    shown: tuple[str, int] = ("", -1)
    shown_at = 0.0

    def show(state: Json) -> None:
        nonlocal shown, shown_at
        found, now = (state["state"], _done(state)), time.monotonic()
        if found[0] == shown[0] and (found == shown or now - shown_at < _LINE_SECONDS):
            return
        shown, shown_at = found, now
        click.echo(f"{state['state']}: {_done(state)} of {state['matches']} matches", err=True)

    return show


def _done(state: Json) -> int:
    """Return how many matches are behind it, those set aside among them."""
    return int(state["played"]) + int(state["set_aside"]) + int(state["dropped"])
