"""What organisers look at: how the service and its workers are, and the log of what was done."""

from uuid import UUID

from flask import Blueprint, render_template, request

from api import paging, readiness
from api.pages.sessions import requires
from store import audit, census, tournaments
from store.models.accounts import Role
from workers import services

blueprint = Blueprint("operating", __name__)

ENTRIES_A_PAGE = 50
LATEST = 8


@blueprint.get("/organise")
@requires(Role.ORGANISER)
def show() -> str:
    """Show what can be organised, whether the service can do its work, and what was done last."""
    current = services.current()
    with current.database.reading() as tx:
        found = census.take(tx, current.clock())
        latest = audit.page(tx, limit=LATEST)
    return render_template(
        "organise.html",
        problems=readiness.problems(current),
        workers=readiness.workers(current),
        census=found,
        latest=latest,
    )


@blueprint.get("/audit")
@requires(Role.ORGANISER)
def log() -> str:
    """List what was done, by whom and when, the newest first."""
    return _log(None)


@blueprint.get("/tournaments/<uuid:tournament_id>/audit")
@requires(Role.ORGANISER)
def tournament_log(tournament_id: UUID) -> str:
    """List what was done to one tournament."""
    return _log(tournament_id)


def _log(tournament_id: UUID | None) -> str:
    before = paging.after_number(request.args.get("after"))
    with services.current().database.reading() as tx:
        tournament = None if tournament_id is None else tournaments.get(tx, tournament_id)
        rows = audit.page(tx, limit=ENTRIES_A_PAGE + 1, tournament_id=tournament_id, before=before)
    page = paging.cut(rows, ENTRIES_A_PAGE, lambda row: (row.id,))
    return render_template("audit.html", tournament=tournament, page=page)
