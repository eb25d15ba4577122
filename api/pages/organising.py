"""What is done with tournaments by forms: starting, cancelling, copying, entering and withdrawing bots."""

from collections.abc import Callable, Mapping
from uuid import UUID

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response

from api.pages import form_values, sessions
from api.pages.sessions import SIGNED_IN, requires
from api.schemas.tournaments import CloneSchema
from api.schemas.withdrawals import NewWithdrawalSchema
from store import access, audit, controls, tournaments, withdrawals
from store.database import Transaction
from store.errors import BadRequest
from store.models.accounts import Role
from workers import dispatch, services

blueprint = Blueprint("organising", __name__)


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
