"""`fudaba tournament`: changes and withdrawals, and what is less often read: cross-tables, editions."""

from typing import Any

import click

from api.client import Json
from api.commands.service import Service, asks_service
from api.commands.tables import clean, plain_console, table

_WHICH = click.argument("which", metavar="TOURNAMENT")


@click.command()
@_WHICH
@click.option("--name", help="Another name.")
@click.option("--entries-close-at", metavar="TIME", help="Until when participants may enter; none: no limit.")
@click.option("--entries-per-owner", type=click.IntRange(1), help="How many bots of one participant.")
@click.option(
    "--weight", type=click.IntRange(1, 100), help="Its share of the workers; also while it is played."
)
@asks_service
def change(
    service: Service,
    which: str,
    name: str | None,
    entries_close_at: str | None,
    entries_per_owner: int | None,
    weight: int | None,
) -> None:
    """Change a draft, or the weight of one that is played; what is left out stays.

    TIME is such as 2026-12-24T18:00:00Z.
    """
    wanted: dict[str, Any] = {"name": name, "entries_per_owner": entries_per_owner, "weight": weight}
    given = {key: value for key, value in wanted.items() if value is not None}
    if entries_close_at is not None:
        given["entries_close_at"] = None if entries_close_at == "none" else entries_close_at
    found = service.client.change_tournament(service.tournament_id(which), **given)
    service.answer(found, lambda: click.echo(clean(f"{found['name']}: {_entries(found)}")))


@click.command()
@_WHICH
@click.argument("entrant", metavar="ENTRANT", type=click.IntRange(0))
@click.option(
    "--rule",
    type=click.Choice(("forfeit", "drop")),
    default="forfeit",
    show_default=True,
    help="forfeit: its matches so far count; drop: no match with it counts for anybody.",
)
@asks_service
def withdraw(service: Service, which: str, entrant: int, rule: str) -> None:
    """Take an ENTRANT (its number) out: from a draft at once, otherwise from the next block on."""
    left = service.client.withdraw(service.tournament_id(which), entrant, rule)
    service.answer(left, lambda: click.echo(clean(f"{left['name']} leaves")))


@click.command()
@_WHICH
@asks_service
def withdrawals(service: Service, which: str) -> None:
    """List who has left since the start, by which rule, and from which block of each event on."""
    rows = service.client.withdrawals(service.tournament_id(which))
    shown = [{**row, "from_blocks": _blocks(row["from_blocks"])} for row in rows]
    service.answer_rows(rows, ("entrant", "name", "rule", "from_blocks", "created_at"), shown)


@click.command()
@_WHICH
@click.option("--event", type=click.IntRange(0), default=0, show_default=True, help="Which, by its index.")
@asks_service
def crosstable(service: Service, which: str, event: int) -> None:
    """Show how every two entrants of an event did against each other: the share of the row's bot."""
    found = service.client.crosstable(service.tournament_id(which), event)
    service.answer(found, lambda: _show_crosstable(found))


@click.command()
@_WHICH
@click.option("--number", type=click.IntRange(1), help="Show the tables of this one.")
@asks_service
def editions(service: Service, which: str, number: int | None) -> None:
    """List the frozen final standings with their hashes, or show one."""
    tournament_id = service.tournament_id(which)
    if number is None:
        rows = service.client.editions(tournament_id)
        service.answer_rows(rows, ("number", "sha256", "created_at"))
        return
    found = service.client.edition(tournament_id, number)
    service.answer(found, lambda: _show_edition(found))


COMMANDS = (change, withdraw, withdrawals, crosstable, editions)


def _entries(found: Json) -> str:
    until = found["entries_close_at"] or "the start"
    each = found["entries_per_owner"]
    return f"entries until {until}, {each} of each participant, weight {found['weight']}"


def _blocks(from_blocks: Json) -> str:
    return ", ".join(f"event {event}: block {block}" for event, block in from_blocks.items())


def _show_crosstable(found: Json) -> None:
    shares = {(row["entrant"], row["opponent"]): row["share"] for row in found["meetings"]}
    order = [row["entrant"] for row in found["rows"]]
    rows = [
        (row["place"], row["name"], *(_share(shares.get((row["entrant"], other))) for other in order))
        for row in found["rows"]
    ]
    headings = ("place", "bot", *(f"#{row['place']}" for row in found["rows"]))
    plain_console().print(table(headings, rows, title=found["game"]))


def _share(share: float | None) -> str:
    return "" if share is None else f"{share:.2f}"


def _show_edition(found: Json) -> None:
    console = plain_console()
    console.print(f"edition {found['number']}, SHA-256 {found['sha256']}")
    for one in found["standings"]:
        columns = ("place", "entrant", "points", "matches", "faults")
        rows = [[row.get(name) for name in columns] for row in one["rows"]]
        console.print(table(columns, rows, title=f"event {one['event']}"))
