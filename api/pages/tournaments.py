"""Tournaments: the list of all, and each with its progress and its standings over all events."""

from collections.abc import Collection
from functools import partial
from typing import Any
from uuid import UUID

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from api import paging, tables
from api.pages import charts, frame, plots, sessions
from api.tables import StandingsView
from store import access, ladders, podiums, tournaments, withdrawals
from store.database import Transaction
from store.models.tournaments import Entrant, Tournament, TournamentState
from workers import services

blueprint = Blueprint("tournaments", __name__)

ROWS_A_PAGE = 20
MOST_ROWS = 200
MOST_OWN_BOTS = 100


@blueprint.get("/tournaments")
def index() -> str:
    """List all tournaments, the newest first."""
    with services.current().database.reading() as tx:
        listed = partial(tournaments.page, tx)
        page = paging.by_moment(listed, request.args.get("after"), ROWS_A_PAGE)
        first = podiums.of_tournaments(tx, [row.id for row in page.items])
    return render_template("tournaments.html", page=page, first=first)


@blueprint.get("/tournaments/<uuid:tournament_id>")
def show(tournament_id: UUID) -> str | Response:
    """Show a tournament: how far it is, who leads and why, how it was drawn, and what can be downloaded.

    One that holds a season of a ladder is shown as that.
    """
    with services.current().database.reading() as tx:
        tournament = tournaments.get(tx, tournament_id)
        if tournament.is_season:
            return _to_ladder(tx, tournament_id)
        standings = tables.build(tx, tournament_id, None)
        own = _enterable(tx, tournament)
        withdrawn = withdrawals.of_tournament(tx, tournament_id)
    shown = live(tournament, standings)
    if request.args.get("part") == "live":
        return frame.part("tournament_parts.html", "live", shown)
    return render_template(
        "tournament.html",
        shown=shown,
        tournament=tournament,
        own=own,
        withdrawn=withdrawn,
        leaving=_leaving(tournament, {left.entrant for left in withdrawn}),
    )


def _to_ladder(tx: Transaction, tournament_id: UUID) -> Response:
    season = ladders.season_of(tx, tournament_id)
    assert season is not None, "every season belongs to a ladder"
    return redirect(url_for("pages.ladders.show", ladder_id=season.ladder_id, season=season.number))


def live(tournament: Tournament, standings: StandingsView) -> dict[str, Any]:
    """Return what changes on the page of a tournament while it is played."""
    overall = standings.overall or []
    return {
        "tournament": tournament,
        "is_over": tournaments.is_over(tournament),
        "matches": sum(event.matches for event in tournament.events),
        "played": sum(event.played for event in tournament.events),
        "events": standings.events,
        "rows": overall[:MOST_ROWS],
        "scale": plots.of_ratings(overall),
        "chart": charts.intervals(overall, title="Ratings over all events with their 95 % intervals"),
        "left_out": max(0, len(overall) - MOST_ROWS),
        "entrants": {entrant.number: entrant for entrant in tournament.entrants},
        "edition": standings.edition,
    }


def _leaving(tournament: Tournament, gone: Collection[int]) -> list[Entrant]:
    """Return the entrants that the viewer may withdraw."""
    account = sessions.viewer()
    if account is None or tournaments.is_over(tournament):
        return []
    is_draft = tournament.state is TournamentState.DRAFT
    return [
        entrant
        for entrant in tournament.entrants[:MOST_ROWS]
        if not entrant.filler
        and entrant.number not in gone
        and (sessions.is_organiser() or (is_draft and entrant.version.bot.owner_id == account.id))
    ]


def _enterable(tx: Transaction, tournament: Tournament) -> list[str]:
    """Return the names of the viewer's bots that could still enter a draft."""
    account = sessions.viewer()
    if account is None or tournament.state is not TournamentState.DRAFT:
        return []
    entered = {entrant.version.bot_id for entrant in tournament.entrants}
    own = access.page(tx, account, limit=MOST_OWN_BOTS, owner=account.name)
    return [
        f"{account.name}/{bot.name}" for bot in own if bot.id not in entered and bot.active_number is not None
    ]
