"""Events of a tournament: standings with their reasons, who beat whom, how fair the schedule is, matches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar
from uuid import UUID

from flask import Blueprint, render_template, request

from api import paging, tables
from api.pages import charts, form_values, frame, plots
from api.pages.tournaments import MOST_ROWS
from store import crosstable, matches, names, seating, tournaments
from store.errors import NotFound
from store.models.tournaments import Event
from workers import services

blueprint = Blueprint("events", __name__)

MOST_IN_CROSSTABLE = 24
MOST_CHECKED = 300  # entrants; beyond, counting every pair would take the page too long
MATCHES_A_PAGE = 30
SHADES = 10

Of = TypeVar("Of", int, UUID)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one entrant did against another; `shade` is 0 (lost all) to SHADES (won all)."""

    share: Fraction
    matches: int
    shade: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """How many matches each two entrants, and each entrant on each side, have: least and most."""

    tables: int
    blocks: int
    pairs: tuple[int, int] | None
    sides: tuple[int, int] | None


@blueprint.get("/tournaments/<uuid:tournament_id>/events/<int(max=99999):index>")
def show(tournament_id: UUID, index: int) -> str:
    """Show one event."""
    with services.current().database.reading() as tx:
        tournament = tournaments.get(tx, tournament_id)
        table = tables.build(tx, tournament_id, index).events[0]
        event = tournament.events[index]
        rows = table.rows[:MOST_ROWS]
        crossed = [row["entrant"] for row in rows[:MOST_IN_CROSSTABLE]]
        met = cells(crosstable.of_event(tx, event.id, crossed))
    shown = {
        "tournament": tournament,
        "event": event,
        "table": table,
        "rows": rows,
        "scale": plots.of_ratings(table.rows),
        "chart": charts.intervals(table.rows, title="Ratings with their 95 % intervals"),
        "left_out": len(table.rows) - len(rows),
        "entrants": {entrant.number: entrant for entrant in tournament.entrants},
        "crossed": crossed,
        "cells": met,
    }
    if request.args.get("part") == "live":
        return frame.part("event_parts.html", "live", shown)
    return render_template("event.html", shown=shown, tournament=tournament, facts=_facts(event))


@blueprint.get("/tournaments/<uuid:tournament_id>/events/<int(max=99999):index>/matches")
def list_matches(tournament_id: UUID, index: int) -> str:
    """List the matches of an event, all or those of one entrant."""
    entrant = form_values.number_of_query("entrant")
    after = paging.after_match(request.args.get("after"))
    with services.current().database.reading() as tx:
        tournament = tournaments.get(tx, tournament_id)
        if index >= len(tournament.events):
            raise NotFound(f"the tournament has no event {index}")
        rows = matches.page(
            tx, tournament_id, event_index=index, entrant=entrant, after=after, limit=MATCHES_A_PAGE + 1
        )
        page = paging.cut(rows, MATCHES_A_PAGE, lambda match: (match.event_index, match.number))
        named = names.of_entrants(tx, tournament_id, {n for match in page.items for n in match.table})
    return render_template(
        "matches.html",
        tournament=tournament,
        event=tournament.events[index],
        page=page,
        named=named,
        entrant=entrant,
    )


def cells(meetings: Mapping[tuple[Of, Of], tuple[int, Fraction]]) -> dict[tuple[Of, Of], Cell]:
    """Return what is drawn of meetings: of entrants by number, or of bots by id."""
    return {
        pair: Cell(share=share, matches=count, shade=round(share * SHADES))
        for pair, (count, share) in meetings.items()
    }


def _facts(event: Event) -> Facts | None:
    """Return how balanced the schedule is; None before the start."""
    if not event.field:
        return None
    schedule = seating.schedule_of(event)
    is_small = schedule.entrants <= MOST_CHECKED
    return Facts(
        tables=schedule.tables,
        blocks=schedule.blocks,
        pairs=_off_diagonal(schedule.pair_counts()) if is_small else None,
        sides=_least_and_most(schedule.seat_counts()) if is_small else None,
    )


def _least_and_most(counts: Any) -> tuple[int, int]:
    return int(counts.min()), int(counts.max())


def _off_diagonal(counts: Any) -> tuple[int, int]:
    """Return the least and the most of what two different entrants have."""
    values: Sequence[int] = [
        int(counts[i, j]) for i in range(len(counts)) for j in range(len(counts)) if i != j
    ]
    return min(values), max(values)
