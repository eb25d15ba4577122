"""The page that shows the OpenAPI document to people; it loads nothing from elsewhere."""

from typing import Any

from apispec import APISpec
from flask import Flask, Response, render_template

from api.errors import DOCS_PATH, HTTP_CODES, STATUS

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def register(app: Flask, spec: APISpec) -> None:
    """Serve the page."""

    def show() -> Response:
        page = render_template(
            "docs.html", spec=spec.to_dict(), problems=problem_codes(), schema_text=schema_text
        )
        return Response(
            page, content_type="text/html; charset=utf-8", headers={"Content-Security-Policy": _POLICY}
        )

    app.add_url_rule(DOCS_PATH, "docs", show)


def problem_codes() -> list[tuple[str, int, str]]:
    """Return every code of a problem with its status and its meaning, by status."""
    ours = [(kind.code, status.value, kind.__doc__ or "") for kind, status in STATUS.items()]
    http = [(code, status, "") for status, code in HTTP_CODES.items()]
    known = {code: (code, status, text) for code, status, text in [*http, *ours]}
    return sorted(known.values(), key=lambda row: (row[1], row[0]))


def schema_text(schema: dict[str, Any]) -> str:
    """Return the type of a JSON schema in a few words, such as `array of Bot`."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(schema_text(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(str(value) for value in schema["enum"])
    kinds = schema.get("type", "anything")
    text = " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
    if "items" in schema:
        text += f" of {schema_text(schema['items'])}"
    if "format" in schema:
        text += f" ({schema['format']})"
    return text
