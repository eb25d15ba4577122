"""`fudaba match`: one match of a service, its result and its replay."""

import click

from api.client import Json
from api.commands.replay import STEPWISE, WHOSE, present
from api.commands.service import Service, asks_service
from api.commands.tables import plain_console, table
from engine.record import Record

_MATCH = click.argument("match_id", metavar="MATCH")


@click.group()
def match() -> None:
    """Show a finished match, by the id that `fudaba tournament matches` lists."""


@match.command()
@_MATCH
@asks_service
def show(service: Service, match_id: str) -> None:
    """Show who sat where and what came of it."""
    found = service.client.match(match_id)
    service.answer(found, lambda: _show(found))


@match.command()
@_MATCH
@WHOSE
@STEPWISE
@asks_service
def replay(service: Service, match_id: str, seat_name: str, is_stepwise: bool) -> None:
    """Show a match step by step; refused while its event is running, since its cards are hidden."""
    found = service.client.replay(match_id)
    present(Record.from_json(found["record"]), seat_name, is_stepwise=is_stepwise, is_json=service.is_json)


def _show(found: Json) -> None:
    console = plain_console()
    console.print(
        f"{found['game']}, deal {found['deal']}, rotation {found['rotation']}, {found['played_at']}"
    )
    seats = range(len(found["entrants"]))
    rows = [
        (seat, found["entrants"][seat], found["scores"][seat], found["places"][seat], found["points"][seat])
        for seat in seats
    ]
    console.print(table(("seat", "entrant", "score", "place", "points"), rows))
