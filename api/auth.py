"""Who is asking: bearer tokens, and the roles that a route admits."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from flask import g, request

from api import idempotency, limits
from api.blueprints import Blueprint
from api.errors import Unauthenticated
from store import accounts
from store.errors import Forbidden
from store.models.accounts import Account, Role
from workers import services

View = TypeVar("View", bound=Callable[..., Any])

SIGNED_IN = (Role.ORGANISER, Role.PARTICIPANT)
SECURITY_SCHEME = "bearer"


def requires(*roles: Role) -> Callable[[View], View]:
    """Admit accounts with one of `roles` alone: 401 without a valid token, 403 for other accounts."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            g.account = _sign_in()
            if g.account.role not in roles:
                wanted = " or ".join(role.value for role in roles)
                raise Forbidden(f"this is for the role {wanted}; the account is a {g.account.role.value}")
            answered = idempotency.first_answer(g.account.id.hex, _sent_token())
            return view(*args, **kwargs) if answered is None else answered

        documented = Blueprint.doc(security=[{SECURITY_SCHEME: []}])(guarded)
        documented.roles = frozenset(roles)
        return cast(View, documented)

    return decorate


def welcomes_anybody(view: View) -> View:
    """Admit everybody; a token that is sent must be valid all the same."""

    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        g.account = None if request.authorization is None else _sign_in()
        scope = g.account.id.hex if g.account is not None else f"address {limits.caller_address()}"
        answered = idempotency.first_answer(scope, _sent_token())
        return view(*args, **kwargs) if answered is None else answered

    return cast(View, Blueprint.doc(security=[{}, {SECURITY_SCHEME: []}])(guarded))


def caller_if_any() -> Account | None:
    """Return the account that is signed in, None for somebody without; only inside `welcomes_anybody`."""
    account: Account | None = g.account
    return account


def caller() -> Account:
    """Return the account that is signed in; only inside a view that `requires` it."""
    account: Account = g.account
    return account


def _sign_in() -> Account:
    token = _sent_token()
    if not token:
        raise Unauthenticated("send a token: Authorization: Bearer <token>")
    with services.current().database.reading() as tx:
        account = accounts.authenticate(tx, token)
    if account is None:
        raise Unauthenticated("the token is unknown or revoked")
    return account


def _sent_token() -> str:
    """Return the bearer token that was sent, an empty text when there is none."""
    sent = request.authorization
    return sent.token or "" if sent is not None and sent.type == "bearer" else ""
