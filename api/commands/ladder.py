"""`fudaba ladder`: makes and closes ladders, enters bots, and reads boards, histories and matches."""

import sys
from itertools import islice
from pathlib import Path
from uuid import UUID

import click

from api.client import Json
from api.commands import record_file, tournament_plan
from api.commands.service import Refused, Service, asks_service
from api.commands.tables import clean, plain_console, table

_WHICH = click.argument("which", metavar="LADDER")
_SEASON = click.option("--season", type=click.IntRange(1), help="Its number; the last one when left out.")


@click.group()
def ladder() -> None:
    """Make and close ladders, enter bots, and read boards, histories and matches.

    A LADDER is given by its id, or by its name if only one has it.
    """


@ladder.command()
@click.argument("name")
@click.option(
    "--setting",
    "settings",
    metavar="GAME[,seats=N][,OPTION=VALUE]...",
    multiple=True,
    help="A game; every game at its default settings when left out.",
)
@click.option("--deals", type=click.IntRange(1), help="Deals of a meeting, each in every rotation.")
@click.option("--round-seconds", type=click.IntRange(0), help="Least time from one round to the next.")
@click.option("--season-rounds", type=click.IntRange(1), help="Rounds until a season closes.")
@click.option("--closing-deals", type=click.IntRange(1), help="Deals of the round robin that closes it.")
@click.option("--weight", type=click.IntRange(1, 100), help="Its share of the workers beside others.")
@click.option("--limit", "limits", metavar="NAME=VALUE", multiple=True, help="A limit that bots play under.")
@asks_service
def create(
    service: Service, name: str, settings: tuple[str, ...], limits: tuple[str, ...], **numbers: int | None
) -> None:
    """Make a ladder called NAME; it is played as soon as two bots are on it."""
    plan: Json = {
        "name": name,
        "settings": [tournament_plan.event(text) for text in settings] or None,
        "limits": tournament_plan.limits(limits) or None,
        **{field: number for field, number in numbers.items() if number is not None},
    }
    made = service.client.create_ladder(plan)
    service.answer(made, lambda: click.echo(f"{clean(made['name'])}: {made['state']}\n{made['id']}"))


@ladder.command()
@_WHICH
@click.argument("bots", metavar="BOT...", nargs=-1, required=True)
@asks_service
def join(service: Service, which: str, bots: tuple[str, ...]) -> None:
    """Enter BOTs into a ladder; they play with their active version, whatever it is."""
    names = [service.bot_name(text) for text in bots]
    _show_members(service, service.client.join_ladder(_ladder_id(service, which), names))


@ladder.command()
@_WHICH
@click.argument("bot")
@asks_service
def leave(service: Service, which: str, bot: str) -> None:
    """Take BOT off a ladder; what it has played stays."""
    ladder_id = _ladder_id(service, which)
    service.client.leave_ladder(ladder_id, service.bot_id(bot))
    _show_members(service, service.client.members(ladder_id))


@ladder.command()
@_WHICH
@asks_service
def members(service: Service, which: str) -> None:
    """List the bots on a ladder, and why some do not play."""
    _show_members(service, service.client.members(_ladder_id(service, which)))


@ladder.command("list")
@asks_service
def list_ladders(service: Service) -> None:
    """List ladders, the newest first."""
    rows = list(service.client.ladders())
    listed = [(row["id"], row["name"], row["state"], _games(row), row["created_at"]) for row in rows]
    headings = ("id", "name", "state", "game", "created")
    service.answer({"items": rows}, lambda: plain_console().print(table(headings, listed)))


@ladder.command()
@_WHICH
@asks_service
def show(service: Service, which: str) -> None:
    """Show a ladder, its seasons, and whether it stands still."""
    ladder_id = _ladder_id(service, which)
    found, seasons = service.client.ladder(ladder_id), service.client.seasons(ladder_id)
    service.answer({**found, "seasons": seasons}, lambda: _show(found, seasons))


@ladder.command()
@_WHICH
@_SEASON
@asks_service
def standings(service: Service, which: str, season: int | None) -> None:
    """Show the board of a season: now, or for ever once it is over."""
    found = service.client.board(_ladder_id(service, which), season)
    service.answer(found, lambda: _show_board(found))


@ladder.command()
@_WHICH
@click.argument("bot")
@_SEASON
@asks_service
def history(service: Service, which: str, bot: str, season: int | None) -> None:
    """Show the online rating of BOT in a season, round by round."""
    rows = list(service.client.history(_ladder_id(service, which), service.bot_name(bot), season))
    headings = ("round", "version", "game", "mu", "sigma")
    listed = [[_short(row[name]) for name in headings] for row in rows]
    service.answer({"items": rows}, lambda: plain_console().print(table(headings, listed)))


