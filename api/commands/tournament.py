"""`fudaba tournament`: plans, starts and watches tournaments, and reads what came of them."""

import sys
from itertools import islice
from pathlib import Path

import click

from api.client import Json
from api.commands import record_file, tournament_more, tournament_plan
from api.commands.service import REFUSED, Service, asks_service
from api.commands.tables import clean, event_table, overall_table, plain_console, table
from api.commands.tournament_reruns import rerun
from api.commands.tournament_watch import watch as watched

STATES = ("draft", "running", "paused", "finished", "cancelled")
_WHICH = click.argument("which", metavar="TOURNAMENT")


@click.group()
def tournament() -> None:
    """Plan, start and watch tournaments, and read what came of them.

    A TOURNAMENT is given by its id, or by its name if only one has it.
    """


tournament.add_command(rerun)


@tournament.command()
@click.argument("name", required=False)
@click.option(
    "--file", "file", type=click.Path(dir_okay=False, path_type=Path), help="The whole plan as JSON."
)
@click.option(
    "--event",
    "events",
    metavar="GAME[,seats=N][,deals=N][,schedule=S][,OPTION=VALUE]...",
    multiple=True,
    help="An event; every game at its default settings when left out.",
)
@click.option("--entrant", "entrants", metavar="BOT", multiple=True, help="A bot that enters.")
@click.option("--limit", "limits", metavar="NAME=VALUE", multiple=True, help="A limit that bots play under.")
@click.option(
    "--secret-seed", help="64 hex digits that all deals follow from; for tests, since it is public."
)
@click.option("--weight", type=click.IntRange(1, 100), help="Its share of the workers beside others; 1.")
@click.option("--owners-apart", is_flag=True, help="Bots of one owner never sit at one table.")
@click.option("--dry-run", is_flag=True, help="Only say what would be played; nothing is stored.")
@asks_service
def create(
    service: Service,
    name: str | None,
    file: Path | None,
    events: tuple[str, ...],
    entrants: tuple[str, ...],
    limits: tuple[str, ...],
    secret_seed: str | None,
    weight: int | None,
    owners_apart: bool,
    dry_run: bool,
) -> None:
    """Create a draft called NAME, or the one that a plan in a file describes.

    The file is the body of POST /tournaments; it has room for everything that has no option here.
    """
    if file is not None:
        if any((name, events, entrants, limits, secret_seed, weight, owners_apart)):
            raise click.UsageError("--file holds the whole plan: nothing else of it can be given")
        plan = tournament_plan.read(file)
    elif name is None:
        raise click.UsageError("NAME or --file is missing")
    else:
        plan = {
            "name": name,
            "events": [tournament_plan.event(text) for text in events] or None,
            "entrants": [service.bot_name(text) for text in entrants],
            "limits": tournament_plan.limits(limits) or None,
            "secret_seed": secret_seed,
            "weight": weight or 1,
            "owners_apart": owners_apart,
        }
    if dry_run:
        planned = service.client.plan_tournament(plan)
        service.answer(planned, lambda: _show_dry_run(planned))
    else:
        made = service.client.create_tournament(plan)
        service.answer(made, lambda: _show(made, []))


@tournament.command()
@_WHICH
@click.argument("bots", metavar="BOT...", nargs=-1, required=True)
@asks_service
def enter(service: Service, which: str, bots: tuple[str, ...]) -> None:
    """Enter BOTs into a draft, each with its active version."""
    names = [service.bot_name(text) for text in bots]
    entrants = service.client.enter(service.tournament_id(which), names)
    service.answer({"items": entrants}, lambda: _show_entrants(entrants))


@tournament.command()
@_WHICH
@asks_service
def start(service: Service, which: str) -> None:
    """Start a draft."""
    _tell_state(service, service.client.start(service.tournament_id(which)))


@tournament.command()
@_WHICH
@asks_service
def pause(service: Service, which: str) -> None:
    """Stop a running tournament for a while; what is in play is played to its end."""
    _tell_state(service, service.client.pause(service.tournament_id(which)))


@tournament.command()
@_WHICH
@asks_service
def resume(service: Service, which: str) -> None:
    """Go on with a paused tournament."""
    _tell_state(service, service.client.resume(service.tournament_id(which)))


@tournament.command()
@_WHICH
@click.option("--name", help="Name of the draft; the service makes one up when left out.")
@click.option("--without-entrants", is_flag=True, help="Leave the entrants out.")
@asks_service
def clone(service: Service, which: str, name: str | None, without_entrants: bool) -> None:
    """Make a draft with the events and rules of a tournament."""
    tournament_id = service.tournament_id(which)
    made = service.client.clone(tournament_id, name, with_entrants=not without_entrants)
    _tell_state(service, made)


@tournament.command()
@_WHICH
@click.option("--yes", is_flag=True, help="Do not ask.")
@asks_service
def cancel(service: Service, which: str, yes: bool) -> None:
    """End a tournament before its time; on a terminal it asks first."""
    tournament_id = service.tournament_id(which)
    if not yes and sys.stdin.isatty():
        click.confirm(f"cancel {which}? It cannot be taken up again", abort=True, err=True)
    _tell_state(service, service.client.cancel(tournament_id))


