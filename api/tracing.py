"""Traces of requests: each is a span, part of the trace of whoever asks when that is said."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask, Response, request

from api import errors
from workers import services

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


def register(app: Flask) -> None:
    """Tell of every request to `app` while it is answered."""
    answer = app.wsgi_app
    app.after_request(_note)

    def traced(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        sent = {"traceparent": "HTTP_TRACEPARENT", "tracestate": "HTTP_TRACESTATE"}
        headers = {name: environ[variable] for name, variable in sent.items() if variable in environ}
        with services.current().traces.span("request", {}, headers):
            return answer(environ, start_response)

    app.wsgi_app = traced  # type: ignore[method-assign]


def _note(response: Response) -> Response:
    route = request.url_rule.rule if request.url_rule else "none"
    services.current().traces.note(
        {
            "http.request.method": request.method,
            "http.route": route,
            "http.response.status_code": response.status_code,
            "request_id": errors.request_id(),
        }
    )
    return response
