"""Re-runs: what was played again, for everybody; organisers ask for it here, with a preview."""

from typing import Any
from uuid import UUID

import marshmallow as ma
from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from api.errors import InvalidInput, status_of
from api.pages import sessions
from api.pages.sessions import requires
from api.schemas.reruns import NewRerunSchema, choice_of
from engine.errors import FudabaError
from engine.policies import FaultCode
from store import audit, reruns, tournaments
from store.errors import BadRequest
from store.models.accounts import Role
from store.models.reruns import RerunState
from store.previews import Preview
from workers import dispatch, services

blueprint = Blueprint("reruns", __name__)

Answer = str | Response | tuple[str, int]
MOST_ROWS = 50


@blueprint.get("/tournaments/<uuid:tournament_id>/reruns")
def show(tournament_id: UUID) -> str:
    """Show the re-runs of a tournament, and to organisers the form for another one."""
    return _page(tournament_id)


@blueprint.post("/tournaments/<uuid:tournament_id>/reruns")
@requires(Role.ORGANISER)
def apply(tournament_id: UUID) -> Answer:
    """Have the matches of the form played again, or with `dry_run` only show what that does."""
    made = services.current()
    try:
        new = _chosen()
        if "dry_run" in request.form:
            with made.database.reading() as tx:
                preview = reruns.preview(tx, tournament_id, choice_of(new))
            return _page(tournament_id, preview=preview)
        with made.database.transaction() as tx:
            done = reruns.apply(tx, tournament_id, choice_of(new), new["reason"], made.clock())
            note = {"number": done.number, "matches": done.matches, "reason": done.reason}
            by = sessions.caller()
            audit.note(tx, by, "reruns.apply", made.clock(), tournament_id=tournament_id, **note)
            tx.after_commit(dispatch.tournament, tournament_id)
    except FudabaError as error:
        return _page(tournament_id, error=error), status_of(type(error))
    return redirect(url_for("pages.reruns.show", tournament_id=tournament_id), 303)


@blueprint.post("/tournaments/<uuid:tournament_id>/reruns/<int(max=2147483647):number>/undo")
@requires(Role.ORGANISER)
def undo(tournament_id: UUID, number: int) -> Response:
    """Let the results count again that a re-run took out."""
    made = services.current()
    with made.database.transaction() as tx:
        reruns.undo(tx, tournament_id, number, made.clock())
        by = sessions.caller()
        audit.note(tx, by, "reruns.undo", made.clock(), tournament_id=tournament_id, number=number)
        tx.after_commit(dispatch.tournament, tournament_id)
    return redirect(url_for("pages.reruns.show", tournament_id=tournament_id), 303)


def _page(tournament_id: UUID, *, preview: Preview | None = None, error: FudabaError | None = None) -> str:
    with services.current().database.reading() as tx:
        tournament = tournaments.get(tx, tournament_id)
        found = reruns.of_tournament(tx, tournament_id)
    standing = [rerun.number for rerun in found if rerun.state is not RerunState.UNDONE]
    return render_template(
        "reruns.html",
        tournament=tournament,
        reruns=found,
        undoable=max(standing, default=0),
        values=request.form,
        faults=[code.value for code in FaultCode],
        preview=preview,
        most_rows=MOST_ROWS,
        problem=error,
    )


def _chosen() -> dict[str, Any]:
    """Return the choice of the form as the API would take it; raises InvalidInput, BadRequest."""
    form = request.form
    data: dict[str, Any] = {"reason": form.get("reason", "").strip(), "set_aside": "set_aside" in form}
    for field in ("event", "entrant", "table"):
        if text := form.get(field, "").strip():
            data[field] = _number(text, field)
    data["numbers"] = [_number(text, "numbers") for text in form.get("numbers", "").replace(",", " ").split()]
    if code := form.get("fault"):
        data["fault"] = code
    try:
        loaded: dict[str, Any] = NewRerunSchema().load(data)
    except ma.ValidationError as error:
        raise InvalidInput(error.messages) from error
    return loaded


def _number(text: str, field: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise BadRequest(f"{field} is {text[:20]!r}; expected a whole number", field=field)
    return int(text)
