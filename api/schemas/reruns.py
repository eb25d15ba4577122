"""Re-runs of matches: what is chosen, what it would do, what came of it."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from api.schemas.fields import ExactRatio, Moment, Ratio, Truth, Whole
from engine.policies import FaultCode
from store.entries import MOST_ENTRANTS
from store.models.reruns import RerunState
from store.selections import Choice

MOST_NUMBERS = 10_000
_MOST_INTEGER = (1 << 31) - 1


def _index(meaning: str, most: int = _MOST_INTEGER) -> Whole:
    return Whole(
        load_default=None,
        allow_none=True,
        validate=validate.Range(min=0, max=most),
        metadata={"description": meaning},
    )


class RerunQuerySchema(ma.Schema):
    """Whether it is meant."""

    dry_run = fields.Boolean(
        load_default=False, metadata={"description": "Only say what a re-run would do; nothing is changed."}
    )


class NewRerunSchema(ma.Schema):
    """Which matches are to be played again: those that fit all that is given, in whole groups."""

    event = _index("Index of the event; needed with `table` and `numbers`.")
    entrant = _index("An entrant that sits at the table, by number.", 2 * MOST_ENTRANTS)
    table = _index("The table, as in the list of matches.")
    numbers = fields.List(
        Whole(validate=validate.Range(min=0, max=(1 << 62))),
        load_default=list,
        validate=validate.Length(max=MOST_NUMBERS),
        metadata={"description": "Numbers of matches of the event."},
    )
    fault = fields.Enum(
        FaultCode,
        by_value=True,
        load_default=None,
        allow_none=True,
        metadata={"description": "A code of faults that there were, of the entrant if one is given."},
    )
    set_aside = Truth(
        load_default=False, metadata={"description": "Only matches that the platform could not play."}
    )
    reason = fields.String(
        load_default="",
        validate=[
            validate.Length(max=500),
            validate.Regexp(r"^[^\x00-\x1f\x7f]*$(?!\n)", error="Expected a text in one line."),
        ],
        metadata={"description": "Why, for everybody to read, in the record too; a dry run needs none."},
    )


def choice_of(new: dict[str, Any]) -> Choice:
    """Return the choice that the fields of NewRerunSchema write."""
    return Choice(
        event=new["event"],
        entrant=new["entrant"],
        table=new["table"],
        numbers=tuple(new["numbers"]),
        fault=new["fault"],
        set_aside=new["set_aside"],
    )


class RunSchema(ma.Schema):
    """Match numbers in a row."""

    first = fields.Integer(required=True)
    count = fields.Integer(required=True)


class _CountsSchema(ma.Schema):
    """How many matches are concerned."""

    matches = fields.Integer(required=True, metadata={"description": "That are played again."})
    results = fields.Integer(required=True, metadata={"description": "Of these that had been played."})


class RerunEventSchema(_CountsSchema):
    """What is played again of one event."""

    event = fields.Integer(required=True, metadata={"description": "Its index."})
    ranges = fields.List(fields.Nested(RunSchema), required=True)
    followed = fields.List(
        fields.Nested(RunSchema),
        required=True,
        metadata={"description": "Beside those chosen: benching or the early end came out otherwise."},
    )


class RerunSchema(_CountsSchema):
    """A re-run."""

    number = fields.Integer(required=True)
    state = fields.Enum(RerunState, by_value=True, required=True)
    reason = fields.String(required=True)
    events = fields.List(fields.Nested(RerunEventSchema), required=True)
    created_at = Moment(required=True)
    ended_at = Moment(
        required=True, allow_none=True, metadata={"description": "When it was done, or undone."}
    )


class RerunsSchema(ma.Schema):
    """All re-runs of a tournament."""

    items = fields.List(fields.Nested(RerunSchema), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata={"description": "Always null."})


class MovedSchema(ma.Schema):
    """Where an entrant stands, and where it would without the results that would go."""

    entrant = fields.Integer(required=True)
    name = fields.String(required=True)
    place = fields.Integer(required=True)
    points = Ratio(required=True)
    points_exact = ExactRatio(required=True, dump_only=True, attribute="points")
    matches = fields.Integer(required=True)
    place_without = fields.Integer(required=True)
    points_without = Ratio(required=True)
    points_without_exact = ExactRatio(required=True, dump_only=True, attribute="points_without")
    matches_without = fields.Integer(required=True)


class _PreviewCountsSchema(_CountsSchema):
    """How many matches would be concerned."""

    set_aside = fields.Integer(
        required=True, metadata={"description": "Of the matches that the platform had given up."}
    )
    unfinished = fields.Integer(
        required=True, metadata={"description": "That fit but are left out: their group is being played."}
    )


class EventPreviewSchema(_PreviewCountsSchema):
    """What would be played again of one event."""

    event = fields.Integer(required=True, attribute="event.index")
    ranges = fields.List(fields.Nested(RunSchema), required=True)
    rows = fields.List(
        fields.Nested(MovedSchema), required=True, metadata={"description": "Rows that would change."}
    )


class PreviewSchema(_PreviewCountsSchema):
    """What a re-run would do."""

    events = fields.List(fields.Nested(EventPreviewSchema), required=True)
    overall = fields.List(
        fields.Nested(MovedSchema),
        required=True,
        metadata={"description": "Rows of the standings over all events that would change."},
    )
    notes = fields.List(
        fields.String(), required=True, metadata={"description": "What to know before, in sentences."}
    )
