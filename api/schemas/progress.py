"""How far a tournament is, as its stream of events says it."""

import marshmallow as ma
from marshmallow import fields

from store.models.tournaments import EventState, TournamentState


class EventProgressSchema(ma.Schema):
    """How far one event is."""

    index = fields.Integer(required=True)
    state = fields.Enum(EventState, by_value=True, required=True)
    block = fields.Integer(required=True)
    matches = fields.Integer(required=True)
    played = fields.Integer(required=True)
    set_aside = fields.Integer(required=True)
    dropped = fields.Integer(required=True)


class StreamHeadersSchema(ma.Schema):
    """Where a listener goes on."""

    last_event_id = fields.String(
        data_key="Last-Event-ID",
        load_default=None,
        metadata={"description": "The id of the last event that arrived; it is not sent again."},
    )


class ProgressSchema(ma.Schema):
    """How far a tournament is; the data of every event of its stream."""

    tournament_id = fields.UUID(required=True)
    state = fields.Enum(TournamentState, by_value=True, required=True)
    matches = fields.Integer(required=True)
    played = fields.Integer(required=True)
    set_aside = fields.Integer(required=True)
    dropped = fields.Integer(required=True)
    events = fields.List(fields.Nested(EventProgressSchema), required=True)
