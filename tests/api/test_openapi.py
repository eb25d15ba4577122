"""The OpenAPI document: valid, complete, and true of what is answered; and its page."""

import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from flask import Flask
from openapi_spec_validator import validate
from support import tour
from support.callers import Caller

from api.errors import HTTP_CODES, STATUS
from workers.services import Services


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
        expected = {"429", "503"}
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
            if int(status) >= 400 and status != "414":  # the server's own answer
                shown = response["content"]["application/problem+json"]["schema"]
                assert shown == {"$ref": "#/components/schemas/Problem"}


def test_every_operation_says_what_it_does(document: dict[str, Any]) -> None:
    summaries = [operation["summary"] for _, _, operation in operations(document)]
    assert all(text.endswith(".") for text in summaries)


def problems_of(document: dict[str, Any], schema: dict[str, Any], value: Any) -> list[str]:
    whole = {**schema, "components": document["components"]}
    validator = jsonschema.Draft202012Validator(whole, format_checker=jsonschema.FormatChecker())
    return [f"{error.json_path} {error.message}" for error in validator.iter_errors(value)]


def test_every_operation_is_answered_in_the_documented_shape(
    services: Services, organiser: Caller, document: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stops = tour.whole(services, organiser, monkeypatch)
    asked = {(f"/api/v1{stop.path}", stop.method) for stop in stops}
    assert asked == {(path, method) for path, method, _ in operations(document)}
    for stop in stops:
        operation = document["paths"][f"/api/v1{stop.path}"][stop.method]
        content = operation["responses"][str(stop.answer.status_code)].get("content", {})
        assert stop.answer.mimetype in content or (not content and stop.answer.data == b""), stop.path
        if stop.answer.is_json:
            schema = content[stop.answer.mimetype]["schema"]
            assert problems_of(document, schema, stop.answer.json) == [], stop.path
            shape = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
            assert set(stop.answer.json) <= set(shape["properties"]), stop.path


def test_every_body_that_is_sent_or_answered_has_an_example_of_its_schema(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for path, method, operation in operations(document):
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for content in (kind for body in bodies for kind in body.get("content", {}).values()):
            name = content["schema"].get("$ref", "").rpartition("/")[2]
            assert not name or schemas[name]["examples"], (method, path, name)
    for name, schema in schemas.items():
        for example in schema.get("examples", ()):
            assert problems_of(document, schema, example) == [], name


def test_every_parameter_and_answer_is_explained(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        for parameter in [*document["paths"][path].get("parameters", ()), *operation.get("parameters", ())]:
            assert parameter["description"], (path, parameter)
        for status, response in operation["responses"].items():
            assert response["description"], (method, path, status)
            assert status == "414" or {"X-Request-Id", "RateLimit-Remaining"} <= set(response["headers"])
        assert "Retry-After" in operation["responses"]["429"]["headers"]


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
