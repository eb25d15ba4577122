"""Editions: the frozen standings of a tournament."""

import marshmallow as ma
from marshmallow import fields

from api.schemas.fields import Moment

_HASH = "SHA-256 of the canonical JSON of all tables, fractions as texts."


class EditionSchema(ma.Schema):
    """One edition of the final standings; it never changes."""

    id = fields.UUID(required=True)
    number = fields.Integer(required=True, metadata={"description": "From 1; the highest one counts."})
    sha256 = fields.String(required=True, metadata={"description": _HASH})
    created_at = Moment(required=True)


class EditionsSchema(ma.Schema):
    """All editions of a tournament."""

    items = fields.List(fields.Nested(EditionSchema), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata={"description": "Always null."})


class FrozenTableSchema(ma.Schema):
    """One table of an edition, as it stands in the record of the tournament."""

    event = fields.Raw(required=True, metadata={"description": 'Index of an event, or "overall".'})
    rows = fields.List(fields.Dict(), required=True)


class FullEditionSchema(EditionSchema):
    """One edition with its tables."""

    standings = fields.List(fields.Nested(FrozenTableSchema), required=True)
