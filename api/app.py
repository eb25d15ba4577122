"""The Flask application: routes, errors, limits and the OpenAPI document."""

import re
import time
from importlib.metadata import version

import flask_smorest
import structlog
from flask import Flask, Response, g, request

from api import bodies, conditional, cors, docs, errors, idempotency, limits, operations, tracing
from api.auth import SECURITY_SCHEME
from api.pages import site
from api.resources import (
    accounts,
    bots,
    controls,
    events,
    games,
    health,
    ladders,
    matches,
    records,
    reruns,
    standings,
    tournaments,
    webhooks,
    withdrawals,
)
from api.submissions import MAX_BODY_BYTES
from workers import counters, services
from workers.services import Services

MAX_JSON_BYTES = 1 << 20
BLUEPRINTS = (
    games.blueprint,
    accounts.blueprint,
    bots.blueprint,
    tournaments.blueprint,
    controls.blueprint,
    withdrawals.blueprint,
    reruns.blueprint,
    events.blueprint,
    standings.blueprint,
    records.blueprint,
    matches.blueprint,
    ladders.blueprint,
    webhooks.blueprint,
    health.blueprint,
)
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)

log = structlog.get_logger()


class Api(flask_smorest.Api):  # type: ignore[misc]
    """The OpenAPI document; errors are answered by api.errors."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        """Leave errors to api.errors."""

    def _register_responses(self) -> None:
        """Leave errors to api.blueprints."""

    def _register_pagination_header(self) -> None:
        """Leave pages to api.paging."""

    def _register_etag_headers(self) -> None:
        """Document no headers that are not sent."""


def create_app(given: Services) -> Flask:
    """Return the application, working with these services; nothing is connected to."""
    services.install(given)
    app = Flask("api", static_folder=None)
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_JSON_BYTES,
        API_TITLE="Fudaba",
        API_VERSION=version("fudaba"),
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX="/api/v1",
        API_SPEC_OPTIONS=_SPEC_OPTIONS,
    )
    app.json.sort_keys = False  # type: ignore[attr-defined]  # of the default provider
    app.url_map.merge_slashes = False
    app.before_request(_begin)
    app.after_request(_end)
    tracing.register(app)
    limits.register(app, given.settings)
    for concern in (errors, conditional, idempotency, events, bodies):
        concern.register(app)
    cors.register(app, given.settings.cors_origins)
    api = Api(app)
    for blueprint in BLUEPRINTS:
        api.register_blueprint(blueprint)
    operations.complete(api.spec)
    health.register_at_root(app)
    docs.register(app, api.spec)
    site.register(app)
    return app


_SPEC_OPTIONS = {
    "info": {
        "description": "An arena for card-game bots. Errors are problem details (RFC 9457), "
        "times are RFC 3339 in UTC, lists are pages with a cursor.",
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    },
    "servers": [{"url": "/"}],
    "components": {
        "securitySchemes": {
            SECURITY_SCHEME: {"type": "http", "scheme": "bearer", "description": "A token of an account."}
        }
    },
}


def _begin() -> None:
    g.began = time.monotonic()
    if request.mimetype == idempotency.MULTIPART:
        request.max_content_length = MAX_BODY_BYTES
    sent = request.headers.get("X-Request-Id", "")
    if _REQUEST_ID.fullmatch(sent):
        g.request_id = sent
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=errors.request_id())


def _end(response: Response) -> Response:
    response.headers["X-Request-Id"] = errors.request_id()
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers.setdefault("Cache-Control", "no-store")
    if response.status_code == 204:
        response.headers.pop("Content-Type", None)
    _note(response, time.monotonic() - g.began)
    return response


def _note(response: Response, seconds: float) -> None:
    """Log and count an answer; one that took too long, as a warning."""
    current = services.current()
    is_slow = seconds > current.settings.slow_request_ms / 1000 and not response.is_streamed
    write = log.warning if is_slow else log.info
    write(
        "slow_request" if is_slow else "request",
        method=request.method,
        path=request.path,
        status=response.status_code,
        used_ms=round(seconds * 1000, 1),
        **(request.view_args or {}),
    )
    if is_slow:
        counters.add("fudaba_slow_total", "request")
    route = request.url_rule.rule if request.url_rule else "none"
    method = request.method if request.method in _METHODS else "other"  # so that nobody can add labels
    counters.observe("fudaba_request_seconds", seconds, method, route, str(response.status_code))
    response.call_on_close(lambda: counters.flush_at_times(current.redis))
