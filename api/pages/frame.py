"""What all pages have in common: their headers, their errors, and what templates can say."""

from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from flask import (
    Blueprint,
    Response,
    get_template_attribute,
    make_response,
    render_template,
    request,
    url_for,
)
from markupsafe import Markup
from sqlalchemy.exc import InterfaceError, OperationalError
from werkzeug.exceptions import HTTPException

from api import errors
from api.pages import cards, sessions
from engine import games
from engine.cards.hanafuda import BRIGHT, CARDS
from engine.errors import FudabaError

STATIC = Path(__file__).with_name("static")
LEAST_SHOWN_US = 50
KEEP_SECONDS = 365 * 24 * 3600
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_HANDLED: tuple[tuple[type[Exception], Callable[[Any], Response]], ...] = (
    (FudabaError, errors.of_error),
    (HTTPException, errors.of_http_exception),
    (OperationalError, errors.of_lost_database),
    (InterfaceError, errors.of_lost_database),
    (Exception, errors.of_bug),
)


def furnish(blueprint: Blueprint) -> None:
    """Give the pages of a blueprint their headers, errors and words."""
    blueprint.before_request(sessions.load_account)
    blueprint.before_request(sessions.check_csrf)
    blueprint.after_request(secure)
    for kind, answer in _HANDLED:
        blueprint.register_error_handler(kind, _error_page(answer))
    for name, of in _FILTERS.items():
        blueprint.add_app_template_filter(of, name)
    for name, of_page in _GLOBALS.items():
        blueprint.add_app_template_global(of_page, name)


def secure(response: Response) -> Response:
    """Let the page load and run nothing but what comes from here."""
    response.headers.extend({name: text for name, text in _HEADERS.items() if name not in response.headers})
    response.vary.add("Cookie")
    return response


def as_page(problem: Response) -> Response:
    """Return the page that shows a problem to people."""
    details = problem.get_json()
    page = make_response(render_template("error.html", problem=details), problem.status_code)
    for name in ("Retry-After", "Allow"):
        if name in problem.headers:
            page.headers[name] = problem.headers[name]
    return secure(page)


def is_wanted() -> bool:
    """Return whether who asks is better served with a page than with problem details."""
    if request.path.startswith(sessions.API_PREFIX):
        return False
    kinds = [errors.MEDIA_TYPE, "application/json", "text/html"]
    return request.accept_mimetypes.best_match(kinds, errors.MEDIA_TYPE) == "text/html"


def not_found(error: HTTPException) -> Response:
    """Return the answer where there is no route, as a page to those who want one."""
    problem = errors.of_http_exception(error)
    return as_page(problem) if is_wanted() else problem


def part(template: str, macro: str, *values: Any) -> str:
    """Return one macro of a template by itself: what a script puts in the place of the old one."""
    return str(get_template_attribute(template, macro)(*values))


def _error_page(answer: Callable[[Any], Response]) -> Callable[[Any], Response]:
    return lambda error: as_page(answer(error))


def percent(share: Fraction | float) -> str:
    """Return a share as per cent with one digit, such as 62.5 %."""
    return f"{100 * float(share):.1f} %"


def moment(time: datetime | None) -> Markup:
    """Return a point in time, in UTC to the minute; a dash when there is none."""
    if time is None:
        return Markup("–")
    utc = time.astimezone(UTC)
    return Markup('<time datetime="{}">{}</time>').format(utc.isoformat(), f"{utc:%Y-%m-%d %H:%M} UTC")


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, such as 1,024 matches."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def milliseconds(used_us: int) -> str:
    """Return a duration in milliseconds, such as 0.4 ms or 1,250 ms."""
    if used_us < LEAST_SHOWN_US:
        return "under 0.1 ms"
    used_ms = used_us / 1000
    return f"{used_ms:.1f} ms" if used_ms < 10 else f"{used_ms:,.0f} ms"


def game_title(game_id: str) -> str:
    """Return the title of a game."""
    return games.get(game_id).title


def asset(name: str) -> str:
    """Return the address of a file of ours; it changes with the content, so that it can be kept for ever."""
    return url_for("pages.static", filename=name, v=_digest(name))


@lru_cache
def _digest(name: str) -> str:
    return sha256((STATIC / name).read_bytes()).hexdigest()[:12]


def drawn(symbol: cards.Symbol, size: str = "") -> Markup:
    """Return a drawn card."""
    sheet = url_for("pages.games.sheet", name=symbol.pack, v=cards.sheet(symbol.pack).digest)
    return Markup(
        '<svg class="card {}" viewBox="{}" role="img" aria-label="{}"><title>{}</title>'
        '<use href="{}#{}"/></svg>'
    ).format(size, cards.VIEW_BOX, symbol.label, symbol.title, sheet, symbol.id)


def fan() -> list[cards.Symbol]:
    """Return the five brights of the hanafuda pack."""
    return [symbol for info in CARDS if info.kind == BRIGHT and (symbol := cards.find(info.code))]


_FILTERS: dict[str, Callable[..., Any]] = {
    "percent": percent,
    "share": lambda text: percent(Fraction(text)),
    "moment": moment,
    "count": count,
    "milliseconds": milliseconds,
    "game_title": game_title,
}
_GLOBALS: dict[str, Callable[..., Any]] = {
    "asset": asset,
    "drawn": drawn,
    "fan": fan,
    "viewer": sessions.viewer,
    "is_organiser": sessions.is_organiser,
    "csrf_token": sessions.csrf_token,
    "software_version": lambda: version("fudaba"),
}
