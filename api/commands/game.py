"""`fudaba game`: the games of a service, their options and notation."""

import json

import click

from api.client import Json
from api.commands.service import Service, asks_service
from api.commands.tables import clean, plain_console, table


@click.group()
def game() -> None:
    """List the games, and show the options and the notation of one."""


@game.command("list")
@asks_service
def list_games(service: Service) -> None:
    """List the games."""
    service.answer_rows(service.client.games(), ("id", "title", "seats", "default_seats", "summary"))


@game.command()
@click.argument("game_id", metavar="GAME")
@asks_service
def show(service: Service, game_id: str) -> None:
    """Show a game: its options, and how its actions and cards are written."""
    found = service.client.game(game_id)
    service.answer(found, lambda: _show(found))


def _show(found: Json) -> None:
    console = plain_console()
    seats = " ".join(map(str, found["seats"]))
    console.print(clean(f"{found['title']}: {found['summary']}"))
    console.print(f"seats {seats}, {found['default_seats']} by default")
    options = found["options_schema"].get("properties", {})
    rows = [
        (name, json.dumps(option.get("default")), option.get("description"))
        for name, option in options.items()
    ]
    console.print(table(("option", "default", "meaning"), rows))
    console.print(table(("form", "meaning"), [(row["form"], row["meaning"]) for row in found["notation"]]))
