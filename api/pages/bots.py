"""Bots: what each has done, and for its owner how it was tried out, what went wrong and what it printed."""

from functools import partial
from io import BytesIO
from typing import Any
from uuid import UUID

from flask import Blueprint, redirect, render_template, request, send_file, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response

from api import paging
from api.pages import charts, form_values, sessions
from api.pages.charts import Line
from api.pages.ladders import POINTS
from api.pages.sessions import SIGNED_IN, requires
from api.schemas.bots import BotChangeSchema
from store import access, bots, careers, curves, evidence, rungs
from store.database import Transaction
from store.errors import NotFound
from store.models.bots import Bot, Version, VersionState, Visibility
from store.models.ladders import Season
from workers import services

blueprint = Blueprint("bots", __name__)

BOTS_A_PAGE = 40
MOST_RIVALS = 30
MOST_ENTRIES = 15
MOST_VERSIONS = 20
MOST_LADDERS = 10
FAULTS_A_PAGE = 20
LOGS_A_PAGE = 10


@blueprint.get("/bots")
@requires(*SIGNED_IN)
def index() -> str:
    """List the bots that the viewer may know of, or with `own` the viewer's."""
    account = sessions.caller()
    own = account.name if "own" in request.args else None
    with services.current().database.reading() as tx:
        listed = partial(access.page, tx, account, owner=own)
        page = paging.by_moment(listed, request.args.get("after"), BOTS_A_PAGE)
    return render_template("bots.html", page=page, own=own)


@blueprint.get("/bots/<uuid:bot_id>")
def show(bot_id: UUID) -> str:
    """Show a bot; its versions, faults and logs to its owner and organisers alone."""
    with services.current().database.reading() as tx:
        bot, standings = _seen(tx, bot_id), rungs.of_bots(tx, [bot_id])
        public = {
            "bot": bot,
            "games": careers.games(tx, bot_id),
            "rivals": careers.rivals(tx, bot_id, MOST_RIVALS),
            "entries": careers.entries(tx, bot_id, MOST_ENTRIES),
            "versions": bots.versions(tx, bot_id, limit=MOST_VERSIONS),
            "standings": standings[:MOST_LADDERS],
            "chart": _chart(tx, standings[0].season, bot_id) if standings else None,
        }
        inside = _inside(tx, bot) if _may_look_inside(bot) else None
    is_waiting = inside is not None and any(row["position"] is not None for row in inside["versions"])
    return render_template("bot.html", **public, inside=inside, is_waiting=is_waiting, is_own=_is_own(bot))


@blueprint.get("/bots/<uuid:bot_id>/versions/<int(max=2147483647):number>/source")
@requires(*SIGNED_IN)
def source(bot_id: UUID, number: int) -> Response:
    """Send the file that a version was made from to its owner and organisers, to be saved."""
    with services.current().database.reading() as tx:
        access.private(tx, bot_id, sessions.caller())
        found = bots.source(tx, bot_id, number)
    kind = "application/zip" if found.filename.endswith(".zip") else "text/plain"
    return send_file(BytesIO(found.content), kind, as_attachment=True, download_name=found.filename)


@blueprint.post("/bots/<uuid:bot_id>/activate")
@requires(*SIGNED_IN)
def activate(bot_id: UUID) -> Response:
    """Let another version of one's own bot play from here on."""
    account = sessions.caller()
    number = form_values.number(request.form.get("number", ""))
    if not isinstance(number, int):
        raise NotFound(f"the bot has no version {number[:20]!r}")
    with services.current().database.transaction() as tx:
        access.owned(tx, bot_id, account)
        bots.activate(tx, bot_id, number)
    return redirect(url_for("pages.bots.show", bot_id=bot_id), 303)


@blueprint.post("/bots/<uuid:bot_id>/change")
@requires(*SIGNED_IN)
def change(bot_id: UUID) -> Response:
    """Hide one's own bot or show it, switch it off or on."""
    data: dict[str, Any] = {name: request.form[name] for name in ("visibility",) if name in request.form}
    if "is_off" in request.form:
        data["is_off"] = request.form["is_off"] == "true"
    wanted = form_values.loaded(BotChangeSchema(exclude=("games",)), data)
    with services.current().database.transaction() as tx:
        access.change(tx, access.locked(tx, bot_id, sessions.caller()), **wanted)
    return redirect(url_for("pages.bots.show", bot_id=bot_id), 303)


@blueprint.post("/bots/<uuid:bot_id>/secret")
@requires(*SIGNED_IN)
def rotate_secret(bot_id: UUID) -> str:
    """Give one's own endpoint another secret, which is shown this once; the one before ends."""
    with services.current().database.transaction() as tx:
        bot = access.owned(tx, bot_id, sessions.caller())
        text = bots.rotate_secret(tx, bot)
    return render_template(
        "shown_once.html",
        heading=f"The secret of {bot.name}",
        meaning="Requests to your endpoint are signed with this secret; the one before has ended.",
        text=text,
        next_path=url_for("pages.bots.show", bot_id=bot_id),
        next_label="Back to the bot",
    )


def _seen(tx: Transaction, bot_id: UUID) -> Bot:
    """Return a bot that the viewer may know of; raises NotFound."""
    account = sessions.viewer()
    if account is not None:
        return access.seen(tx, bot_id, account)
    bot = bots.get(tx, bot_id)
    if bot.visibility is not Visibility.PUBLIC:
        raise NotFound(f"there is no bot {bot_id}")
    return bot


def _chart(tx: Transaction, season: Season, bot_id: UUID) -> Markup | None:
    """Return the plot of how the rating of a bot went in a season; None before it has played."""
    curve = curves.of_bots(tx, season, [bot_id], POINTS).get(bot_id)
    if curve is None:
        return None
    skill = Line(name="skill", points=[(number, skill.mu) for number, skill in curve])
    sure = Line(name="skill less three times its uncertainty", points=[(n, one.order) for n, one in curve])
    title = f"Rating on {season.ladder.name}"
    return charts.lines([skill, sure], title=title, x_title="Rounds", y_title="Skill")


def _is_own(bot: Bot) -> bool:
    account = sessions.viewer()
    return account is not None and account.id == bot.owner_id


def _may_look_inside(bot: Bot) -> bool:
    return _is_own(bot) or sessions.is_organiser()


def _inside(tx: Transaction, bot: Bot) -> dict[str, Any]:
    """Return what only the owner and organisers see."""
    after = paging.after_fault(request.args.get("faults_after"))
    before = paging.after_number(request.args.get("logs_after"))
    faults = evidence.faults(tx, bot.id, limit=FAULTS_A_PAGE + 1, after=after)
    logs = evidence.logs(tx, bot.id, limit=LOGS_A_PAGE + 1, before=before)
    return {
        "versions": [_version(tx, version) for version in bots.versions(tx, bot.id, limit=MOST_VERSIONS)],
        "faults": paging.cut(faults, FAULTS_A_PAGE, _place_of_fault),
        "logs": paging.cut(logs, LOGS_A_PAGE, lambda row: (row.id,)),
    }


def _place_of_fault(fault: evidence.FaultView) -> tuple[paging.Key, ...]:
    place = fault.place
    return (place.created_at, place.event_id, place.number, place.step)


def _version(tx: Transaction, version: Version) -> dict[str, Any]:
    """Return a version with its place in the queue and what its qualification found."""
    return {
        "version": version,
        "is_active": version.number == version.bot.active_number,
        "can_play": version.state is VersionState.QUALIFIED,
        "position": bots.waiting_before(tx, version),
        "report": version.report,
    }
