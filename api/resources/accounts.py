"""Accounts and tokens."""

from functools import partial
from typing import Any
from uuid import UUID

from flask.views import MethodView

from api import auth, paging
from api.auth import SIGNED_IN, requires, welcomes_anybody
from api.blueprints import Blueprint
from api.paging import Page
from api.schemas.accounts import (
    AccountSchema,
    CreatedAccountSchema,
    InvitationPageSchema,
    InvitationSchema,
    IssuedInvitationSchema,
    IssuedTokenSchema,
    NewInvitationSchema,
    NewTokenSchema,
    RegistrationSchema,
    TokenPageSchema,
)
from api.schemas.fields import PageQuerySchema
from store import accounts, audit, invitations, registrations
from store.errors import Forbidden
from store.models.accounts import Account, Invitation, Role, Token
from store.registrations import Request
from workers import services

blueprint = Blueprint("accounts", "Who owns bots and who organises")


def issued(token: Token, text: str) -> dict[str, Any]:
    """Return what IssuedTokenSchema shows."""
    return {"id": token.id, "account_id": token.account_id, "token": text, "created_at": token.created_at}


@blueprint.resource("/accounts")
class Accounts(MethodView):
    """All accounts."""

    @welcomes_anybody
    @blueprint.takes(RegistrationSchema)
    @blueprint.answers(201, CreatedAccountSchema)
    @blueprint.problems(409)
    def post(self, new: dict[str, Any]) -> dict[str, Any]:
        """Create an account, with a token that is shown this once.

        Organisers create any account. Others send no token and make their own, as participants: with an
        invitation, or without one where the operator has opened registration.
        """
        now, is_open = services.current().clock(), services.current().settings.open_registration
        wanted = Request(name=new["name"], role=Role(new["role"]), invitation=new["invitation"])
        with services.current().database.transaction() as tx:
            account = registrations.register(tx, wanted, auth.caller_if_any(), is_open=is_open, now=now)
            token, text = accounts.issue_token(tx, account.id, now)
        return {"account": account, "token_id": token.id, "token": text}


@blueprint.resource("/accounts/me")
class Me(MethodView):
    """The account that asks."""

    @requires(*SIGNED_IN)
    @blueprint.answers(200, AccountSchema)
    def get(self) -> Account:
        """Show the account that the token belongs to."""
        return auth.caller()


@blueprint.resource("/tokens")
class Tokens(MethodView):
    """All tokens."""

    @requires(*SIGNED_IN)
    @blueprint.takes(PageQuerySchema, "query")
    @blueprint.answers(200, TokenPageSchema)
    def get(self, query: dict[str, Any]) -> Page[Token]:
        """List one's own tokens, without their texts, the newest first."""
        with services.current().database.reading() as tx:
            listed = partial(accounts.tokens, tx, auth.caller().id)
            return paging.by_moment(listed, query["cursor"], query["limit"])

    @requires(*SIGNED_IN)
    @blueprint.takes(NewTokenSchema)
    @blueprint.answers(201, IssuedTokenSchema)
    @blueprint.problems(404)
    def post(self, new: dict[str, Any]) -> dict[str, Any]:
        """Make another token: one's own, or as an organiser anybody's."""
        account_id = new["account_id"] or auth.caller().id
        if account_id != auth.caller().id and auth.caller().role is not Role.ORGANISER:
            raise Forbidden("only organisers make tokens of other accounts")
        with services.current().database.transaction() as tx:
            token, text = accounts.issue_token(tx, account_id, services.current().clock())
        return issued(token, text)


@blueprint.resource("/tokens/<uuid:token_id>")
class OneToken(MethodView):
    """One token."""

    @requires(*SIGNED_IN)
    @blueprint.answers(204)
    @blueprint.problems(404)
    def delete(self, token_id: UUID) -> None:
        """Revoke a token: one's own, or as an organiser anybody's. Again changes nothing."""
        with services.current().database.transaction() as tx:
            accounts.revoke(tx, token_id, by=auth.caller(), now=services.current().clock())


@blueprint.resource("/tokens/<uuid:token_id>/rotate")
class Rotation(MethodView):
    """The successor of a token."""

    @requires(*SIGNED_IN)
    @blueprint.answers(201, IssuedTokenSchema)
    @blueprint.problems(404)
    def post(self, token_id: UUID) -> dict[str, Any]:
        """End a token and make another one in its place: one's own, or as an organiser anybody's."""
        with services.current().database.transaction() as tx:
            token, text = accounts.rotate(tx, token_id, by=auth.caller(), now=services.current().clock())
        return issued(token, text)


@blueprint.resource("/invitations")
class Invitations(MethodView):
    """All invitations."""

    @requires(Role.ORGANISER)
    @blueprint.takes(PageQuerySchema, "query")
    @blueprint.answers(200, InvitationPageSchema)
    def get(self, query: dict[str, Any]) -> Page[Invitation]:
        """List the invitations, without their texts, the newest first."""
        with services.current().database.reading() as tx:
            listed = partial(invitations.page, tx)
            return paging.by_moment(listed, query["cursor"], query["limit"])

    @requires(Role.ORGANISER)
    @blueprint.takes(NewInvitationSchema)
    @blueprint.answers(201, IssuedInvitationSchema)
    def post(self, new: dict[str, Any]) -> dict[str, Any]:
        """Make an invitation, whose text is shown this once; whoever has it can make an account."""
        by, now = auth.caller(), services.current().clock()
        with services.current().database.transaction() as tx:
            invitation, text = invitations.invite(tx, by, **new, now=now)
            audit.note(tx, by, "invitation.create", now, invitation=str(invitation.id), **new)
        return {name: getattr(invitation, name) for name in InvitationSchema().fields} | {"invitation": text}


@blueprint.resource("/invitations/<uuid:invitation_id>")
class OneInvitation(MethodView):
    """One invitation."""

    @requires(Role.ORGANISER)
    @blueprint.answers(204)
    @blueprint.problems(404)
    def delete(self, invitation_id: UUID) -> None:
        """End an invitation; again changes nothing."""
        by, now = auth.caller(), services.current().clock()
        with services.current().database.transaction() as tx:
            invitations.revoke(tx, invitation_id, now)
            audit.note(tx, by, "invitation.revoke", now, invitation=str(invitation_id))
