"""`fudaba admin backup|restore|check|export|import|archive|unarchive`: data, whole or by tournament."""

import json
import os
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from pathlib import Path
from typing import Any
from uuid import UUID

import click

from api.commands.databases import opened, opened_with_tables
from api.commands.up import only_one
from engine.errors import FudabaError
from store import archiving, backups, checks, exports, schema
from store.settings import Settings
from workers.services import utc_now

_FILE = click.Path(dir_okay=False, path_type=Path)


def _refuses(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command end with exit code 1 and one line where something is not as it must be."""

    @wraps(command)
    def run(**given: Any) -> None:
        try:
            command(**given)
        except (FudabaError, OSError) as error:
            raise click.ClickException(str(error)) from error

    return run


@click.command()
@click.argument("file", type=_FILE)
@_refuses
def backup(file: Path) -> None:
    """Copy the whole database to a new FILE, also while the service runs.

    From SQLite it is a database again, from PostgreSQL an archive of pg_dump. It holds secrets of bots and
    of running tournaments.
    """
    with opened_with_tables(Settings.from_env(os.environ)) as database:
        backups.take(database, file)
    click.echo(f"wrote {file} ({file.stat().st_size} bytes)")


@click.command()
@click.argument("file", type=_FILE)
@click.option("--replace", is_flag=True, help="Give up what is in the database.")
@_refuses
def restore(file: Path, replace: bool) -> None:
    """Make the database what it was when FILE was written; the service must be stopped."""
    settings = Settings.from_env(os.environ)
    settings.home.mkdir(parents=True, exist_ok=True)
    with only_one(settings.home), opened(settings) as database:
        backups.put_back(database, file, replace=replace)
        schema.upgrade(database)
    click.echo(f"restored {file}; what was being played then is played again")


@click.command()
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object.")
@_refuses
def check(is_json: bool) -> None:
    """Check the whole database against its own rules, also while the service runs.

    Exit code 1 when something is wrong, which is named.
    """
    with opened_with_tables(Settings.from_env(os.environ)) as database:
        found = list(checks.problems(database))
    if is_json:
        click.echo(json.dumps({"ok": not found, "problems": found}))
    else:
        for problem in found:
            click.echo(problem, err=True)
        click.echo(f"{len(found)} problems" if found else "all is right")
    if found:
        raise SystemExit(1)


@click.command("export")
@click.argument("tournament_id", type=click.UUID)
@click.argument("file", type=_FILE)
@_refuses
def export_tournament(tournament_id: UUID, file: Path) -> None:
    """Write a tournament that is over, with its bots, to a new FILE."""
    with opened_with_tables(Settings.from_env(os.environ)) as database:
        rows = exports.write(database, tournament_id, file)
    click.echo(f"wrote {file} ({rows} rows)")


@click.command("import")
@click.argument("file", type=_FILE)
@_refuses
def import_tournament(file: Path) -> None:
    """Store the tournament in FILE, with the accounts and bots that are not here yet, and check it."""
    with opened_with_tables(Settings.from_env(os.environ)) as database:
        tournament_id = exports.read(database, file)
    click.echo(f"stored tournament {tournament_id}")


@click.command()
@click.option(
    "--older-than",
    "days",
    type=click.IntRange(0, 36_500),
    default=365,
    show_default=True,
    help="Days since the end.",
)
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object.")
@_refuses
def archive(days: int, is_json: bool) -> None:
    """Move what was played in old finished tournaments into files, also while the service runs.

    Every match of a record is played again before anything is removed. Stopped at any moment, it goes on
    where it was the next time. One that is refused stays as it is and keeps no other back; exit code 1 then.
    """
    now = utc_now()
    moved: dict[str, int] = {}
    refused: dict[str, str] = {}
    with opened_with_tables(Settings.from_env(os.environ)) as database:
        with database.reading() as tx:
            due = archiving.due(tx, now - timedelta(days=days))
        for tournament_id in due:
            try:
                count = moved[str(tournament_id)] = archiving.put_away(database, tournament_id, now)
                said = f"archived tournament {tournament_id} ({count} matches)"
            except FudabaError as error:
                refused[str(tournament_id)] = str(error)
                said = f"tournament {tournament_id} stays: {error}"
            if not is_json:
                click.echo(said)
    if is_json:
        click.echo(json.dumps({"archived": moved, "refused": refused}))
    elif not due:
        click.echo(f"no tournament ended more than {days} days ago that is not archived yet")
    if refused:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("tournament_id", type=click.UUID)
@_refuses
def unarchive(tournament_id: UUID) -> None:
    """Bring an archived tournament back into the database, so that its matches can be played again."""
    with opened_with_tables(Settings.from_env(os.environ)) as database:
        filled = archiving.bring_back(database, tournament_id)
    click.echo(f"brought back tournament {tournament_id} ({filled} matches)")


COMMANDS = (backup, restore, check, export_tournament, import_tournament, archive, unarchive)
