"""What is done with ladders by forms: making one, entering and leaving it, ending a season, closing it."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from api.errors import status_of
from api.pages import form_values, sessions
from api.pages.limits import FIELDS
from api.pages.sessions import SIGNED_IN, requires
from api.resources.ladders import new_ladder_of
from api.schemas.ladders import NewLadderSchema
from engine import games
from engine.errors import FudabaError
from store import access, audit, ladders, members
from store.database import Transaction
from store.errors import BadRequest
from store.models.accounts import Role
from store.models.ladders import Ladder
from workers import services

blueprint = Blueprint("climbing", __name__)

Answer = str | Response | tuple[str, int]
_NUMBERS = ("deals", "round_seconds", "season_rounds", "closing_deals", "entries_per_owner", "weight")


@blueprint.get("/ladders/new")
@requires(Role.ORGANISER)
def new() -> str:
    """Show the form of a new ladder."""
    return _form()


@blueprint.post("/ladders/new")
@requires(Role.ORGANISER)
def create() -> Answer:
    """Make a ladder, whose first season begins at once."""
    account, now = sessions.caller(), services.current().clock()
    try:
        wanted = new_ladder_of(_planned())
        with services.current().database.transaction() as tx:
            made = ladders.create(tx, wanted, organiser_id=account.id, now=now)
            audit.note(tx, account, "ladder.create", now, ladder=str(made.id), name=made.name)
    except FudabaError as error:
        return _form(error), status_of(type(error))
    return _back(made.id)


@blueprint.post("/ladders/<uuid:ladder_id>/join")
@requires(*SIGNED_IN)
def join(ladder_id: UUID) -> Response:
    """Enter bots, which play with their active version: participants their own ones."""
    names = form_values.names(request.form.getlist("bots"))
    account, now = sessions.caller(), services.current().clock()
    if not names:
        raise BadRequest("choose a bot to enter", field="bots")
    with services.current().database.transaction() as tx:
        ladder = ladders.locked(tx, ladder_id)
        access.require_enterable(tx, names, account)
        members.join(tx, ladder, names, account, now)
        audit.note(tx, account, "ladder.join", now, ladder=str(ladder_id), bots=names)
    return _back(ladder_id)


@blueprint.post("/ladders/<uuid:ladder_id>/members/<uuid:bot_id>/leave")
@requires(*SIGNED_IN)
def leave(ladder_id: UUID, bot_id: UUID) -> Response:
    """Take a bot off: its owner and organisers may. What it has played stays."""
    account, now = sessions.caller(), services.current().clock()
    with services.current().database.transaction() as tx:
        ladders.get(tx, ladder_id)
        members.leave(tx, ladder_id, bot_id, account)
        audit.note(tx, account, "ladder.leave", now, ladder=str(ladder_id), bot=str(bot_id))
    return _back(ladder_id)


@blueprint.post("/ladders/<uuid:ladder_id>/<any(end_season, close):action>")
@requires(Role.ORGANISER)
def act(ladder_id: UUID, action: str) -> Response:
    """Let the present season end with its round, and with `close` no other begin."""
    account, now = sessions.caller(), services.current().clock()
    with services.current().database.transaction() as tx:
        _ACTIONS[action](tx, ladder_id)
        audit.note(tx, account, f"ladder.{action}", now, ladder=str(ladder_id))
    return _back(ladder_id)


_ACTIONS: Mapping[str, Callable[[Transaction, UUID], Ladder]] = {
    "end_season": ladders.end_season,
    "close": ladders.close,
}


def _planned() -> dict[str, Any]:
    """Return the ladder of the form as the API would take it; raises InvalidInput, BadRequest."""
    data: dict[str, Any] = {
        "name": request.form.get("name", "").strip(),
        "settings": form_values.settings("seats"),
        "limits": form_values.limits(),
        "secret_seed": request.form.get("secret_seed", "").strip() or None,
        **form_values.numbers(*_NUMBERS),
    }
    return form_values.loaded(NewLadderSchema(), data)


def _form(problem: FudabaError | None = None) -> str:
    return render_template(
        "new_ladder.html",
        values=request.form,
        games=games.all_games(),
        is_new=request.method == "GET",
        problem=problem,
        field=getattr(problem, "field", None) or "",
        limits=FIELDS,
        numbers=[NewLadderSchema().fields[name] for name in _NUMBERS],
    )


def _back(ladder_id: UUID) -> Response:
    return redirect(url_for("pages.ladders.show", ladder_id=ladder_id), 303)
