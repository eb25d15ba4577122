"""The cross-table of an event: who did how well against whom."""

import marshmallow as ma
from marshmallow import fields

from api.schemas.fields import ExactRatio, Ratio, index_field
from store.models.tournaments import EventState


class CrosstableQuerySchema(ma.Schema):
    """Which event."""

    event = index_field("The event with this index; left out: the first one.")


class CrosstableRowSchema(ma.Schema):
    """An entrant of the cross-table, in the order of the standings."""

    place = fields.Integer(required=True)
    entrant = fields.Integer(required=True)
    name = fields.String(required=True)


class MeetingSchema(ma.Schema):
    """How one entrant did against one other: of two that beat each other equally often, 1/2."""

    entrant = fields.Integer(required=True)
    opponent = fields.Integer(required=True)
    matches = fields.Integer(required=True)
    share = Ratio(required=True, metadata={"description": "0 to 1: wins and half of the ties, by matches."})
    share_exact = ExactRatio(required=True, dump_only=True, attribute="share")


class CrosstableSchema(ma.Schema):
    """Who did how well against whom; both orders of a pair are there, pairs that have not met are not."""

    tournament_id = fields.UUID(required=True)
    event = fields.Integer(required=True)
    game = fields.String(required=True)
    state = fields.Enum(EventState, by_value=True, required=True)
    rows = fields.List(fields.Nested(CrosstableRowSchema), required=True)
    meetings = fields.List(fields.Nested(MeetingSchema), required=True)
