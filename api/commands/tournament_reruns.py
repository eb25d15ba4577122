"""`fudaba tournament rerun`: has matches played again, lists that, and undoes it."""

import sys
from typing import Any

import click

from api.client import Json
from api.commands.service import Service, asks_service
from api.commands.tables import clean, plain_console, table
from engine.policies import FaultCode

_WHICH = click.argument("which", metavar="TOURNAMENT")
_SHOWN = 12  # ranges of numbers, beyond which they are only counted


@click.group()
def rerun() -> None:
    """Have matches of a tournament played again, on the same deals; or undo that."""


@rerun.command()
@_WHICH
@click.option("--event", type=click.IntRange(0), help="Only of this event, by its index.")
@click.option("--entrant", type=click.IntRange(0), help="Only at tables with this entrant, by its number.")
@click.option("--table", "table_number", type=click.IntRange(0), help="Only at this table of the event.")
@click.option("--number", "numbers", type=click.IntRange(0), multiple=True, help="This match of the event.")
@click.option(
    "--fault", type=click.Choice([code.value for code in FaultCode]), help="Only where this happened."
)
@click.option("--set-aside", is_flag=True, help="Only matches that the platform could not play.")
@click.option("--reason", default="", help="Why, for everybody to read; needed unless --dry-run.")
@click.option("--dry-run", is_flag=True, help="Only say what it would do.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@asks_service
def apply(
    service: Service, which: str, table_number: int | None, dry_run: bool, yes: bool, **given: Any
) -> None:
    """Have the matches played again that fit all that is given; a terminal is asked first."""
    tournament_id = service.tournament_id(which)
    choice = {**given, "table": table_number, "numbers": list(given["numbers"])}
    if dry_run:
        found = service.client.preview_rerun(tournament_id, choice)
        service.answer(found, lambda: _show_preview(found))
        return
    if not yes and sys.stdin.isatty():
        _show_preview(service.client.preview_rerun(tournament_id, choice))
        click.confirm("play these again?", abort=True, err=True)
    _tell(service, service.client.rerun(tournament_id, choice))


@rerun.command()
@_WHICH
@click.argument("number", type=click.IntRange(1))
@asks_service
def undo(service: Service, which: str, number: int) -> None:
    """Let the results count again that re-run NUMBER took out."""
    _tell(service, service.client.undo_rerun(service.tournament_id(which), number))


@rerun.command("list")
@_WHICH
@asks_service
def list_reruns(service: Service, which: str) -> None:
    """List the re-runs of a tournament with their reasons."""
    rows = service.client.reruns(service.tournament_id(which))
    columns = ("number", "state", "matches", "results", "created_at", "reason")
    service.answer(
        {"items": rows},
        lambda: plain_console().print(table(columns, [[row[name] for name in columns] for row in rows])),
    )


def _tell(service: Service, found: Json) -> None:
    text = f"re-run {found['number']}: {found['state']}, {found['matches']} matches ({found['reason']})"
    service.answer(found, lambda: click.echo(clean(text)))


def _show_preview(found: Json) -> None:
    console = plain_console()
    for event in found["events"]:
        runs = [f"{run['first']}-{run['first'] + run['count'] - 1}" for run in event["ranges"]]
        more = f" and {len(runs) - _SHOWN} ranges more" if len(runs) > _SHOWN else ""
        console.print(
            f"event {event['event']}: {event['matches']} matches, {event['results']} results would go,"
            f" {event['unfinished']} are left out; numbers {', '.join(runs[:_SHOWN])}{more}"
        )
        if event["rows"]:
            console.print(_moved(event["rows"]))
    if found["overall"]:
        console.print("over all events:")
        console.print(_moved(found["overall"]))
    for note in found["notes"]:
        console.print(clean(note))


def _moved(rows: list[Json]) -> Any:
    """Return the table of those that would stand otherwise until the matches are played again."""
    return table(
        ("bot", "place", "points", "matches", "place without", "points without", "matches without"),
        [
            (
                row["name"],
                row["place"],
                f"{row['points']:.3f}",
                row["matches"],
                row["place_without"],
                f"{row['points_without']:.3f}",
                row["matches_without"],
            )
            for row in rows
        ],
    )
