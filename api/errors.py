"""From errors to answers: the one table of error class -> status, and problem details (RFC 9457)."""

import uuid
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

import structlog
from flask import Flask, Response, g, json
from sqlalchemy.exc import InterfaceError, OperationalError
from werkzeug.exceptions import HTTPException

from engine import errors as engine_errors
from engine.limits import BadLimits
from engine.match import PlatformFault
from engine.policies import UnknownPolicy
from store import errors as store_errors
from store.schema import WrongTables
from store.settings import BadSettings
from store.uploads import BadUpload, UploadTooLarge
from workers.runtimes.addresses import BadUrl

MEDIA_TYPE = "application/problem+json"
DOCS_PATH = "/api/v1/docs"
MOST_ERRORS = 20

log = structlog.get_logger()


class Unauthenticated(engine_errors.FudabaError):
    """A bearer token is needed, and none that is valid was sent."""

    code = "unauthenticated"


class InvalidInput(engine_errors.FudabaError):
    """Input of the wrong shape; `errors` are pairs of the field (None for the whole) and what is wrong."""

    code = "invalid"

    def __init__(self, messages: object) -> None:
        self.errors = list(_flatten(messages))[:MOST_ERRORS]
        field, detail = self.errors[0]
        self.field = field
        super().__init__(f"{field}: {detail}" if field else detail)


class Changed(engine_errors.FudabaError):
    """The thing has changed since it was read; what was sent with If-Match was not done."""

    code = "changed"


class TooManyListeners(engine_errors.FudabaError):
    """No more streams can be served at the moment; ask from time to time instead."""

    code = "too_many_listeners"


class NotReady(engine_errors.FudabaError):
    """The service cannot do its work; `problems` says what is wrong, by the part that it is wrong with."""

    code = "not_ready"

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{part}: {problem}" for part, problem in problems.items()))
        self.problems = dict(problems)


STATUS: Mapping[type[engine_errors.FudabaError], HTTPStatus] = {
    Unauthenticated: HTTPStatus.UNAUTHORIZED,
    InvalidInput: HTTPStatus.UNPROCESSABLE_ENTITY,
    Changed: HTTPStatus.PRECONDITION_FAILED,
    TooManyListeners: HTTPStatus.SERVICE_UNAVAILABLE,
    NotReady: HTTPStatus.SERVICE_UNAVAILABLE,
    store_errors.NotFound: HTTPStatus.NOT_FOUND,
    store_errors.Conflict: HTTPStatus.CONFLICT,
    store_errors.Forbidden: HTTPStatus.FORBIDDEN,
    store_errors.BadRequest: HTTPStatus.UNPROCESSABLE_ENTITY,
    BadUpload: HTTPStatus.UNPROCESSABLE_ENTITY,
    BadUrl: HTTPStatus.UNPROCESSABLE_ENTITY,
    UploadTooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    engine_errors.UnknownGame: HTTPStatus.UNPROCESSABLE_ENTITY,
    engine_errors.BadOptions: HTTPStatus.UNPROCESSABLE_ENTITY,
    engine_errors.BadSchedule: HTTPStatus.UNPROCESSABLE_ENTITY,
    engine_errors.IllegalAction: HTTPStatus.UNPROCESSABLE_ENTITY,
    engine_errors.UnknownSeat: HTTPStatus.UNPROCESSABLE_ENTITY,
    engine_errors.MatchNotOver: HTTPStatus.CONFLICT,
    BadLimits: HTTPStatus.UNPROCESSABLE_ENTITY,
    UnknownPolicy: HTTPStatus.UNPROCESSABLE_ENTITY,
    engine_errors.BadRecord: HTTPStatus.INTERNAL_SERVER_ERROR,  # of ours: no route takes a record
    BadSettings: HTTPStatus.INTERNAL_SERVER_ERROR,
    WrongTables: HTTPStatus.SERVICE_UNAVAILABLE,
    store_errors.ArchiveUnavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    PlatformFault: HTTPStatus.INTERNAL_SERVER_ERROR,
}
FIELDS: Mapping[type[engine_errors.FudabaError], str] = {
    BadUpload: "file",
    UploadTooLarge: "file",
    BadUrl: "url",
}
HTTP_CODES: Mapping[int, str] = {
    400: "malformed",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_media_type",
    429: "too_many_requests",
    500: "internal",
    503: "unavailable",
}


