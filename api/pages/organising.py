"""What organisers do with forms: plan a tournament, try the plan, start it, cancel it; and entering bots."""

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from api.errors import status_of
from api.pages import form_values, sessions
from api.pages.sessions import SIGNED_IN, requires
from api.resources.tournaments import plan_of
from api.schemas.tournaments import CloneSchema, NewTournamentSchema
from api.schemas.withdrawals import NewWithdrawalSchema
from engine import games
from engine.errors import FudabaError
from store import access, audit, controls, tournaments, withdrawals
from store.database import Transaction
from store.errors import BadRequest
from store.models.accounts import Role
from store.plans import SCHEDULES
from workers import dispatch, services

blueprint = Blueprint("organising", __name__)

Answer = str | Response | tuple[str, int]
MOST_SUGGESTED = 200
MINUTES = len("2026-01-31T12:00")  # how browsers send a moment, which is in UTC here
STOP_SEPARATION = 0.95


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


@blueprint.post("/tournaments/<uuid:tournament_id>/<any(start, pause, resume, cancel):action>")
@requires(Role.ORGANISER)
def act(tournament_id: UUID, action: str) -> Response:
    """Start, pause, resume or cancel a tournament."""
    now = services.current().clock()
    with services.current().database.transaction() as tx:
        _ACTIONS[action](tx, tournament_id)
        audit.note(tx, sessions.caller(), f"tournament.{action}", now, tournament_id=tournament_id)
    return redirect(url_for("pages.tournaments.show", tournament_id=tournament_id), 303)


@blueprint.post("/tournaments/<uuid:tournament_id>/enter")
@requires(*SIGNED_IN)
def enter(tournament_id: UUID) -> Response:
    """Enter bots into a draft: participants their own ones."""
    names, account, now = (
        form_values.names(request.form.getlist("bots")),
        sessions.caller(),
        services.current().clock(),
    )
    if not names:
        raise BadRequest("choose a bot to enter", field="bots")
    with services.current().database.transaction() as tx:
        access.require_enterable(tx, names, account)
        tournaments.enter(tx, tournament_id, names, account, now)
        audit.note(tx, account, "entrants.enter", now, tournament_id=tournament_id, bots=names)
    return redirect(url_for("pages.tournaments.show", tournament_id=tournament_id), 303)


@blueprint.post("/tournaments/<uuid:tournament_id>/withdraw")
@requires(*SIGNED_IN)
def withdraw(tournament_id: UUID) -> Response:
    """Withdraw an entrant: its owner from a draft, an organiser also from a tournament that has started."""
    form = {name: request.form.get(name, "") for name in ("entrant", "rule")}
    account, now = sessions.caller(), services.current().clock()
    wanted = form_values.loaded(
        NewWithdrawalSchema(), {**form, "entrant": form_values.number(form["entrant"])}
    )
    with services.current().database.transaction() as tx:
        left = withdrawals.withdraw(tx, tournament_id, wanted["entrant"], wanted["rule"], account, now)
        rule = None if left.rule is None else left.rule.value
        audit.note(
            tx, account, "entrants.withdraw", now, tournament_id=tournament_id, name=left.name, rule=rule
        )
    return redirect(url_for("pages.tournaments.show", tournament_id=tournament_id), 303)


@blueprint.post("/tournaments/<uuid:tournament_id>/clone")
@requires(Role.ORGANISER)
def clone(tournament_id: UUID) -> Response:
    """Make a draft with the events and rules of a tournament, and a secret of its own."""
    data = {"name": request.form.get("name", "").strip() or None, "with_entrants": "entrants" in request.form}
    how = form_values.loaded(CloneSchema(), data)
    account, now = sessions.caller(), services.current().clock()
    with services.current().database.transaction() as tx:
        made = controls.clone(tx, tournament_id, **how, organiser_id=account.id, now=now)
        origin = str(tournament_id)
        audit.note(tx, account, "tournament.clone", now, tournament_id=made.id, name=made.name, origin=origin)
    return redirect(url_for("pages.tournaments.show", tournament_id=made.id), 303)


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


def _form(*, counts: Mapping[str, Any] | None = None, error: FudabaError | None = None) -> str:
    with services.current().database.reading() as tx:
        bots = access.page(tx, sessions.caller(), limit=MOST_SUGGESTED)
    entered = set(form_values.names(request.form.getlist("entrants")))
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
        "events": form_values.settings("seats", "deals", "schedule"),
        "entrants": form_values.names([*request.form.getlist("entrants"), *listed]),
        "endpoint_teams": "endpoint_teams" in request.form,
        "endpoint_duplicates": "endpoint_duplicates" in request.form,
        **form_values.numbers("entries_per_owner", "weight"),
    }
    if closes := request.form.get("entries_close_at", "").strip():
        data["entries_close_at"] = f"{closes}:00Z" if len(closes) == MINUTES else closes
    if top := form_values.numbers("top"):
        data["stop"] = {**top, "separation": STOP_SEPARATION}
    return form_values.loaded(NewTournamentSchema(), data)
