"""Accounts: one's own with its tokens, making one with an invitation, and making those of others."""

from functools import partial
from typing import Any
from uuid import UUID

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from api import paging
from api.errors import status_of
from api.pages import form_values, sessions
from api.pages.sessions import SIGNED_IN, requires
from api.schemas.accounts import NewAccountSchema, RegistrationSchema
from engine.errors import FudabaError
from store import accounts, registrations
from store.errors import Forbidden
from store.models.accounts import Role
from store.registrations import Request
from workers import services

blueprint = Blueprint("accounts", __name__)

Answer = str | Response | tuple[str, int]
TOKENS_A_PAGE = 20


@blueprint.get("/account")
@requires(*SIGNED_IN)
def show() -> str:
    """Show one's own account and its tokens, without their texts."""
    return _page()


@blueprint.post("/account/tokens")
@requires(*SIGNED_IN)
def issue() -> str:
    """Make another token of one's own; it is shown this once."""
    with services.current().database.transaction() as tx:
        _, text = accounts.issue_token(tx, sessions.caller().id, services.current().clock())
    return _shown_once(sessions.caller().name, text)


@blueprint.post("/account/tokens/<uuid:token_id>/rotate")
@requires(*SIGNED_IN)
def rotate(token_id: UUID) -> str:
    """End a token of one's own and make another one in its place, which is shown this once.

    A session that began with the token goes on with the other one.
    """
    caller, is_present = sessions.caller(), token_id == sessions.token_id()
    with services.current().database.transaction() as tx:
        _, text = accounts.rotate(tx, token_id, by=caller, now=services.current().clock())
    if is_present:
        sessions.sign_in(text)
    return _shown_once(caller.name, text)


@blueprint.post("/account/tokens/<uuid:token_id>/revoke")
@requires(*SIGNED_IN)
def revoke(token_id: UUID) -> Response:
    """End a token of one's own; a session that began with it ends as well."""
    with services.current().database.transaction() as tx:
        accounts.revoke(tx, token_id, by=sessions.caller(), now=services.current().clock())
    return redirect(url_for("pages.accounts.show"), 303)


@blueprint.post("/account/others")
@requires(Role.ORGANISER)
def create() -> Answer:
    """Make an account for somebody else; its token is shown this once."""
    wanted = {name: request.form.get(name, "") for name in ("name", "role")}
    try:
        text = _registered(form_values.loaded(NewAccountSchema(), wanted))
    except FudabaError as error:
        return _page(error), status_of(type(error))
    return _shown_once(wanted["name"], text)


@blueprint.get("/register")
def ask() -> str:
    """Show the form of an account of one's own."""
    return _form()


@blueprint.post("/register")
def register() -> Answer:
    """Make an account of one's own and sign in; its token is shown this once."""
    name = request.form.get("name", "").strip()
    wanted = {"name": name, "invitation": request.form.get("invitation", "").strip() or None}
    if sessions.viewer() is not None:
        raise Forbidden("whoever is signed in has an account")
    try:
        text = _registered(form_values.loaded(RegistrationSchema(), wanted))
    except FudabaError as error:
        return _form(error), status_of(type(error))
    sessions.sign_in(text)
    sessions.load_account()
    return _shown_once(name, text)


def _registered(wanted: dict[str, Any]) -> str:
    """Make an account, for oneself or as an organiser, and return the text of its token."""
    now, is_open = services.current().clock(), services.current().settings.open_registration
    asked = Request(name=wanted["name"], role=Role(wanted["role"]), invitation=wanted.get("invitation"))
    with services.current().database.transaction() as tx:
        account = registrations.register(tx, asked, sessions.viewer(), is_open=is_open, now=now)
        return accounts.issue_token(tx, account.id, now)[1]


def _page(problem: FudabaError | None = None) -> str:
    with services.current().database.reading() as tx:
        listed = partial(accounts.tokens, tx, sessions.caller().id)
        page = paging.by_moment(listed, request.args.get("after"), TOKENS_A_PAGE)
    return render_template(
        "account.html", page=page, present=sessions.token_id(), values=request.form, problem=problem
    )


def _form(problem: FudabaError | None = None) -> str:
    is_open = services.current().settings.open_registration
    return render_template("register.html", values=request.form, is_open=is_open, problem=problem)


def _shown_once(name: str, text: str) -> str:
    return render_template(
        "shown_once.html",
        heading=f"A token of {name}",
        meaning="Whoever has this token acts as this account, here and by the API.",
        text=text,
        next_path=url_for("pages.accounts.show"),
        next_label="To the account",
    )
