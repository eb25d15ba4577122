"""Standings of a tournament and of its events."""

import marshmallow as ma
from marshmallow import fields, validate

from api.schemas.fields import ExactRatio, Ratio, index_field
from store.models.tournaments import EventState, TournamentState


class StandingsQuerySchema(ma.Schema):
    """Which table, in which form."""

    event = index_field("Only this event; left out: the table over all events and every event's.")
    format = fields.String(
        load_default=None,
        validate=validate.OneOf(["json", "csv"]),
        metadata={"description": "Left out: by the Accept header, JSON when it says nothing."},
    )


def _estimate(meaning: str) -> fields.Float:
    return fields.Float(required=True, allow_none=True, metadata={"description": meaning})


class RowSchema(ma.Schema):
    """One line of an event's standings."""

    place = fields.Integer(required=True)
    entrant = fields.Integer(required=True)
    name = fields.String(required=True)
    matches = fields.Integer(required=True)
    wins = fields.Integer(required=True)
    points = Ratio(required=True, metadata={"description": "Mean of a match, 0 to 1; ranks the rows."})
    points_exact = ExactRatio(required=True, dump_only=True, attribute="points")
    points_low = _estimate("The 95% interval of the points by the luck of the deals, from here")
    points_high = _estimate("to here; null before enough has been played.")
    rating = _estimate(
        "Maximum likelihood on all results; the field's mean is 1500, odds of 10 to 1 are 400."
    )
    rating_low = _estimate("The 95% interval of the rating, from here")
    rating_high = _estimate("to here.")
    mean_score = Ratio(required=True)
    mean_score_exact = ExactRatio(required=True, dump_only=True, attribute="mean_score")
    faults = fields.Integer(required=True)
    forfeits = fields.Integer(required=True)
    is_endpoint_team = fields.Boolean(
        required=True,
        metadata={
            "description": "Whether it is an endpoint that fills a team; it can join what its seats see."
        },
    )
    reason = fields.String(required=True, metadata={"description": "Why it is ahead of the next row."})


class OverallRowSchema(ma.Schema):
    """One line of the standings over all events."""

    place = fields.Integer(required=True)
    entrant = fields.Integer(required=True)
    name = fields.String(required=True)
    matches = fields.Integer(required=True)
    wins = fields.Integer(required=True)
    points = Ratio(required=True, metadata={"description": "Mean over the events, 0 to 1; ranks the rows."})
    points_exact = ExactRatio(required=True, dump_only=True, attribute="points")
    points_low = _estimate("The 95% interval of the points by the luck of the deals, from here")
    points_high = _estimate("to here; null before enough has been played.")
    rating = _estimate(
        "Maximum likelihood on all results; the field's mean is 1500, odds of 10 to 1 are 400."
    )
    rating_low = _estimate("The 95% interval of the rating, from here")
    rating_high = _estimate("to here.")
    mean_score = Ratio(required=True, metadata={"description": "Mean over the events; breaks ties."})
    mean_score_exact = ExactRatio(required=True, dump_only=True, attribute="mean_score")
    faults = fields.Integer(required=True)
    forfeits = fields.Integer(required=True)
    places = fields.Dict(
        keys=fields.String(),
        values=fields.Integer(),
        required=True,
        metadata={"description": "The place in each event, by its index."},
    )
    reason = fields.String(required=True, metadata={"description": "Why it is ahead of the next row."})


class EventTableSchema(ma.Schema):
    """The standings of one event."""

    index = fields.Integer(required=True)
    game = fields.String(required=True)
    seats = fields.Integer(required=True)
    options = fields.Dict(required=True)
    state = fields.Enum(EventState, by_value=True, required=True)
    matches = fields.Integer(required=True)
    played = fields.Integer(required=True)
    rows = fields.List(fields.Nested(RowSchema), required=True)


class EditionRefSchema(ma.Schema):
    """Which frozen standings these are."""

    number = fields.Integer(required=True)
    sha256 = fields.String(required=True)


class StandingsSchema(ma.Schema):
    """The standings of a tournament as they are at one moment."""

    tournament_id = fields.UUID(required=True)
    state = fields.Enum(TournamentState, by_value=True, required=True)
    edition = fields.Nested(
        EditionRefSchema,
        required=True,
        allow_none=True,
        metadata={"description": "Once the tournament is finished: its frozen standings, which never move."},
    )
    overall = fields.List(
        fields.Nested(OverallRowSchema),
        required=True,
        allow_none=True,
        metadata={"description": "Null when one event was asked for."},
    )
    events = fields.List(fields.Nested(EventTableSchema), required=True)
