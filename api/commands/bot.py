"""`fudaba bot`: writes, tries out and submits bots, and shows how they are doing."""

import time
from itertools import islice
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from api.client import ApiError, Client, Json
from api.commands import bot_more, qualifications
from api.commands.bot_new import new
from api.commands.bot_test import MOST, is_url, test
from api.commands.service import REFUSED, Left, Service, asks_service
from api.commands.tables import plain_console, table

POLL_SECONDS = 0.3
NEWEST = 20
_LIMIT = click.option(
    "--limit", type=click.IntRange(1), default=NEWEST, show_default=True, help="How many, the newest first."
)

_SECRET_FILE = click.option(
    "--secret-file", type=click.Path(dir_okay=False, path_type=Path), help="Write the endpoint's secret here."
)


@click.group()
def bot() -> None:
    """Write, try out and submit bots; see how they are doing.

    A BOT is given by its id, as owner/name, or by its name alone if it is your own.
    """


bot.add_command(new)
bot.add_command(test)
for command in bot_more.COMMANDS:
    bot.add_command(command)


@bot.command()
@click.argument("source", metavar="FILE|URL")
@click.option("--name", help="Name of the bot; for a FILE its own name when left out.")
@click.option("--game", "games", metavar="ID", multiple=True, help="A game that it plays; all when left out.")
@click.option("--max-batch", type=click.IntRange(1, MOST), help="Requests in one call of the endpoint.")
@click.option("--max-in-flight", type=click.IntRange(1, MOST), help="Calls of the endpoint at the same time.")
@_SECRET_FILE
@click.option("--wait", "is_waiting", is_flag=True, help="Wait until it is qualified or refused (exit 1).")
@asks_service
def submit(
    service: Service,
    source: str,
    name: str | None,
    games: tuple[str, ...],
    max_batch: int | None,
    max_in_flight: int | None,
    secret_file: Path | None,
    is_waiting: bool,
) -> None:
    """Submit a module (a .py or .zip FILE) or an endpoint (a URL) as a bot, or as its next version.

    The same submission again is the same version: so waiting can be left and taken up again.
    """
    if is_url(source):
        declared = {"max_batch": max_batch, "max_in_flight": max_in_flight, "games": list(games)}
        sent = _submit_endpoint(service, source, name, declared, secret_file)
    elif (max_batch, max_in_flight, secret_file) != (None, None, None):
        raise click.UsageError("--max-batch, --max-in-flight and --secret-file are for endpoints")
    else:
        path = Path(source)
        content = _content(path)
        sent = service.client.submit_module(name or path.stem, path.name, content, list(games))
    if not service.is_json:
        _tell_submission(sent, secret_file)
    found = _qualified(service.client, sent) if is_waiting else None
    service.answer(
        sent if found is None else {**sent, "state": found["state"], "qualification": found},
        lambda: _show_qualification(plain_console(), found),
    )
    if found is not None and found["state"] == "refused":
        raise SystemExit(REFUSED)


@bot.command("list")
@click.option("--owner", help="Only the bots of the account with this name.")
@asks_service
def list_bots(service: Service, owner: str | None) -> None:
    """List all bots that you may see, the newest first."""
    rows = list(service.client.bots(owner=owner))
    headings = ("id", "bot", "kind", "version", "visibility", "switched off")
    service.answer(
        {"items": rows},
        lambda: plain_console().print(
            table(
                headings,
                [
                    (
                        row["id"],
                        f"{row['owner']}/{row['name']}",
                        row["kind"],
                        row["active_version"],
                        row["visibility"],
                        "yes" if row["is_off"] else "",
                    )
                    for row in rows
                ],
            )
        ),
    )


@bot.command()
@click.argument("name", metavar="BOT")
@asks_service
def show(service: Service, name: str) -> None:
    """Show a bot; one of your own with its versions, and how the newest one qualified."""
    bot_id = service.bot_id(name)
    found = service.client.bot(bot_id)
    versions = _versions(service.client, bot_id)
    qualification = service.client.qualification(bot_id, versions[0]["number"]) if versions else None
    service.answer(
        {**found, "versions": versions, "qualification": qualification},
        lambda: _show_bot(found, versions, qualification),
    )


@bot.command()
@click.argument("name", metavar="BOT")
@_LIMIT
@asks_service
def log(service: Service, name: str, limit: int) -> None:
    """Show what one of your bots printed."""
    rows = list(islice(service.client.logs(service.bot_id(name)), limit))

    def shown() -> None:
        console = plain_console()
        for row in rows:
            where = "qualification" if row["event_id"] is None else f"event {row['event_id']}"
            title = (
                f"{row['created_at']}: version {row['version']}, {where}, from match {row['first_number']} on"
            )
            console.print(qualifications.log_panel(row["text"], f"{title}, seat {row['seat']}"))
        _tell_if_none(rows, "nothing was printed")

    service.answer({"items": rows}, shown)


