"""What organisers do with forms: plan a tournament, try the plan, start it, cancel it; and entering bots."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

import marshmallow as ma
from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from api.errors import InvalidInput, status_of
from api.pages import sessions
from api.pages.sessions import requires
from api.resources.tournaments import plan_of
from api.schemas.tournaments import NewTournamentSchema
from engine import games
from engine.contract import Game
from engine.errors import FudabaError
from engine.options import OptionValue
from store import access, audit, controls, tournaments
from store.database import Transaction
from store.errors import BadRequest
from store.models.accounts import Account, Role
from store.plans import SCHEDULES
from workers import dispatch, services

blueprint = Blueprint("organising", __name__)

Answer = str | Response | tuple[str, int]
MOST_SUGGESTED = 200


@blueprint.get("/tournaments/new")
@requires(Role.ORGANISER)
def new() -> str:
    """Show the form of a new tournament."""
    return _form()


@blueprint.post("/tournaments/new")
@requires(Role.ORGANISER)
def create() -> Answer:
    """Make a draft of the plan, or with `dry_run` only show what would be played."""
    account, now = _caller(), services.current().clock()
    try:
        plan = plan_of(_planned())
        with services.current().database.transaction() as tx:
            if "dry_run" in request.form:
                return _form(counts=tournaments.dry_run(tx, plan))
            made = tournaments.create(tx, plan, organiser_id=account.id, now=now)
            audit.note(tx, account, "tournament.create", now, tournament_id=made.id, name=made.name)
    except FudabaError as error:
        return _form(error=error), status_of(type(error))
    return redirect(url_for("pages.tournaments.show", tournament_id=made.id), 303)


@blueprint.post("/tournaments/<uuid:tournament_id>/<any(start, pause, resume, cancel):action>")
@requires(Role.ORGANISER)
def act(tournament_id: UUID, action: str) -> Response:
    """Start, pause, resume or cancel a tournament."""
    now = services.current().clock()
    with services.current().database.transaction() as tx:
        _ACTIONS[action](tx, tournament_id)
        audit.note(tx, _caller(), f"tournament.{action}", now, tournament_id=tournament_id)
    return redirect(url_for("pages.tournaments.show", tournament_id=tournament_id), 303)


@blueprint.post("/tournaments/<uuid:tournament_id>/enter")
@requires(Role.ORGANISER, Role.PARTICIPANT)
def enter(tournament_id: UUID) -> Response:
    """Enter bots into a draft: participants their own ones."""
    names, account, now = _names(request.form.getlist("bots")), _caller(), services.current().clock()
    if not names:
        raise BadRequest("choose a bot to enter", field="bots")
    with services.current().database.transaction() as tx:
        access.require_enterable(tx, names, account)
        tournaments.enter(tx, tournament_id, names, account, now)
        audit.note(tx, account, "entrants.enter", now, tournament_id=tournament_id, bots=names)
    return redirect(url_for("pages.tournaments.show", tournament_id=tournament_id), 303)


def _start(tx: Transaction, tournament_id: UUID) -> None:
    made = services.current()
    tournaments.start(tx, tournament_id, made.clock(), made.settings.batch_seconds)
    tx.after_commit(dispatch.tournament, tournament_id)


def _pause(tx: Transaction, tournament_id: UUID) -> None:
    controls.pause(tx, tournament_id, services.current().clock())


def _resume(tx: Transaction, tournament_id: UUID) -> None:
    controls.resume(tx, tournament_id, services.current().clock())
    tx.after_commit(dispatch.tournament, tournament_id)


def _cancel(tx: Transaction, tournament_id: UUID) -> None:
    tournaments.cancel(tx, tournament_id, services.current().clock())


_ACTIONS: Mapping[str, Callable[[Transaction, UUID], None]] = {
    "start": _start,
    "pause": _pause,
    "resume": _resume,
    "cancel": _cancel,
}


def _caller() -> Account:
    account = sessions.viewer()
    assert account is not None, "nobody is let in here"
    return account


def _form(*, counts: Mapping[str, Any] | None = None, error: FudabaError | None = None) -> str:
    with services.current().database.reading() as tx:
        bots = access.page(tx, _caller(), limit=MOST_SUGGESTED)
    entered = set(_names(request.form.getlist("entrants")))
    return render_template(
        "new_tournament.html",
        values=request.form,
        games=games.all_games(),
        schedules=SCHEDULES,
        bots=[bot for bot in bots if bot.active_number is not None],
        entered=entered,
        is_new=request.method == "GET",
        counts=counts,
        problem=error,
        field=getattr(error, "field", None) or "",
    )


def _planned() -> dict[str, Any]:
    """Return the plan of the form as the API would take it; raises InvalidInput, BadRequest."""
    listed = request.form.get("more_entrants", "").replace(",", " ").split()
    data: dict[str, Any] = {
        "name": request.form.get("name", "").strip(),
        "events": [_event(game) for game in games.all_games() if game.id in request.form.getlist("games")],
        "entrants": _names([*request.form.getlist("entrants"), *listed]),
        "endpoint_teams": "endpoint_teams" in request.form,
        "endpoint_duplicates": "endpoint_duplicates" in request.form,
    }
    if not data["events"]:
        raise BadRequest("choose at least one game", field="events")
    try:
        loaded: dict[str, Any] = NewTournamentSchema().load(data)
    except ma.ValidationError as error:
        raise InvalidInput(error.messages) from error
    return loaded


def _event(game: Game) -> dict[str, Any]:
    """Return the event of a game: what is left empty gets its default."""
    form = request.form
    event: dict[str, Any] = {"game": game.id, "options": _options(game)}
    for field in ("seats", "deals"):
        if text := form.get(f"{game.id}.{field}", "").strip():
            event[field] = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else text
    if schedule := form.get(f"{game.id}.schedule"):
        event["schedule"] = schedule
    return event


def _options(game: Game) -> dict[str, OptionValue]:
    """Return the options of a game that the form sets."""
    values: dict[str, OptionValue] = {}
    for name, schema in game.options_schema()["properties"].items():
        text = request.form.get(f"{game.id}.option.{name}", "").strip()
        if text:
            values[name] = _value(schema, text)
    return values


def _value(schema: Mapping[str, Any], text: str) -> OptionValue:
    """Return an option's value of the kind that its schema asks for; the text itself when it is none."""
    kind = schema.get("type")
    if kind == "boolean":
        return text == "true"
    choices = {str(choice): choice for choice in schema.get("enum", ())}
    if text in choices:
        found: OptionValue = choices[text]
        return found
    return int(text) if kind == "integer" and text.isascii() and text.isdigit() and len(text) < 9 else text


def _names(texts: list[str]) -> list[str]:
    """Return the names that are given, each once, in order."""
    return list(dict.fromkeys(text.strip() for text in texts if text.strip()))
