"""Ladders: the list of all, and each with its board, how ratings went, who plays now, and its seasons."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any
from uuid import UUID

from flask import Blueprint, render_template, request

from api import paging
from api.pages import charts, form_values, frame, plots, sessions
from api.pages.charts import Line
from store import access, boards, climbs, curves, ladders, members, overviews, pairings
from store.database import Transaction
from store.models.bots import Bot
from store.models.ladders import Ladder, LadderState, Member, Season, SeasonPhase
from store.overviews import Overview
from workers import services

blueprint = Blueprint("ladders", __name__)

LADDERS_A_PAGE = 20
MOST_LEADERS = 3
MOST_ROWS = 200
MOST_OWN_BOTS = 100
MOST_SEASONS = 12
MOVED_WITHIN = 20  # rounds
POINTS = 60
LATEST = 8
MATCHES_A_PAGE = 30


@blueprint.get("/ladders")
def index() -> str:
    """List all ladders, the newest first, with who leads."""
    with services.current().database.reading() as tx:
        listed = partial(ladders.page, tx)
        page = paging.by_moment(listed, request.args.get("after"), LADDERS_A_PAGE)
        first = leaders(tx, page.items)
    return render_template("ladders.html", page=page, first=first)


@blueprint.get("/ladders/<uuid:ladder_id>")
def show(ladder_id: UUID) -> str:
    """Show a ladder in its last season, or in that of the query."""
    number = form_values.number_of_query("season")
    with services.current().database.reading() as tx:
        overview = overviews.of_ladder(tx, ladder_id, services.current().clock())
        season = ladders.season(overview.ladder, number)
        shown = _live(tx, overview, season)
        if request.args.get("part") == "live":
            return frame.part("ladder_parts.html", "live", shown)
        entered = members.of_ladder(tx, ladder_id)
        return render_template(
            "ladder.html",
            shown=shown,
            ladder=overview.ladder,
            season=season,
            chart=_chart(tx, season, shown["rows"]),
            entered=entered,
            own=_own(tx, overview.ladder, entered),
            seasons=overview.ladder.seasons[: -MOST_SEASONS - 1 : -1],
        )


@blueprint.get("/ladders/<uuid:ladder_id>/matches")
def list_matches(ladder_id: UUID) -> str:
    """List the matches of a season that are in the ratings, the last first, with what they moved."""
    number, before = form_values.number_of_query("season"), paging.after_match(request.args.get("after"))
    with services.current().database.reading() as tx:
        ladder = ladders.get(tx, ladder_id)
        season = ladders.season(ladder, number)
        rows = climbs.page(tx, season, limit=MATCHES_A_PAGE + 1, before=before)
    page = paging.cut(rows, MATCHES_A_PAGE, lambda match: (match.round, match.number))
    return render_template("ladder_matches.html", ladder=ladder, season=season, page=page)


def leaders(tx: Transaction, listed: Sequence[Ladder]) -> dict[UUID, list[boards.Leader]]:
    """Return who leads each of these ladders in its last season."""
    last = {ladder.id: ladders.season(ladder).tournament_id for ladder in listed}
    found = boards.leaders(tx, list(last.values()), MOST_LEADERS)
    return {ladder_id: found.get(tournament_id, []) for ladder_id, tournament_id in last.items()}


def curve_lines(tx: Transaction, season: Season, rows: Sequence[tuple[UUID, str]]) -> list[Line]:
    """Return how the ratings of these bots (id and name) went in a season; without those that have none."""
    found = curves.of_bots(tx, season, [bot_id for bot_id, _ in rows], POINTS)
    return [
        Line(name=name, points=[(number, skill.order) for number, skill in found[bot_id]])
        for bot_id, name in rows
        if bot_id in found
    ]


def _live(tx: Transaction, overview: Overview, season: Season) -> dict[str, Any]:
    """Return what changes on the page of a ladder while it is played."""
    ladder = overview.ladder
    rows = boards.rows(tx, season)
    is_open = season.phase is SeasonPhase.OPEN
    shown = [asdict(row) for row in rows[:MOST_ROWS]]
    return {
        "overview": overview,
        "ladder": ladder,
        "season": season,
        "is_last": season is ladders.season(ladder),
        "is_open": is_open,
        "rows": shown,
        "left_out": len(rows) - len(shown),
        "scale": plots.of_ratings(shown),
        "climbed": curves.climbed(tx, season, rows, MOVED_WITHIN) if is_open and season.applied else {},
        "within": min(MOVED_WITHIN, season.applied),
        "playing": pairings.current(tx, season),
        "next_game": pairings.next_game(ladder, season),
        "next_at": pairings.next_at(ladder, season),
        "latest": climbs.page(tx, season, limit=LATEST),
    }


def _chart(tx: Transaction, season: Season, rows: Sequence[dict[str, Any]]) -> Any:
    """Return the plot of the ratings of the first on the board; None before they have played."""
    first = [(row["bot_id"], row["name"]) for row in rows[: charts.MOST_LINES]]
    drawn = curve_lines(tx, season, first)
    if not drawn:
        return None
    return charts.lines(
        drawn, title="How the ratings of the first went", x_title="Rounds", y_title="Skill − 3 × uncertainty"
    )


def _own(tx: Transaction, ladder: Ladder, entered: Sequence[Member]) -> list[Bot]:
    """Return the viewer's bots that could still enter a ladder."""
    account = sessions.viewer()
    if account is None or ladder.state is not LadderState.OPEN:
        return []
    on_it = {member.bot_id for member in entered}
    own = access.page(tx, account, limit=MOST_OWN_BOTS, owner=account.name)
    return [bot for bot in own if bot.id not in on_it and bot.active_number is not None]
