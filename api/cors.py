"""Pages of other origins that may use the API from a browser: none, unless the operator names them."""

from flask import Flask, Response, request

_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
_HEADERS = (
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id"
)
_EXPOSED = (
    "ETag, Idempotency-Replayed, RateLimit-Limit, RateLimit-Policy, RateLimit-Remaining, RateLimit-Reset, "
    "Retry-After, X-Request-Id"
)
_KEEP_SECONDS = 600


def register(app: Flask, origins: str) -> None:
    """Let pages of these origins (by comma; `*` is all) read the answers of `app`; cookies play no part."""
    allowed = frozenset(origin.strip() for origin in origins.split(",") if origin.strip())

    def allow(response: Response) -> Response:
        origin = request.headers.get("Origin", "")
        response.vary.add("Origin")
        if origin not in allowed and "*" not in allowed:
            return response
        response.headers["Access-Control-Allow-Origin"] = "*" if "*" in allowed else origin
        response.headers["Access-Control-Expose-Headers"] = _EXPOSED
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            response.headers["Access-Control-Allow-Methods"] = _METHODS
            response.headers["Access-Control-Allow-Headers"] = _HEADERS
            response.headers["Access-Control-Max-Age"] = str(_KEEP_SECONDS)
        return response

    if allowed:
        app.after_request(allow)