@bot.command()
@click.argument("name", metavar="BOT")
@_LIMIT
@asks_service
def faults(service: Service, name: str, limit: int) -> None:
    """Show the faults of one of your bots with their evidence."""
    rows = list(islice(service.client.faults(service.bot_id(name)), limit))

    def shown() -> None:
        console = plain_console()
        for row in rows:
            title = f"{row['created_at']}: version {row['version']}, {row['game']}, match {row['match_id']}"
            console.print(qualifications.fault_panel(row, f"{title}, seat {row['seat']}, step {row['step']}"))
        _tell_if_none(rows, "no faults")

    service.answer({"items": rows}, shown)


@bot.command()
@click.argument("name", metavar="BOT")
@click.argument("version", type=click.IntRange(1))
@asks_service
def activate(service: Service, name: str, version: int) -> None:
    """Make a qualified VERSION of one of your bots the one that plays."""
    found = service.client.activate(service.bot_id(name), version)
    service.answer(found, lambda: click.echo(f"version {found['number']} plays from here on"))


@bot.command()
@click.argument("name", metavar="BOT")
@_SECRET_FILE
@asks_service
def secret(service: Service, name: str, secret_file: Path | None) -> None:
    """Give one of your endpoints another secret, shown this once; the one before ends."""
    if secret_file is not None:
        _require_writable(secret_file)
    found = service.client.rotate_secret(service.bot_id(name))
    if secret_file is not None:
        secret_file.write_text(found, encoding="utf-8")
    service.answer({"secret": found}, lambda: _tell_secret(found, secret_file))


def _submit_endpoint(
    service: Service, url: str, name: str | None, declared: dict[str, Any], secret_file: Path | None
) -> Json:
    """Submit an endpoint and keep its secret at once, since it is asked next."""
    if name is None:
        raise click.UsageError("--name is missing: an endpoint has no name of its own")
    if secret_file is not None:
        _require_writable(secret_file)
    sent = service.client.submit_endpoint(name, url, **declared)
    if secret_file is not None and sent["secret"] is not None:
        secret_file.write_text(sent["secret"], encoding="utf-8")
    return sent


def _require_writable(path: Path) -> None:
    """Find out before the submission whether a secret can be kept; UsageError when it cannot."""
    try:
        path.touch(mode=0o600)
        path.open("a").close()
    except OSError as error:
        raise click.UsageError(f"--secret-file {str(path)!r} cannot be written: {error.strerror}") from error


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise click.UsageError(f"{str(path)!r} cannot be read: {error.strerror}") from error


def _tell_submission(sent: Json, secret_file: Path | None) -> None:
    click.echo(f"{sent['owner']}/{sent['name']} version {sent['version']} ({sent['kind']}): {sent['state']}")
    click.echo(f"bot {sent['id']}, SHA-256 {sent['sha256']}")
    if sent["secret"] is not None:
        _tell_secret(sent["secret"], secret_file)


def _tell_secret(secret: str, secret_file: Path | None) -> None:
    kept = f"kept in {secret_file}" if secret_file else f"{secret} (it is shown this once)"
    click.echo(f"secret: {kept}")


def _qualified(client: Client, sent: Json) -> Json:
    """Return the qualification of a submission once it is decided, with a sign of life on a terminal."""
    console = Console(stderr=True)
    try:
        with console.status("waiting for its qualification ..."):
            while (found := client.qualification(sent["id"], sent["version"]))["state"] == "qualifying":
                time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        raise Left(f"left; `fudaba bot show {sent['owner']}/{sent['name']}` says how it went") from None
    return found


def _versions(client: Client, bot_id: str) -> list[Json]:
    """Return the newest versions of a bot; none of one whose versions are not for the caller to see."""
    try:
        return list(islice(client.versions(bot_id), NEWEST))
    except ApiError as error:
        if error.status not in (401, 403, 404):
            raise
        return []


def _show_qualification(console: Console, found: Json | None) -> None:
    if found is None:
        return
    console.print(f"version {found['version']}: {found['state']}")
    if found["report"] is not None:
        qualifications.show(console, found["report"])
    elif found["position"] is not None:
        console.print(f"{found['position']} versions come before it")


def _show_bot(found: Json, versions: list[Json], qualification: Json | None) -> None:
    console = plain_console()
    console.print(
        f"{found['owner']}/{found['name']}, {found['kind']}, {found['visibility']}: bot {found['id']}"
    )
    headings = ("version", "state", "plays", "games", "SHA-256 or URL", "created")
    rows = [
        (
            row["number"],
            row["state"],
            "yes" if row["is_active"] else "",
            ", ".join(row["games"]) or "all",
            row["url"] or row["sha256"][:16],
            row["created_at"],
        )
        for row in versions
    ]
    if rows:
        console.print(table(headings, rows))
    _show_qualification(console, qualification)


def _tell_if_none(rows: list[Json], text: str) -> None:
    if not rows:
        click.echo(text)
