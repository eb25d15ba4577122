"""Games and their options."""

import marshmallow as ma
from marshmallow import fields


class NotationSchema(ma.Schema):
    """One form of an action text or card code, and its meaning."""

    form = fields.String(required=True)
    meaning = fields.String(required=True)


class GameSummarySchema(ma.Schema):
    """A game in short."""

    id = fields.String(required=True)
    title = fields.String(required=True)
    summary = fields.String(required=True)
    seats = fields.List(
        fields.Integer(), required=True, metadata={"description": "Allowed numbers of seats."}
    )
    default_seats = fields.Integer(required=True)


class GameSchema(GameSummarySchema):
    """A game with its options and its notation."""

    options_schema = fields.Dict(
        required=True, metadata={"description": "JSON schema of the options, with their defaults."}
    )
    notation = fields.List(fields.Nested(NotationSchema), required=True)


class GamesSchema(ma.Schema):
    """All games."""

    items = fields.List(fields.Nested(GameSummarySchema), required=True)
    next_cursor = fields.String(
        required=True, allow_none=True, metadata={"description": "Always null: the list is short."}
    )
