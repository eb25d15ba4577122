"""`fudaba admin`: what an operator does beside the running service, on its database and machine."""

import json
import os
import sys
from collections.abc import Mapping

import click
from rich import box
from rich.console import Console
from rich.table import Table

from api.commands import admin_data
from api.commands.databases import UnusableDatabase, opened, opened_with_tables
from api.commands.secrets import make_secrets
from engine import native
from engine.errors import FudabaError
from store import accounts, schema
from store.models.accounts import Role
from store.settings import SETTINGS, Settings
from workers import broker, loops
from workers.runtimes.sandbox import back_ends
from workers.runtimes.selftest import Choice, attack, fenced
from workers.services import utc_now

_HIDDEN = "********"


@click.group()
def admin() -> None:
    """Settings, checks, migrations and tokens of an installation."""


for _command in (make_secrets, *admin_data.COMMANDS):
    admin.add_command(_command)


@admin.command()
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object.")
def settings(is_json: bool) -> None:
    """List every setting with its value here and its meaning."""
    values = Settings.from_env(os.environ).to_env()
    rows = {
        setting.variable: _HIDDEN if setting.secret and values[setting.variable] else values[setting.variable]
        for setting in SETTINGS.values()
    }
    if is_json:
        click.echo(json.dumps(rows))
        return
    meanings = {setting.variable: setting.meaning for setting in SETTINGS.values()}
    _print_table(("setting", "value", "meaning"), [(name, rows[name], meanings[name]) for name in rows])
    click.echo("Each may also stand in a file: <setting>_FILE names it.")


@admin.command()
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object.")
def doctor(is_json: bool) -> None:
    """Check what this machine can do, attacking each sandbox; exit 1 when no module can be run."""
    found = Settings.from_env(os.environ)
    sandboxes, fence = loops.run(_attacked(found))
    checks = {
        "python": sys.version.split()[0],
        "engine": native.build(),
        "broker": "REDIS_URL is set" if found.redis_url else _embedded_broker(),
        "database": _database(found),
        **{f"sandbox {name}": failure or "holds" for name, failure in sandboxes.items()},
        "control groups": fence,
    }
    if is_json:
        click.echo(json.dumps(checks))
    else:
        _print_table(("part", "finding"), list(checks.items()))
    if all(failure is not None for failure in sandboxes.values()):
        raise click.ClickException("no safe sandbox here; install bubblewrap or use Linux 5.13 or newer")


@admin.command()
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object.")
def migrate(is_json: bool) -> None:
    """Bring the database up to date, with the house bots and, when its token is set, the organiser."""
    found = Settings.from_env(os.environ)
    with opened(found) as database:
        schema.upgrade(database)
        with database.transaction() as tx:
            accounts.ensure_house_bots(tx, utc_now())
            if found.organiser_token:
                accounts.ensure_organiser(tx, found.organiser_token, utc_now())
        revision = schema.revision(database)
    click.echo(json.dumps({"revision": revision}) if is_json else f"the database is at revision {revision}")


@admin.command()
@click.argument("name")
@click.option(
    "--role", type=click.Choice([Role.PARTICIPANT.value, Role.ORGANISER.value]), default="participant"
)
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object.")
def token(name: str, role: str, is_json: bool) -> None:
    """Make an account and print a token for it, which is shown only now."""
    with opened_with_tables(Settings.from_env(os.environ)) as database, database.transaction() as tx:
        account = accounts.create(tx, name, Role(role), utc_now())
        _, text = accounts.issue_token(tx, account.id, utc_now())
    click.echo(json.dumps({"account_id": str(account.id), "token": text}) if is_json else text)


async def _attacked(found: Settings) -> tuple[Mapping[str, str | None], str]:
    """Return what is wrong with each sandbox that the settings allow, None for one that holds; and which
    control groups are around the best of them."""
    candidates = back_ends(found.sandbox, allow_unsafe=found.unsafe_sandbox)
    failures = {sandbox.name: sandbox.probe() or await attack(sandbox) for sandbox in candidates}
    holding = [sandbox for sandbox in candidates if failures[sandbox.name] is None]
    choice = await fenced(Choice(sandbox=holding[0] if holding else None, verdicts=()))
    return failures, choice.fence


def _embedded_broker() -> str:
    try:
        return f"embedded, {broker.find_server().name}"
    except FudabaError as error:
        return str(error)


def _database(found: Settings) -> str:
    if not found.is_file_there():
        return "not made yet; `fudaba up` and `fudaba admin migrate` make it"
    try:
        with opened_with_tables(found):
            return "up to date"
    except UnusableDatabase as error:
        return str(error)


def _print_table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    table = Table(*headings, box=box.SIMPLE_HEAD)
    for row in rows:
        table.add_row(*row)
    Console().print(table)
