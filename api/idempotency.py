"""Idempotency keys: a POST that is sent again with its key gets the first answer and is not done again."""

import base64
import hmac
import re
from collections.abc import Iterable
from hashlib import sha256
from uuid import UUID

import msgspec
import structlog
from cryptography.fernet import Fernet, InvalidToken
from flask import Flask, Request, Response, g, request
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.datastructures import FileStorage

from store import idempotency
from store.errors import BadRequest, Conflict
from workers import services

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
MULTIPART = "multipart/form-data"
_KEY = re.compile(r"[\x21-\x7e]{1,255}", re.ASCII)
_PIECE_BYTES = 1 << 16

log = structlog.get_logger()


class _Kept(msgspec.Struct, frozen=True):
    """An answer as it is kept."""

    status: int
    content_type: str
    body: bytes


class _Taken(msgspec.Struct, frozen=True):
    """The key that this request has taken, and what its answer is encrypted with."""

    id: UUID
    secret: bytes


def register(app: Flask) -> None:
    """Keep the answers of `app` to requests that have taken a key."""
    app.after_request(_finish)


def first_answer(scope: str, token: str) -> Response | None:
    """Return the answer that was given to this POST the first time, None when it is to be done.

    `scope` is who asks. An answer may hold a secret, so it is kept encrypted with the key and the `token`,
    neither of which is stored.
    """
    key = request.headers.get(HEADER)
    if key is None or request.method != "POST":
        return None
    if not _KEY.fullmatch(key):
        raise BadRequest("expected 1 to 255 visible ASCII characters", field=HEADER)
    with services.current().database.transaction() as tx:
        reservation = idempotency.reserve(
            tx,
            scope=scope,
            key=key,
            request_sha256=_fingerprint(request),
            now=services.current().clock(),
        )
    secret = base64.urlsafe_b64encode(hmac.digest(token.encode(), key.encode(), "sha256"))
    if reservation.answer is None:
        g.idempotency = _Taken(reservation.id, secret)
        return None
    return _again(reservation.answer, secret)


def _again(answer: bytes, secret: bytes) -> Response:
    try:
        kept = msgspec.msgpack.decode(Fernet(secret).decrypt(answer), type=_Kept)
    except InvalidToken as error:
        raise Conflict("the key was used with another token, which alone can see the answer again") from error
    return Response(kept.body, kept.status, {REPLAYED: "true"}, content_type=kept.content_type)


def _finish(response: Response) -> Response:
    """Keep the answer; the key of a request that failed on our side, or came too often, is free again."""
    taken: _Taken | None = g.pop("idempotency", None)
    if taken is None:
        return response
    try:
        with services.current().database.transaction() as tx:
            if response.status_code >= 500:
                idempotency.release(tx, taken.id)
            else:
                kept = _Kept(response.status_code, response.content_type or "", response.get_data())
                idempotency.keep(tx, taken.id, Fernet(taken.secret).encrypt(msgspec.msgpack.encode(kept)))
    except SQLAlchemyError as error:
        log.error("answer not kept", exc_info=error)
    return response


def _fingerprint(sent: Request) -> str:
    """Return a hash of all that a request asks for; that of a form does not depend on its boundary."""
    digest = sha256()
    target = (sent.path, sent.query_string, sent.mimetype)
    digest.update(msgspec.msgpack.encode(target))
    if sent.mimetype != MULTIPART:
        digest.update(sent.get_data(cache=True))
        return digest.hexdigest()
    digest.update(msgspec.msgpack.encode(sorted(sent.form.items(multi=True))))
    for name, file in sorted(sent.files.items(multi=True), key=lambda item: item[0]):
        content = sha256()
        for piece in _pieces(file):
            content.update(piece)
        digest.update(msgspec.msgpack.encode((name, file.filename, content.digest())))
    return digest.hexdigest()


def _pieces(file: FileStorage) -> Iterable[bytes]:
    """Yield the content of an uploaded file and leave it to be read again."""
    while piece := file.stream.read(_PIECE_BYTES):
        yield piece
    file.stream.seek(0)
