"""What the OpenAPI document says of every operation without being told: problems, headers, examples."""

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from apispec import APISpec

from api.errors import MEDIA_TYPE
from api.schemas.problems import ProblemSchema
from api.schemas.progress import ProgressSchema

DESCRIPTIONS: Mapping[int, str] = {
    400: "The body is not what its type says, such as broken JSON.",
    401: "A valid bearer token is needed.",
    403: "The account may not do this.",
    404: "There is no such thing.",
    409: "The state of the thing does not allow this.",
    412: "It has changed since it was read: its tag is not the one in If-Match.",
    413: "The body is too large.",
    415: "The body is of a type that is not taken here.",
    422: "A value cannot be used; `field` names it.",
    429: "The token or the address asks too often; Retry-After says when it may again.",
    503: "The service cannot do its work; `detail` says why.",
}
_ALWAYS = (429, 503)
_TOO_LONG = {  # the server refuses it before there is a request that could be answered with a problem
    "description": "The address is longer than the server reads, 4,094 bytes; answered without a problem.",
    "content": {"text/html": {"schema": {"type": "string"}}},
}

# By the name of a parameter in the path.
_PATH_PARAMETERS: Mapping[str, tuple[str, str | int]] = {
    "game_id": ("Id of a game, such as `sutda`.", "sutda"),
    "bot_id": ("Id of a bot.", "3f0c9a52-6a0e-4d0e-9a57-0d3f6a1c2b10"),
    "number": ("Number of a version or an edition, from 1.", 1),
    "token_id": ("Id of a token, not its text.", "8a54c8de-7c0c-4f57-a1a9-2f0a6b9d5e11"),
    "invitation_id": ("Id of an invitation, not its text.", "51a0b6de-22b5-43f1-8c5e-6a3b90d9d412"),
    "tournament_id": ("Id of a tournament.", "b1e3c7a4-9f0d-4b1e-8a65-77d2c1f0ab13"),
    "match_id": ("Id of a match.", "0d5f7c1e9b8a4c3db2e1f0a9c8b7d614-0"),
    "ladder_id": ("Id of a ladder.", "6c2d8e0f-1a3b-4c5d-9e7f-8a9b0c1d2e15"),
    "webhook_id": ("Id of a webhook.", "e7f8a9b0-c1d2-4e3f-8a5b-6c7d8e9f0a16"),
}

_HEADERS: tuple[tuple[str, Callable[[str, Mapping[int, Any]], bool]], ...] = (
    ("Idempotency-Key", lambda method, responses: method == "post"),
    ("If-None-Match", lambda method, responses: 304 in responses),
    ("If-Match", lambda method, responses: 412 in responses),
)
_HEADER_MEANINGS = {
    "Idempotency-Key": "Chosen by the caller, a new one for each thing to do. A request that is sent again "
    "with its key within 24 hours is not done again: it gets the first answer.",
    "If-None-Match": "An ETag; answered 304 while that is what a read gives.",
    "If-Match": "An ETag; answered 412, and nothing is done, unless that is what a read gives.",
}
_HEADER_SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "Idempotency-Key": {"type": "string", "pattern": r"^[\x21-\x7e]{1,255}$"},
}

_WHOLE = {"type": "integer", "minimum": 0}
_ANSWER_HEADERS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "X-Request-Id": ("Names the request in the log; one that was sent is kept.", {"type": "string"}),
    "ETag": ("What this is; for If-None-Match and If-Match.", {"type": "string"}),
    "Retry-After": ("Seconds until it is worth asking again.", _WHOLE),
    "RateLimit-Limit": ("How often one may ask in a window.", _WHOLE),
    "RateLimit-Remaining": ("How often one still may.", _WHOLE),
    "RateLimit-Reset": ("Seconds until the window ends.", _WHOLE),
}


def describe(
    doc: dict[str, Any], doc_info: Mapping[str, Any], *, spec: Any, method: str, **kwargs: Any
) -> dict[str, Any]:
    """Add to an operation what follows from its method, its arguments and its roles."""
    responses = doc.setdefault("responses", {})
    responses.pop(422, None)  # without a schema, from the arguments
    for status in _problems(doc, doc_info, method.lower()):
        described = {"description": DESCRIPTIONS[status], "content": {MEDIA_TYPE: {"schema": ProblemSchema}}}
        responses.setdefault(status, described)
    if method.lower() == "get" and 200 in responses:
        responses[304] = {"description": "It is still what If-None-Match names."}
    responses[414] = dict(_TOO_LONG)
    doc["responses"] = dict(sorted(responses.items()))
    for status, response in doc["responses"].items():
        if status == 414:
            continue
        response["headers"] = {
            name: {"$ref": f"#/components/headers/{name}"} for name in _answer_headers(method.lower(), status)
        }
    names = [name for name, is_taken in _HEADERS if is_taken(method.lower(), doc["responses"])]
    if names:
        doc["parameters"] = [*doc.get("parameters", []), *(_header(name) for name in names)]
    return doc


def complete(spec: APISpec) -> None:
    """Add what belongs to all operations together, once they are all there."""
    for name, (meaning, schema) in _ANSWER_HEADERS.items():
        spec.components.header(name, {"description": meaning, "schema": dict(schema)})
    spec.components.schema("Progress", schema=ProgressSchema)  # the data of events is a text, which names it
    for path in spec.to_dict()["paths"].values():
        for parameter in path.get("parameters", ()):
            meaning, example = _PATH_PARAMETERS[parameter["name"]]
            parameter["description"] = meaning
            parameter["schema"]["examples"] = [example]
    for name, example in json.loads(files("api").joinpath("examples.json").read_text("utf-8")).items():
        spec.components.schemas[name]["examples"] = [example]


def _problems(doc: Mapping[str, Any], doc_info: Mapping[str, Any], method: str) -> set[int]:
    """Return the problems that an operation may be answered with whatever it does."""
    found: set[int] = {*_ALWAYS}
    manual = doc_info.get("manual_doc", {})
    if "security" in manual:
        found |= {401, 403}
    if "arguments" in doc_info:
        found.add(422)
    if "requestBody" in doc or "requestBody" in manual:
        found |= {400, 413, 415, 422}
    if method == "post":
        found |= {409, 422}
    return found


def _answer_headers(method: str, status: int) -> list[str]:
    names = ["X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]
    if method == "get" and status in (200, 304):
        names.append("ETag")
    if status in (429, 503):
        names.append("Retry-After")
    return names


def _header(name: str) -> dict[str, Any]:
    """Return the description of a header that may be sent."""
    return {
        "in": "header",
        "name": name,
        "required": False,
        "schema": dict(_HEADER_SCHEMAS.get(name, {"type": "string"})),
        "description": _HEADER_MEANINGS[name],
    }
