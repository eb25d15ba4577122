"""The OpenAPI document: valid, complete, and true of what is answered; and its page."""

import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from flask import Flask
from openapi_spec_validator import validate
from support import arena
from support.callers import Caller

from api.errors import HTTP_CODES, STATUS
from workers.services import Services

BODIES = {"/accounts", "/tokens", "/bots", "/bots/{bot_id}/versions", "/tournaments"}


@pytest.fixture
def document(anybody: Caller) -> dict[str, Any]:
    body: dict[str, Any] = anybody.get("/openapi.json").json
    return body


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method != "parameters":
                yield path, method, operation


def test_the_document_is_valid(document: dict[str, Any]) -> None:
    assert document["openapi"] == "3.1.0"
    validate(document)


def test_every_route_below_the_prefix_is_in_the_document(anybody: Caller, document: dict[str, Any]) -> None:
    app: Flask = anybody.client.application
    routes = {
        (re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/api/v1/") and rule.endpoint not in ("docs", "api-docs.openapi_json")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert {(path, method) for path, method, _ in operations(document)} == routes


def test_every_operation_documents_the_problems_that_it_can_answer(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        expected = set()
        if operation.get("security"):
            expected |= {"401", "403"}
        if "{" in path:
            expected.add("404")
        if "requestBody" in operation:
            expected |= {"400", "413", "415", "422"}
        if any(one["in"] == "query" for one in operation.get("parameters", [])):
            expected.add("422")
        assert expected <= set(operation["responses"]), (method, path)
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                shown = response["content"]["application/problem+json"]["schema"]
                assert shown == {"$ref": "#/components/schemas/Problem"}


def test_every_operation_says_what_it_does(document: dict[str, Any]) -> None:
    summaries = [operation["summary"] for _, _, operation in operations(document)]
    assert all(text.endswith(".") for text in summaries)
    for _, _, operation in operations(document):
        for parameter in operation.get("parameters", []):
            assert parameter.get("description") or parameter["name"] == "state"


def answered(services: Services, organiser: Caller) -> Iterator[tuple[str, str, Any]]:
    """Yield (path in the document, method, answer) of real answers of every kind."""
    tournament = arena.started(services.database)
    arena.play_all(services)
    bot = organiser.submit({"name": "b"}).json["id"]
    path = f"/tournaments/{tournament.id}"
    match = organiser.get(f"{path}/matches").json["items"][0]["id"]
    yield "/accounts", "post", organiser.post("/accounts", {"name": "ann"})
    yield "/accounts", "post", organiser.post("/accounts", {"name": "ann"})
    yield "/accounts", "post", organiser.post("/accounts", {"x": 1})
    yield "/accounts/me", "get", organiser.get("/accounts/me")
    yield "/tokens", "post", organiser.post("/tokens")
    yield "/games", "get", organiser.get("/games")
    yield "/games/{game_id}", "get", organiser.get("/games/sutda")
    yield "/games/{game_id}", "get", organiser.get("/games/go")
    yield "/bots", "get", organiser.get("/bots")
    yield "/bots", "post", organiser.submit({"name": "b"})
    yield "/bots/{bot_id}", "get", organiser.get(f"/bots/{bot}")
    for below in ("versions", "faults", "logs"):
        yield f"/bots/{{bot_id}}/{below}", "get", organiser.get(f"/bots/{bot}/{below}")
    yield "/bots/{bot_id}/versions/{number}", "get", organiser.get(f"/bots/{bot}/versions/1")
    qualification = organiser.get(f"/bots/{bot}/versions/1/qualification")
    yield "/bots/{bot_id}/versions/{number}/qualification", "get", qualification
    activated = organiser.post(f"/bots/{bot}/versions/1/activate")
    yield "/bots/{bot_id}/versions/{number}/activate", "post", activated
    yield "/tournaments", "get", organiser.get("/tournaments")
    plan = {"name": "cup", "entrants": ["house/first"]}
    yield "/tournaments", "post", organiser.post("/tournaments", plan)
    yield "/tournaments", "post", organiser.post("/tournaments?dry_run=1", plan)
    yield "/tournaments/{tournament_id}", "get", organiser.get(path)
    for below in ("entrants", "events", "standings", "matches", "editions"):
        yield f"/tournaments/{{tournament_id}}/{below}", "get", organiser.get(f"{path}/{below}")
    yield "/tournaments/{tournament_id}/editions/{number}", "get", organiser.get(f"{path}/editions/1")
    yield "/tournaments/{tournament_id}/editions/{number}", "get", organiser.get(f"{path}/editions/2")
    yield "/tournaments/{tournament_id}/cancel", "post", organiser.post(f"{path}/cancel")
    yield "/matches/{match_id}", "get", organiser.get(f"/matches/{match}")
    yield "/matches/{match_id}/replay", "get", organiser.get(f"/matches/{match}/replay")
    yield "/healthz", "get", organiser.get("/healthz")
    yield "/readyz", "get", organiser.get("/readyz")


def test_answers_are_of_the_documented_shape(
    services: Services, organiser: Caller, document: dict[str, Any]
) -> None:
    for path, method, answer in answered(services, organiser):
        operation = document["paths"][f"/api/v1{path}"][method]
        content = operation["responses"][str(answer.status_code)]["content"]
        schema = {**content[answer.content_type]["schema"], "components": document["components"]}
        validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())
        problems = [
            f"{path}: {error.json_path} {error.message}" for error in validator.iter_errors(answer.json)
        ]
        assert problems == []
        shape = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        assert set(answer.json) <= set(shape["properties"]), path


def test_the_page_shows_every_operation_and_problem_and_loads_nothing(
    anybody: Caller, document: dict[str, Any]
) -> None:
    page = anybody.get("/docs")
    assert page.content_type == "text/html; charset=utf-8"
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    for path, method, _ in operations(document):
        assert f'id="{method}-{path}"' in page.text
    for code in {kind.code for kind in STATUS} | set(HTTP_CODES.values()):
        assert f'id="problem-{code}"' in page.text
    assert re.findall(r'(?:src|href)="(?!#|/api/v1/)[^"]*"', page.text) == []
    assert "<script" not in page.text
    targets = set(re.findall(r'href="#([^"]*)"', page.text))
    assert targets <= set(re.findall(r'id="([^"]*)"', page.text))
