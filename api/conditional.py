"""Conditional requests: entity tags on reads, and changes that only go through when nobody was faster."""

from hashlib import sha256
from typing import Any

import marshmallow as ma
from flask import Flask, Response, jsonify, request

from api.errors import Changed

_TAG_CHARACTERS = 32


def register(app: Flask) -> None:
    """Tag what `app` answers to reads, and answer 304 to those who have it already."""
    app.after_request(_tag)


def require_match(schema: ma.Schema, thing: object) -> None:
    """Raise Changed when the request has an If-Match without the tag that a read of `thing` answers with."""
    if "If-Match" not in request.headers:
        return
    shown: Any = schema.dump(thing)
    if request.if_match.star_tag or request.if_match.is_strong(_tag_of(jsonify(shown))):
        return
    raise Changed("it is not what If-Match names any more; read it again")


def _tag(response: Response) -> Response:
    is_read = request.method in ("GET", "HEAD") and response.status_code == 200
    if not is_read or response.is_streamed or "Cache-Control" in response.headers:
        return response
    tag = _tag_of(response)
    response.set_etag(tag)
    response.headers["Cache-Control"] = "private, no-cache"  # to be kept, and asked for again with the tag
    response.vary.update(("Accept", "Authorization"))
    if request.if_none_match.contains_weak(tag):
        response.status_code = 304
        response.set_data(b"")
        del response.headers["Content-Type"], response.headers["Content-Length"]
    return response


def _tag_of(response: Response) -> str:
    return sha256(response.get_data()).hexdigest()[:_TAG_CHARACTERS]
