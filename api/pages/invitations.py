"""Invitations: what organisers hand out so that others can make accounts of their own."""

from functools import partial
from uuid import UUID

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from api import paging
from api.errors import status_of
from api.pages import form_values, sessions
from api.pages.sessions import requires
from api.schemas.accounts import NewInvitationSchema
from engine.errors import FudabaError
from store import audit, invitations
from store.models.accounts import Role
from workers import services

blueprint = Blueprint("invitations", __name__)

Answer = str | Response | tuple[str, int]
INVITATIONS_A_PAGE = 30


@blueprint.get("/invitations")
@requires(Role.ORGANISER)
def index() -> str:
    """List the invitations, without their texts, the newest first."""
    return _page()


@blueprint.post("/invitations")
@requires(Role.ORGANISER)
def create() -> Answer:
    """Make an invitation, whose text is shown this once."""
    by, now = sessions.caller(), services.current().clock()
    try:
        new = form_values.loaded(NewInvitationSchema(), form_values.numbers("uses", "days"))
    except FudabaError as error:
        return _page(error), status_of(type(error))
    with services.current().database.transaction() as tx:
        invitation, text = invitations.invite(tx, by, **new, now=now)
        audit.note(tx, by, "invitation.create", now, invitation=str(invitation.id), **new)
    return render_template(
        "shown_once.html",
        heading="An invitation",
        meaning="Whoever has it makes an account at the page “Make an account”.",
        text=text,
        next_path=url_for("pages.invitations.index"),
        next_label="All invitations",
    )


@blueprint.post("/invitations/<uuid:invitation_id>/revoke")
@requires(Role.ORGANISER)
def revoke(invitation_id: UUID) -> Response:
    """End an invitation; accounts that were made with it stay."""
    by, now = sessions.caller(), services.current().clock()
    with services.current().database.transaction() as tx:
        invitations.revoke(tx, invitation_id, now)
        audit.note(tx, by, "invitation.revoke", now, invitation=str(invitation_id))
    return redirect(url_for("pages.invitations.index"), 303)


def _page(problem: FudabaError | None = None) -> str:
    with services.current().database.reading() as tx:
        listed = partial(invitations.page, tx)
        page = paging.by_moment(listed, request.args.get("after"), INVITATIONS_A_PAGE)
    return render_template(
        "invitations.html",
        page=page,
        now=services.current().clock(),
        values=request.form,
        problem=problem,
        fields=NewInvitationSchema().fields,
    )
