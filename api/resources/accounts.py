"""Accounts and tokens."""

from typing import Any
from uuid import UUID

from flask.views import MethodView

from api import auth
from api.auth import SIGNED_IN, requires
from api.blueprints import Blueprint
from api.schemas.accounts import (
    AccountSchema,
    CreatedAccountSchema,
    IssuedTokenSchema,
    NewAccountSchema,
    NewTokenSchema,
)
from store import accounts
from store.errors import Forbidden
from store.models.accounts import Account, Role
from workers import services

blueprint = Blueprint("accounts", "Who owns bots and who organises")


@blueprint.resource("/accounts")
class Accounts(MethodView):
    """All accounts."""

    @requires(Role.ORGANISER)
    @blueprint.takes(NewAccountSchema)
    @blueprint.answers(201, CreatedAccountSchema)
    @blueprint.problems(409)
    def post(self, new: dict[str, Any]) -> dict[str, Any]:
        """Create an account, with a token that is shown this once."""
        now = services.current().clock()
        with services.current().database.transaction() as tx:
            account = accounts.create(tx, new["name"], Role(new["role"]), now)
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
        return {"id": token.id, "account_id": account_id, "token": text, "created_at": token.created_at}


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