@tournament.command()
@_WHICH
@asks_service
def watch(service: Service, which: str) -> None:
    """Watch a tournament until it is over; ends with 1 when it was cancelled.

    It can be left (Ctrl-C) and taken up again at any time.
    """
    found = watched(service.client, service.tournament_id(which), is_quiet=service.is_json)
    _tell_state(service, found)
    if found["state"] != "finished":
        raise SystemExit(REFUSED)


@tournament.command("list")
@click.option("--state", type=click.Choice(STATES), help="Only those in this state.")
@click.option("--limit", type=click.IntRange(1), help="How many, the newest first; all when left out.")
@asks_service
def list_tournaments(service: Service, state: str | None, limit: int | None) -> None:
    """List tournaments, the newest first."""
    rows = list(islice(service.client.tournaments(state), limit))
    headings = ("id", "name", "state", "played", "matches", "created")
    columns = ("id", "name", "state", "played", "matches", "created_at")
    service.answer(
        {"items": rows},
        lambda: plain_console().print(table(headings, [[row[name] for name in columns] for row in rows])),
    )


@tournament.command()
@_WHICH
@asks_service
def show(service: Service, which: str) -> None:
    """Show a tournament, how far each event is, and who has entered."""
    tournament_id = service.tournament_id(which)
    found, entrants = service.client.tournament(tournament_id), service.client.entrants(tournament_id)
    service.answer({**found, "entrants": entrants}, lambda: _show(found, entrants))


@tournament.command()
@_WHICH
@click.option("--event", type=click.IntRange(0), help="Only this event, by its index.")
@click.option("--csv", "is_csv", is_flag=True, help="Print one table as CSV.")
@asks_service
def standings(service: Service, which: str, event: int | None, is_csv: bool) -> None:
    """Show the standings over all events and of each, as they are at this moment."""
    if is_csv and service.is_json:
        raise click.UsageError("--csv and --json exclude each other")
    tournament_id = service.tournament_id(which)
    if is_csv:
        click.echo(service.client.standings_csv(tournament_id, event), nl=False)
        return
    found = service.client.standings(tournament_id, event)
    service.answer(found, lambda: _show_standings(found))


@tournament.command()
@_WHICH
@click.option("--event", type=click.IntRange(0), help="Only this event, by its index.")
@click.option("--entrant", type=click.IntRange(0), help="Only matches of this entrant, by its number.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many.")
@asks_service
def matches(service: Service, which: str, event: int | None, entrant: int | None, limit: int) -> None:
    """List finished matches by event and number; lists in a row are by seat."""
    tournament_id = service.tournament_id(which)
    rows = list(islice(service.client.matches(tournament_id, event=event, entrant=entrant), limit))
    headings = ("match", "game", "deal", "rotation", "entrants", "scores", "places", "faults")
    columns = ("id", *headings[1:])
    service.answer(
        {"items": rows},
        lambda: plain_console().print(
            table(headings, [[_joined(row[name]) for name in columns] for row in rows])
        ),
    )


@tournament.command()
@_WHICH
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path, allow_dash=True))
@asks_service
def record(service: Service, which: str, file: Path) -> None:
    """Write the record of a finished tournament to FILE (- for standard output); see `fudaba verify`."""
    record_file.save(service, service.tournament_id(which), file)


for command in tournament_more.COMMANDS:
    tournament.add_command(command)


def _tell_state(service: Service, found: Json) -> None:
    service.answer(found, lambda: click.echo(f"{clean(_state_line(found))}\n{found['id']}"))


def _state_line(found: Json) -> str:
    return f"{found['name']}: {found['state']}, {found['played']} of {found['matches']} matches played"


def _show(found: Json, entrants: list[Json]) -> None:
    console = plain_console()
    console.print(clean(_state_line(found)))
    console.print(f"{found['id']}, commitment {found['commitment']}")
    headings = ("event", "game", "seats", "schedule", "deals", "state", "played", "matches", "options")
    columns = ("index", *headings[1:-1])
    rows = [[*(event[name] for name in columns), _joined(event["options"])] for event in found["events"]]
    console.print(table(headings, rows))
    if entrants:
        _show_entrants(entrants)


def _show_entrants(entrants: list[Json]) -> None:
    headings = ("number", "bot", "kind", "version", "SHA-256", "filler")
    rows = [
        (
            row["number"],
            row["name"],
            row["kind"],
            row["version"],
            row["sha256"][:16],
            "yes" if row["is_filler"] else "",
        )
        for row in entrants
    ]
    plain_console().print(table(headings, rows))


def _show_dry_run(planned: Json) -> None:
    headings = ("game", "seats", "entrants", "fillers", "tables", "deals", "matches", "seconds")
    rows = [[_joined(event[name]) for name in headings] for event in planned["events"]]
    console = plain_console()
    console.print(table(headings, rows))
    console.print(f"{planned['matches']} matches, about {planned['seconds']:.0f} s on one core")


def _show_standings(found: Json) -> None:
    console = plain_console()
    for event in found["events"]:
        console.print(event_table(event))
    if found["overall"] is not None:
        console.print(overall_table(found))
    edition = found["edition"]
    frozen = f"; edition {edition['number']}, SHA-256 {edition['sha256']}" if edition else ""
    console.print(f"{found['state']}{frozen}")


def _joined(value: object) -> str:
    """Return lists by seat and options in one line."""
    if isinstance(value, list):
        return " ".join(map(str, value))
    if isinstance(value, dict):
        return " ".join(f"{name}={str(of).lower()}" for name, of in value.items())
    return f"{value:.1f}" if isinstance(value, float) else str(value)
