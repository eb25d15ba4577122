"""Who looks at a page: sessions in a signed cookie, and forms that only our own pages can send."""

import hmac
import os
import secrets
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast
from uuid import UUID, uuid4

from flask import Flask, Request, g, redirect, request, session, url_for
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import URLSafeTimedSerializer

from store import sessions
from store.errors import Forbidden
from store.models.accounts import Account, Role
from store.settings import Settings
from workers import services

View = TypeVar("View", bound=Callable[..., Any])

API_PREFIX = "/api/"
KEY_FILE = "session.key"
CSRF_FIELD = "csrf"
_TOKEN = "token"
SIGNED_IN = (Role.ORGANISER, Role.PARTICIPANT)


class Sessions(SecureCookieSessionInterface):
    """Sessions for pages alone: the API knows no cookies. The key is read or made when first needed."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Return the session of the cookie; none that can be written to below the API."""
        if request.path.startswith(API_PREFIX):
            return self.make_null_session(app)
        if self.get_cookie_name(app) not in request.cookies:
            return self.session_class()
        return super().open_session(app, request)

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Return what signs the cookies."""
        if not app.secret_key:
            app.secret_key = session_key(services.current().settings)
        return super().get_signing_serializer(app)

    def get_cookie_secure(self, app: Flask) -> bool:
        """Return whether the cookie is for encrypted connections alone: when this is one."""
        return request.is_secure


def register(app: Flask) -> None:
    """Give `app` sessions; their cookie cannot be read by scripts nor sent by the forms of others."""
    app.session_interface = Sessions()
    app.config.update(
        SESSION_COOKIE_NAME="fudaba", SESSION_COOKIE_HTTPONLY=True, SESSION_COOKIE_SAMESITE="Lax"
    )


def session_key(settings: Settings) -> str:
    """Return the key of the settings, or that of the data folder, made when there is none yet."""
    if settings.session_secret:
        return settings.session_secret
    path = settings.home / KEY_FILE
    if not path.exists():
        _make_key(path)
    return path.read_text(encoding="ascii")


def _make_key(path: Path) -> None:
    """Write a key for the owner's eyes; of several processes that do so at once one wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{uuid4().hex}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_hex(32))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def sign_in(text: str) -> bool:
    """Begin a session with a bearer token; False, and nothing is changed, when it is none."""
    with services.current().database.reading() as tx:
        token_id = sessions.begin(tx, text.strip())
    if token_id is None:
        return False
    session.clear()
    session[_TOKEN] = token_id.hex
    return True


def token_id() -> UUID | None:
    """Return the id of the token that the session began with; None when nobody is signed in."""
    return UUID(hex=session[_TOKEN]) if _TOKEN in session else None


def sign_out() -> None:
    """End the session."""
    session.clear()


def load_account() -> None:
    """Look up who asks, before a page is made; nobody when the token has been revoked."""
    g.account = None
    present = token_id()
    if present is not None:
        with services.current().database.reading() as tx:
            g.account = sessions.account(tx, present)


def viewer() -> Account | None:
    """Return who looks at the page, None when nobody is signed in."""
    account: Account | None = g.get("account")
    return account


def caller() -> Account:
    """Return who is signed in, on a page that lets in nobody else."""
    account = viewer()
    assert account is not None, "nobody is let in here"
    return account


def is_organiser() -> bool:
    """Return whether an organiser looks at the page."""
    account = viewer()
    return account is not None and account.role is Role.ORGANISER


def requires(*roles: Role) -> Callable[[View], View]:
    """Admit accounts with one of `roles` alone: others are refused, nobody is sent to sign in."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            account = viewer()
            if account is None:
                target = request.full_path.rstrip("?") if request.method == "GET" else None
                return redirect(url_for("pages.entrance.show", then=target), 303)
            if account.role not in roles:
                raise Forbidden(f"this page is for {' and '.join(f'{role.value}s' for role in roles)}")
            return view(*args, **kwargs)

        guarded.roles = frozenset(roles)  # type: ignore[attr-defined]  # for the tests
        return cast(View, guarded)

    return decorate


def csrf_token() -> str:
    """Return what a form must send back to be ours."""
    if CSRF_FIELD not in session:
        session[CSRF_FIELD] = secrets.token_urlsafe(24)
    return str(session[CSRF_FIELD])


def check_csrf() -> None:
    """Refuse what a form of somebody else sent in the name of who is signed in."""
    if request.method != "POST":
        return
    sent, expected = request.form.get(CSRF_FIELD, ""), session.get(CSRF_FIELD, "")
    if not expected or not hmac.compare_digest(sent.encode(), expected.encode()):
        raise Forbidden("the form is too old or was not sent from this site; load the page and try again")
