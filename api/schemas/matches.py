"""Matches and replays."""

import marshmallow as ma
from marshmallow import fields

from api.schemas.fields import ExactRatio, Moment, PageQuerySchema, index_field, page_of


class MatchQuerySchema(PageQuerySchema):
    """Which matches."""

    event = index_field("Only matches of the event with this index.")
    entrant = index_field("Only matches that the entrant with this number sat in.")


class MatchSchema(ma.Schema):
    """A finished match; lists of players are by seat."""

    id = fields.String(required=True)
    tournament_id = fields.UUID(required=True)
    event = fields.Integer(required=True, attribute="event_index")
    number = fields.Integer(required=True)
    game = fields.String(required=True)
    block = fields.Integer(required=True)
    deal = fields.Integer(required=True)
    rotation = fields.Integer(required=True)
    table = fields.List(fields.Integer(), required=True, metadata={"description": "Entrants by side."})
    entrants = fields.List(fields.Integer(), required=True, metadata={"description": "Entrants by seat."})
    scores = fields.List(fields.Integer(), required=True)
    places = fields.List(fields.Integer(), required=True)
    points = fields.List(ExactRatio(), required=True)
    forfeits = fields.List(fields.Integer(), required=True, metadata={"description": "Seats that forfeited."})
    faults = fields.Integer(required=True)
    decisions = fields.Integer(required=True)
    played_at = Moment(required=True)


class ReplayQuerySchema(ma.Schema):
    """Through whose eyes."""

    seat = index_field("What this seat saw; left out: what every seat saw.")


class StepSchema(ma.Schema):
    """One decision of a match, or with seat and action null its end."""

    step = fields.Integer(required=True)
    seat = fields.Integer(required=True, allow_none=True)
    action = fields.String(required=True, allow_none=True)
    legal = fields.List(fields.String(), required=True)
    observations = fields.Dict(
        keys=fields.String(), values=fields.Dict(), required=True, metadata={"description": "By seat."}
    )


class RecordSchema(ma.Schema):
    """All that a match follows from."""

    game = fields.String(required=True)
    options = fields.Dict(required=True)
    seats = fields.Integer(required=True)
    seed = fields.String(required=True, metadata={"description": "Lower-case hex."})
    actions = fields.List(fields.String(), required=True)


class ReplaySchema(ma.Schema):
    """A finished match step by step."""

    match = fields.Nested(MatchSchema, required=True)
    record = fields.Nested(RecordSchema, required=True)
    steps = fields.List(fields.Nested(StepSchema), required=True)
    faults = fields.List(
        fields.List(fields.Raw()), required=True, metadata={"description": "Triples of step, seat and code."}
    )
    spent = fields.List(
        fields.List(fields.Float()),
        required=True,
        metadata={
            "description": "Pairs of step and milliseconds that the decision took, as far as it was counted: "
            "CPU of a module, wall of an endpoint. No part of the record, since no two plays agree in it."
        },
    )


MatchPageSchema = page_of(MatchSchema)