@ladder.command()
@_WHICH
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path, allow_dash=True))
@_SEASON
@asks_service
def record(service: Service, which: str, file: Path, season: int | None) -> None:
    """Write the record of a season that is over to FILE (- for standard output); see `fudaba verify`."""
    seasons = service.client.seasons(_ladder_id(service, which))
    found = [one for one in seasons if season in (None, one["number"])]
    if not found:
        raise click.UsageError(f"the ladder has no season {season}")
    record_file.save(service, found[-1]["tournament_id"], file)


@ladder.command()
@_WHICH
@_SEASON
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many.")
@asks_service
def matches(service: Service, which: str, season: int | None, limit: int) -> None:
    """List the matches of a season, the last first; names and scores are by seat."""
    rows = list(islice(service.client.ladder_matches(_ladder_id(service, which), season), limit))
    headings = ("match", "game", "round", "bot", "scores", "places", "faults")
    listed = [
        (
            row["id"],
            row["game"],
            row["round"],
            " ".join(row["names"]),
            " ".join(map(str, row["scores"])),
            " ".join(map(str, row["places"])),
            row["faults"],
        )
        for row in rows
    ]
    service.answer({"items": rows}, lambda: plain_console().print(table(headings, listed)))


@ladder.command("end-season")
@_WHICH
@asks_service
def end_season(service: Service, which: str) -> None:
    """Let the present season close with its round, and the next one begin."""
    seasons = service.client.end_season(_ladder_id(service, which))
    service.answer({"items": seasons}, lambda: plain_console().print(_seasons_table(seasons)))


@ladder.command()
@_WHICH
@click.option("--yes", is_flag=True, help="Do not ask.")
@asks_service
def close(service: Service, which: str, yes: bool) -> None:
    """Let the present season be the last one; on a terminal it asks first."""
    ladder_id = _ladder_id(service, which)
    if not yes and sys.stdin.isatty():
        click.confirm(f"close {which}? It cannot be opened again", abort=True, err=True)
    closed = service.client.close_ladder(ladder_id)
    service.answer(closed, lambda: click.echo(f"{clean(closed['name'])}: {closed['state']}"))


def _ladder_id(service: Service, text: str) -> str:
    """Return the id of a ladder given by its id, or by its name if only one has it."""
    try:
        return str(UUID(text))
    except ValueError:
        found = [str(row["id"]) for row in service.client.ladders() if row["name"] == text]
    if len(found) != 1:
        problem = "there is no ladder" if not found else f"there are {len(found)} ladders"
        raise Refused(f"{problem} called {text!r}; " + (", ".join(found) or "see `fudaba ladder list`"))
    return found[0]


def _show_members(service: Service, rows: list[Json]) -> None:
    listed = [(f"{row['owner']}/{row['name']}", row["state"], row["reason"]) for row in rows]
    service.answer({"items": rows}, lambda: plain_console().print(table(("bot", "state", "reason"), listed)))


def _show(found: Json, seasons: list[Json]) -> None:
    console, one, members_now = plain_console(), found["ladder"], found["members"]
    console.print(clean(f"{one['name']}: {one['state']}, {_games(one)}"))
    counts = ", ".join(f"{number} {state}" for state, number in members_now.items())
    met = "" if found["coverage"] is None else f"; {found['coverage']:.0%} of the pairs have met"
    console.print(f"{one['id']}; members: {counts}{met}")
    if found["idle_reason"] is not None:
        console.print(clean(f"idle since {found['idle_since']}: {found['idle_reason']}"))
    console.print(_seasons_table(seasons))


def _seasons_table(seasons: list[Json]) -> object:
    headings = ("season", "state", "rounds", "commitment", "closing")
    return table(
        headings,
        [
            (row["number"], row["phase"], row["applied"], row["commitment"], row["closing_id"])
            for row in seasons
        ],
    )


def _show_board(found: Json) -> None:
    headings = ("place", "bot", "version", "rating", "95%", "mu", "sigma", "matches", "closing")
    rows = [
        (
            row["place"],
            row["name"],
            row["version"],
            _short(row["rating"], 0),
            _interval(row),
            _short(row["mu"]),
            _short(row["sigma"]),
            row["matches"],
            row["closing_points"],
        )
        for row in found["rows"]
    ]
    console, season = plain_console(), found["season"]
    console.print(table(headings, rows))
    frozen = f"; SHA-256 {season['sha256']}" if season["sha256"] else ""
    console.print(f"season {season['number']}: {season['phase']}, {season['applied']} rounds{frozen}")


def _interval(row: Json) -> str:
    if row["rating_low"] is None:
        return ""
    return f"{row['rating_low']:.0f}-{row['rating_high']:.0f}"


def _short(value: object, digits: int = 2) -> str:
    """Return a number with few digits, anything else as it is."""
    return f"{value:.{digits}f}" if isinstance(value, float) else clean(value)


def _games(row: Json) -> str:
    return ", ".join(setting["game"] for setting in row["settings"])
