"""Submissions: a module in a multipart body, or an endpoint in a JSON one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

import marshmallow as ma
from flask import Request, request
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import UnsupportedMediaType

from api.blueprints import Blueprint, decode_json, load_json
from api.errors import InvalidInput
from api.idempotency import MULTIPART
from store import uploads
from store.bots import Endpoint
from store.errors import BadRequest
from store.uploads import MAX_UPLOAD_BYTES, Upload
from workers import services
from workers.runtimes import addresses
from workers.runtimes.addresses import AddressRules

View = TypeVar("View", bound=Callable[..., Any])

MAX_META_BYTES = 64 << 10
MAX_BODY_BYTES = MAX_UPLOAD_BYTES + (1 << 20)  # the parts around the file


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """An uploaded module, looked through but not run, and what was said about it."""

    meta: Mapping[str, Any]
    upload: Upload
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """An endpoint at an address that may be connected to, and what was said about it."""

    meta: Mapping[str, Any]
    endpoint: Endpoint


Submission = Module | Remote


def takes_submission(module: type[ma.Schema], endpoint: type[ma.Schema]) -> Callable[[View], View]:
    """Give the view a Submission; the schemas say what is told about a module and about an endpoint."""

    def decorate(view: View) -> View:
        @wraps(view)
        def reading(*args: Any, **kwargs: Any) -> Any:
            return view(*args, _read(request, module(), endpoint()), **kwargs)

        documented = Blueprint.doc(requestBody=_document(module, endpoint))(reading)
        return cast(View, documented)

    return decorate


def _read(sent: Request, module: ma.Schema, endpoint: ma.Schema) -> Submission:
    if sent.mimetype == MULTIPART:
        return _read_module(sent, module)
    if sent.mimetype and not sent.is_json:
        raise UnsupportedMediaType(f"the body is {sent.mimetype}; expected {MULTIPART} or application/json")
    meta = _load(endpoint, load_json(sent))
    rules = AddressRules(allow_private=services.current().settings.allow_private_endpoints)
    addresses.check_url(meta["url"], rules)
    return Remote(
        meta=meta,
        endpoint=Endpoint(url=meta["url"], max_batch=meta["max_batch"], max_in_flight=meta["max_in_flight"]),
    )


def _read_module(sent: Request, schema: ma.Schema) -> Module:
    for part in [*sent.form, *sent.files]:
        if part not in ("meta", "file"):
            raise BadRequest(f"part {part[:80]!r} is unknown; expected meta and file", field=part[:80])
    meta = _load(schema, decode_json(_meta(sent), "meta"))
    files: list[FileStorage] = sent.files.getlist("file")
    if len(files) != 1 or "file" in sent.form:
        raise BadRequest("expected one part `file` with a file name", field="file")
    content = files[0].read()
    return Module(meta=meta, upload=uploads.inspect(content, files[0].filename or ""), content=content)


def _meta(sent: Request) -> bytes:
    """Return the JSON text of the part `meta`, sent as a field or as a file."""
    texts = [text.encode() for text in sent.form.getlist("meta")]
    texts += [file.read(MAX_META_BYTES + 1) for file in sent.files.getlist("meta")]
    if len(texts) != 1:
        raise BadRequest("expected one part `meta` with a JSON object", field="meta")
    if len(texts[0]) > MAX_META_BYTES:
        raise BadRequest(f"meta has more than {MAX_META_BYTES} bytes", field="meta")
    return texts[0]


def _load(schema: ma.Schema, data: Any) -> Mapping[str, Any]:
    try:
        loaded: Mapping[str, Any] = schema.load(data)
    except ma.ValidationError as error:
        raise InvalidInput(error.messages) from error
    return loaded


def _document(module: type[ma.Schema], endpoint: type[ma.Schema]) -> dict[str, Any]:
    multipart = {
        "type": "object",
        "properties": {
            "meta": module,
            "file": {"type": "string", "format": "binary", "description": "A .py or a .zip file."},
        },
        "required": ["meta", "file"],
        "additionalProperties": False,
    }
    return {
        "required": True,
        "content": {
            MULTIPART: {
                "schema": multipart,
                "encoding": {
                    "meta": {"contentType": "application/json"},
                    "file": {"contentType": "text/x-python, application/zip, application/octet-stream"},
                },
            },
            "application/json": {"schema": endpoint},
        },
    }
