"""Blueprints as this API uses them: typed decorators, strict parsing, and every problem documented."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, NoReturn, TypeVar, cast

import flask_smorest
import marshmallow as ma
import msgspec
from flask import Request
from flask.views import MethodView
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from api import operations
from api.errors import MEDIA_TYPE, InvalidInput
from api.schemas.problems import ProblemSchema

View = TypeVar("View", bound=Callable[..., Any])
Resource = TypeVar("Resource", bound=type[MethodView])
SchemaKind = ma.Schema | type[ma.Schema]


class Parser(FlaskParser):
    """Reads arguments; unknown fields are errors wherever they stand."""

    def __init__(self) -> None:
        super().__init__()
        self.DEFAULT_UNKNOWN_BY_LOCATION = {**FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION, "query": ma.RAISE}

    def _raw_load_json(self, req: Request) -> Any:
        return load_json(req)

    def handle_error(self, error: ma.ValidationError, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise InvalidInput naming the fields."""
        messages = error.messages
        if isinstance(messages, dict):
            messages = list(messages.values())  # webargs puts the location around them
        raise InvalidInput(messages) from error


def load_json(request: Request) -> Any:
    """Return the JSON body of a request, an empty object when it has none; answers 400 or 415 otherwise."""
    if request.mimetype and not request.is_json:
        raise UnsupportedMediaType(f"the body is {request.mimetype}; expected application/json")
    body = request.get_data(cache=True)
    if not body and not request.mimetype:
        return {}
    if not request.mimetype:
        raise UnsupportedMediaType("the body is of no type; expected application/json")
    return decode_json(body)


class Malformed(BadRequest):
    """A text that is no JSON; `field` names the part of the body that it is, None for the whole."""

    def __init__(self, description: str, field: str | None) -> None:
        super().__init__(description)
        self.field = field


def decode_json(body: bytes, field: str | None = None) -> Any:
    """Return the value that a JSON text writes; answers 400 when it is none."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Malformed(f"the JSON cannot be read: {error}", field) from error


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]
    """A group of routes; what each may be answered with is in the document without being said again."""

    ARGUMENTS_PARSER = Parser()

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name, "api", url_prefix="/api/v1", description=description)
        self._prepare_doc_cbks.append(operations.describe)

    def resource(self, rule: str) -> Callable[[Resource], Resource]:
        """Route `rule` to a class with a method for each HTTP method."""
        return cast(Callable[[Resource], Resource], self.route(rule))

    def takes(self, schema: SchemaKind, location: str = "json") -> Callable[[View], View]:
        """Give the view what `schema` reads from the body ("json") or the query string ("query")."""
        shape = schema() if isinstance(schema, type) else schema
        is_needed = any(field.required for field in shape.load_fields.values())
        return cast(Callable[[View], View], self.arguments(schema, location=location, required=is_needed))

    def answers(
        self,
        status: int,
        schema: SchemaKind | dict[str, Any] | None = None,
        *,
        content_type: str | None = None,
    ) -> Callable[[View], View]:
        """Answer with `status` and what `schema` makes of the view's result; a dict only documents it."""
        return cast(Callable[[View], View], self.response(status, schema, content_type=content_type))

    def also_answers(
        self,
        status: int,
        schema: SchemaKind | dict[str, Any] | None = None,
        *,
        content_type: str = "application/json",
    ) -> Callable[[View], View]:
        """Document another form of the answer; one without a schema has no body."""
        return cast(
            Callable[[View], View],
            self.alt_response(
                status,
                schema=schema,
                content_type=None if schema is None else content_type,
                description=HTTPStatus(status).phrase,
                success=True,
            ),
        )

    def problems(self, *statuses: int) -> Callable[[View], View]:
        """Document that the view may be answered with problems of these statuses."""

        def decorate(view: View) -> View:
            for status in statuses:
                view = self.alt_response(
                    status,
                    schema=ProblemSchema,
                    content_type=MEDIA_TYPE,
                    description=operations.DESCRIPTIONS[status],
                )(view)
            return view

        return decorate
