"""The reference of the REST API as a page of the documentation, made of the OpenAPI document."""

import json
from collections.abc import Iterator
from typing import Any

from api.docs import problem_codes, schema_text

_INTRODUCTION = """# The API, route by route

Made of the OpenAPI document, which a running service has at `/api/v1/openapi.json`. What holds for all routes
is in [the API by example](api.md). Every answer may also be one of the [problems](#problems).
"""


def markdown(document: dict[str, Any]) -> str:
    """Return the whole reference."""
    schemas = document["components"]["schemas"]
    groups: dict[str, list[str]] = {tag["name"]: [f"\n## {tag['description']}\n"] for tag in document["tags"]}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method != "parameters":
                shared = methods.get("parameters", [])
                groups[operation["tags"][0]] += _operation(method, path, operation, shared, schemas)
    lines = [_INTRODUCTION, *(line for group in groups.values() for line in group), *_shapes(schemas)]
    return "\n".join([*lines, *_problems()]) + "\n"


def _operation(
    method: str, path: str, operation: dict[str, Any], shared: list[dict[str, Any]], schemas: dict[str, Any]
) -> Iterator[str]:
    yield f"\n### {method.upper()} {path}\n"
    yield f"{operation['summary']} {operation.get('description', '')}\n"
    yield f"{_who(operation)}\n"
    parameters = [*shared, *operation.get("parameters", [])]
    if parameters:
        yield "| parameter | in | type | meaning |\n|--|--|--|--|"
        for one in parameters:
            kind = _cell(schema_text(one["schema"]))
            yield f"| `{one['name']}` | {one['in']} | {kind} | {one['description']} |"
        yield ""
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        yield f"Body, `{kind}`: {_linked(content['schema'])}\n"
        yield from _example(content["schema"], schemas)
    for status, response in operation["responses"].items():
        if status >= "400":
            continue
        for kind, content in response.get("content", {"nothing": {"schema": {}}}).items():
            shape = f", `{kind}`: {_linked(content['schema'])}" if content["schema"] else ""
            yield f"Answers {status}{shape}.\n"
            yield from _example(content["schema"], schemas)
    yield f"Problems: {', '.join(status for status in operation['responses'] if status >= '400')}."


def _who(operation: dict[str, Any]) -> str:
    security = operation.get("security")
    if not security:
        return "Open to everybody."
    return "A token is welcome." if {} in security else "Needs a token."


def _linked(schema: dict[str, Any]) -> str:
    text = schema_text(schema)
    return f"[{text}](#{text.lower()})" if "$ref" in schema else text


def _example(schema: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    found = schemas.get(schema.get("$ref", "").rpartition("/")[2], {}).get("examples")
    if found:
        text = json.dumps(found[0], indent=1, ensure_ascii=False)
        yield f'??? example "Example"\n\n    ```json\n{_indented(text)}\n    ```\n'


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _shapes(schemas: dict[str, Any]) -> Iterator[str]:
    yield "\n## Shapes\n"
    for name, schema in sorted(schemas.items()):
        yield f"\n### {name}\n\n{schema.get('description', '')}\n"
        yield "| field | type | meaning |\n|--|--|--|"
        for field, shape in schema.get("properties", {}).items():
            needed = "" if field in schema.get("required", ()) else " (optional)"
            meaning = _cell(shape.get("description", ""))
            yield f"| `{field}`{needed} | {_cell(schema_text(shape))} | {meaning} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _problems() -> Iterator[str]:
    yield "\n## Problems\n\n| code | status | meaning |\n|--|--|--|"
    for code, status, meaning in problem_codes():
        yield f"| `{code}` | {status} | {_cell(meaning)} |"
