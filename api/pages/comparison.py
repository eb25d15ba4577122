"""Bots side by side: what they did in each game, against each other, and on the ladders that they share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from flask import Blueprint, render_template, request
from markupsafe import Markup

from api.pages import charts, form_values, sessions
from api.pages.events import Cell, cells
from api.pages.ladders import curve_lines
from store import access, bots, careers, duels, rungs
from store.careers import GameRecord
from store.database import Transaction
from store.errors import BadRequest, NotFound
from store.models.bots import Bot, Visibility
from store.models.ladders import Season
from store.rungs import Standing
from workers import services

blueprint = Blueprint("comparison", __name__)

MOST_BOTS = 6
MOST_CHARTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A ladder that several of the bots are on: where each stands, and how their ratings went."""

    season: Season
    standings: dict[UUID, Standing]
    chart: Markup | None


@blueprint.get("/bots/compare")
def show() -> str:
    """Compare the bots that the query names, two to MOST_BOTS of them; with fewer, ask for more."""
    named = form_values.names(request.args.getlist("bot"))
    if len(named) > MOST_BOTS:
        raise BadRequest(f"{len(named)} bots; expected at most {MOST_BOTS}", field="bot")
    with services.current().database.reading() as tx:
        compared = list({bot.id: bot for bot in (_seen(tx, name) for name in named)}.values())
        shown = _compared(tx, compared) if len(compared) > 1 else None
    names = {bot.id: f"{bot.owner.name}/{bot.name}" for bot in compared}
    return render_template("comparison.html", compared=compared, names=names, shown=shown, most=MOST_BOTS)


def _seen(tx: Transaction, reference: str) -> Bot:
    """Return a bot that the viewer may know of; raises NotFound."""
    bot, account = bots.by_reference(tx, reference), sessions.viewer()
    if account is not None:
        return access.seen(tx, bot.id, account)
    if bot.visibility is not Visibility.PUBLIC:
        raise NotFound(f"there is no bot {reference[:100]!r}")
    return bot


def _compared(tx: Transaction, compared: Sequence[Bot]) -> dict[str, Any]:
    ids = [bot.id for bot in compared]
    records: dict[UUID, dict[str, GameRecord]] = {
        bot_id: {record.game: record for record in careers.games(tx, bot_id)} for bot_id in ids
    }
    met: dict[str, dict[tuple[UUID, UUID], Cell]] = {
        game: cells(of_game) for game, of_game in duels.by_game(tx, ids).items()
    }
    return {
        "records": records,
        "games": sorted({game for of_bot in records.values() for game in of_bot}),
        "met": met,
        "shared": _shared(tx, compared),
    }


def _shared(tx: Transaction, compared: Sequence[Bot]) -> list[Shared]:
    """Return the ladders that at least two of the bots are on; the first ones with a plot."""
    of_season: dict[UUID, tuple[Season, dict[UUID, Standing]]] = {}
    for standing in rungs.of_bots(tx, [bot.id for bot in compared]):
        season = standing.season
        of_season.setdefault(season.tournament_id, (season, {}))[1][standing.bot_id] = standing
    several = [(season, found) for season, found in of_season.values() if len(found) > 1]
    return [
        Shared(
            season=season,
            standings=found,
            chart=_chart(tx, season, compared) if number < MOST_CHARTS else None,
        )
        for number, (season, found) in enumerate(several)
    ]


def _chart(tx: Transaction, season: Season, compared: Sequence[Bot]) -> Markup | None:
    drawn = curve_lines(tx, season, [(bot.id, f"{bot.owner.name}/{bot.name}") for bot in compared])
    if not drawn:
        return None
    return charts.lines(
        drawn,
        title=f"Ratings on {season.ladder.name}",
        x_title="Rounds",
        y_title="Skill − 3 × uncertainty",
    )
