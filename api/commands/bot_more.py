"""`fudaba bot`: changes to a bot, its end, and the source of a version."""

import sys
from pathlib import Path

import click

from api.client import Json
from api.commands.service import Service, asks_service
from api.commands.tables import clean

_BOT = click.argument("name", metavar="BOT")


@click.command()
@_BOT
@click.option("--visibility", type=click.Choice(("public", "private")), help="Who may know of it.")
@click.option("--off/--on", "is_off", default=None, help="Switch it off, so that it enters nothing, or on.")
@click.option("--game", "games", metavar="GAME", multiple=True, help="A game that it plays from here on.")
@click.option("--all-games", is_flag=True, help="It plays all games from here on.")
@asks_service
def change(
    service: Service,
    name: str,
    visibility: str | None,
    is_off: bool | None,
    games: tuple[str, ...],
    all_games: bool,
) -> None:
    """Change one of your bots; what is left out stays. For other games it has to qualify anew."""
    if games and all_games:
        raise click.UsageError("--game and --all-games exclude each other")
    wanted = list(games) if games or all_games else None
    found = service.client.change_bot(
        service.bot_id(name), visibility=visibility, is_off=is_off, games=wanted
    )
    service.answer(found, lambda: click.echo(clean(_line(found))))


@click.command()
@_BOT
@click.option("--yes", is_flag=True, help="Do not ask.")
@asks_service
def delete(service: Service, name: str, yes: bool) -> None:
    """Delete one of your bots for good; on a terminal it asks first. What it has played stays."""
    bot_id = service.bot_id(name)
    if not yes and sys.stdin.isatty():
        click.confirm(f"delete {name}? Its name is not given out again", abort=True, err=True)
    service.client.delete_bot(bot_id)
    service.answer({"id": bot_id}, lambda: click.echo("deleted"))


@click.command()
@_BOT
@click.argument("version", type=click.IntRange(1))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path, allow_dash=True))
@asks_service
def source(service: Service, name: str, version: int, file: Path) -> None:
    """Write the upload of a VERSION of one of your modules to FILE (- for standard output)."""
    content = service.client.source(service.bot_id(name), version)
    if str(file) == "-":
        sys.stdout.buffer.write(content)
        return
    try:
        file.write_bytes(content)
    except OSError as error:
        raise click.UsageError(f"{str(file)!r} cannot be written: {error.strerror}") from error
    service.answer(
        {"file": str(file), "bytes": len(content)},
        lambda: click.echo(f"wrote {len(content)} bytes to {file}"),
    )


COMMANDS = (change, delete, source)


def _line(found: Json) -> str:
    state = "off" if found["is_off"] else "on"
    plays = f"version {found['active_version']} plays"
    return f"{found['owner']}/{found['name']}: {found['visibility']}, {state}, {plays}"
