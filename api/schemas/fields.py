"""Kinds of field: points in time, exact whole numbers and truth values, fractions, pages."""

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from api.paging import DEFAULT_LIMIT, MOST_ROWS

_MOST_INTEGER = (1 << 31) - 1


class Moment(fields.DateTime):
    """A point in time as RFC 3339 in UTC, to the microsecond."""

    def _serialize(self, value: datetime | None, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        if value is None:
            return None
        return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> datetime:
        if not isinstance(value, str):
            raise self.make_error("invalid", input=value, obj_type=self.OBJ_TYPE)
        moment = super()._deserialize(value, attr, data, **kwargs)
        if moment.tzinfo is None:
            raise ma.ValidationError("The time has no zone; expected RFC 3339, such as 2026-12-24T18:00:00Z.")
        try:
            return moment.astimezone(UTC)
        except OverflowError as error:
            raise ma.ValidationError("The time is beyond the calendar.") from error


class Whole(fields.Integer):
    """A JSON number without a fraction, such as 1 or 1.0; neither true nor "1" is one."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strict=True, **kwargs)

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> int:
        if isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        whole = int(value) if isinstance(value, float) and value.is_integer() else value
        return super()._deserialize(whole, attr, data, **kwargs)


class Number(fields.Float):
    """A JSON number; neither true nor "0.5" is one."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class Truth(fields.Boolean):
    """JSON true or false, nothing that merely resembles them."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Ratio(fields.Float):
    """A fraction as the nearest JSON number."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else float(value)


class ExactRatio(fields.String):
    """A fraction in full, such as "7/12"."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return None if value is None else str(Fraction(value))


def index_field(meaning: str) -> fields.Integer:
    """Return the field of a query parameter that is a whole number from 0."""
    return fields.Integer(
        validate=validate.Range(min=0, max=_MOST_INTEGER),
        load_default=None,
        metadata={"description": meaning},
    )


class PageQuerySchema(ma.Schema):
    """Which page of a list."""

    limit = fields.Integer(
        load_default=DEFAULT_LIMIT,
        validate=validate.Range(min=1, max=MOST_ROWS),
        metadata={"description": "How many items at most."},
    )
    cursor = fields.String(
        load_default=None,
        validate=validate.Length(min=1, max=500),
        metadata={"description": "`next_cursor` of the page before."},
    )


def page_of(item: type[ma.Schema]) -> type[ma.Schema]:
    """Return the schema of a page of items."""
    name = item.__name__.removesuffix("Schema")
    return ma.Schema.from_dict(
        {
            "items": fields.List(fields.Nested(item), required=True),
            "next_cursor": fields.String(
                required=True,
                allow_none=True,
                metadata={"description": "Send it as `cursor` for the next page; null on the last one."},
            ),
        },
        name=f"{name}PageSchema",
    )
