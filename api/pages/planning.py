"""Planning a tournament with a form: what the API takes, tried before it is made."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from api.errors import status_of
from api.pages import form_values, sessions
from api.pages.limits import FIELDS
from api.pages.sessions import requires
from api.resources.tournaments import plan_of
from api.schemas.tournaments import NewTournamentSchema
from engine import games
from engine.errors import FudabaError
from engine.stopping import LEAST_SEPARATION, MOST_SEPARATION, MOST_TOP
from store import access, audit, tournaments
from store.entries import MOST_ENTRANTS
from store.models.accounts import Role
from store.plans import SCHEDULES
from store.shares import MOST_WEIGHT
from workers import services

blueprint = Blueprint("planning", __name__)

Answer = str | Response | tuple[str, int]
MOST_SUGGESTED = 200
MINUTES = len("2026-01-31T12:00")  # how browsers send a moment, which is in UTC here
BOUNDS = {
    "entries_per_owner": (1, MOST_ENTRANTS),
    "weight": (1, MOST_WEIGHT),
    "top": (1, MOST_TOP),
    "separation": (LEAST_SEPARATION, MOST_SEPARATION),
}
SEPARATION = "0.95"


@blueprint.get("/tournaments/new")
@requires(Role.ORGANISER)
def new() -> str:
    """Show the form of a new tournament."""
    return _form()


@blueprint.post("/tournaments/new")
@requires(Role.ORGANISER)
def create() -> Answer:
    """Make a draft of the plan, or with `dry_run` only show what would be played."""
    account, now = sessions.caller(), services.current().clock()
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


def _form(*, counts: Mapping[str, Any] | None = None, error: FudabaError | None = None) -> str:
    with services.current().database.reading() as tx:
        bots = access.page(tx, sessions.caller(), limit=MOST_SUGGESTED)
    entered = set(form_values.names(request.form.getlist("entrants")))
    return render_template(
        "new_tournament.html",
        values=request.form,
        games=games.all_games(),
        schedules=SCHEDULES,
        bounds=BOUNDS,
        separation=SEPARATION,
        limits=FIELDS,
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
        "events": form_values.settings("seats", "deals", "schedule"),
        "entrants": form_values.names([*request.form.getlist("entrants"), *listed]),
        "endpoint_teams": "endpoint_teams" in request.form,
        "endpoint_duplicates": "endpoint_duplicates" in request.form,
        "owners_apart": "owners_apart" in request.form,
        "limits": form_values.limits(),
        "secret_seed": request.form.get("secret_seed", "").strip() or None,
        **form_values.numbers("entries_per_owner", "weight"),
    }
    if closes := request.form.get("entries_close_at", "").strip():
        data["entries_close_at"] = f"{closes}:00Z" if len(closes) == MINUTES else closes
    if top := form_values.numbers("top"):
        separation = request.form.get("separation", "").strip() or SEPARATION
        data["stop"] = {**top, "separation": form_values.decimal(separation)}
    return form_values.loaded(NewTournamentSchema(), data)