def status_of(kind: type[engine_errors.FudabaError]) -> HTTPStatus:
    """Return the status that an error is answered with: its own, or that of the nearest class above it."""
    for ancestor in kind.__mro__:
        if ancestor in STATUS:
            return STATUS[ancestor]
    return HTTPStatus.INTERNAL_SERVER_ERROR


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    field: str | None = None,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Response:
    """Return an answer with problem details; `more` are further members."""
    body = {
        "type": f"{DOCS_PATH}#problem-{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "field": field,
        "request_id": request_id(),
        **more,
    }
    return Response(json.dumps(body), status, dict(headers or {}), content_type=MEDIA_TYPE)


def request_id() -> str:
    """Return the id of the request that is being answered; one is made when there is none yet."""
    if "request_id" not in g:
        g.request_id = uuid.uuid4().hex
    return str(g.request_id)


def register(app: Flask) -> None:
    """Answer every error of `app` with problem details."""
    app.register_error_handler(engine_errors.FudabaError, of_error)
    app.register_error_handler(HTTPException, of_http_exception)
    for kind in (OperationalError, InterfaceError):
        app.register_error_handler(kind, of_lost_database)
    app.register_error_handler(Exception, of_bug)


def of_error(error: engine_errors.FudabaError) -> Response:
    """Return the answer to an error of the domain."""
    status = status_of(type(error))
    if status is HTTPStatus.INTERNAL_SERVER_ERROR:
        return of_bug(error)
    headers = {}
    more: dict[str, Any] = {}
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = 'Bearer realm="fudaba"'
    if isinstance(error, TooManyListeners):
        headers["Retry-After"] = "5"
    if isinstance(error, InvalidInput):
        more["errors"] = [{"field": field, "detail": detail} for field, detail in error.errors]
    if isinstance(error, NotReady):
        more["problems"] = error.problems
    field = getattr(error, "field", FIELDS.get(type(error)))
    return problem(status, error.code, str(error), field=field, headers=headers, **more)


def of_http_exception(error: HTTPException) -> Response:
    """Return the answer to an error of HTTP itself: no such route or method, a body too large or broken."""
    status = error.code or 500
    code = HTTP_CODES.get(status, HTTPStatus(status).name.lower())
    kept = ("allow", "retry-after", "location", "content-range")
    headers = {name: value for name, value in error.get_headers() if name.lower() in kept}
    field = getattr(error, "field", None)
    return problem(status, code, error.description or error.name, field=field, headers=headers)


def of_lost_database(error: Exception) -> Response:
    """Return the answer while the database cannot be reached."""
    log.error("database unavailable", request_id=request_id(), exc_info=error)
    return problem(503, HTTP_CODES[503], "the database cannot be reached", headers={"Retry-After": "5"})


def of_bug(error: Exception) -> Response:
    """Return the answer to an error that nobody foresaw; the log has its traceback under the request's id."""
    log.error("request failed", request_id=request_id(), exc_info=error)
    return problem(500, HTTP_CODES[500], f"something went wrong here; it is logged as {request_id()}")


def _flatten(messages: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str | None, str]]:
    """Yield (dotted field, what is wrong) from nested messages of marshmallow."""
    if isinstance(messages, Mapping):
        for key, value in messages.items():
            yield from _flatten(value, path if key == "_schema" else (*path, str(key)))
    elif isinstance(messages, list):
        for value in messages:
            yield from _flatten(value, path)
    else:
        yield ".".join(path)[:200] or None, str(messages)
