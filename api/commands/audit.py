"""`fudaba audit`: what organisers did."""

from itertools import islice

import click

from api.client import Json
from api.commands.service import Service, asks_service


@click.command()
@click.option("--tournament", "which", metavar="TOURNAMENT", help="Only what was done to this one.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many.")
@asks_service
def audit(service: Service, which: str | None, limit: int) -> None:
    """List what was done, by whom and when, the newest first; for organisers."""
    tournament_id = None if which is None else service.tournament_id(which)
    rows = list(islice(service.client.audit(tournament_id), limit))
    shown: list[Json] = [{**row, "detail": _in_words(row["detail"])} for row in rows]
    service.answer_rows(rows, ("at", "by", "action", "tournament_id", "detail"), shown)


def _in_words(detail: Json) -> str:
    return ", ".join(f"{name}={value}" for name, value in detail.items())
