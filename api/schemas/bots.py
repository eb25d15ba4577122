"""Bots, submissions, versions, faults and logs."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from api.schemas.accounts import NAME, name_field
from api.schemas.fields import Moment, PageQuerySchema, Truth, Whole, page_of
from store.bots import DEFAULT_MAX_BATCH, DEFAULT_MAX_IN_FLIGHT, MAX_BATCH, MAX_IN_FLIGHT, MAX_URL
from store.models.bots import BotKind, VersionState, Visibility


def _games_field(meaning: str = "left out or empty: all of them.", **more: Any) -> fields.List[str]:
    return fields.List(
        fields.String(validate=validate.Length(max=40)),
        validate=validate.Length(max=100),
        metadata={"description": f"Ids of the games that it plays; {meaning}"},
        **{"load_default": list, **more},
    )


class NewModuleVersionSchema(ma.Schema):
    """What is said about an uploaded module of a known bot."""

    games = _games_field()


class NewModuleSchema(NewModuleVersionSchema):
    """What is said about an uploaded module."""

    name = name_field("The name of the bot; one that the account has already gets another version.")


class NewEndpointVersionSchema(ma.Schema):
    """An endpoint of a known bot."""

    url = fields.String(
        required=True,
        validate=validate.Length(min=1, max=MAX_URL),
        metadata={"description": "Where requests are posted to, exactly as given.", "format": "uri"},
    )
    max_batch = Whole(
        load_default=DEFAULT_MAX_BATCH,
        validate=validate.Range(min=1, max=MAX_BATCH),
        metadata={"description": "How many requests one exchange may hold."},
    )
    max_in_flight = Whole(
        load_default=DEFAULT_MAX_IN_FLIGHT,
        validate=validate.Range(min=1, max=MAX_IN_FLIGHT),
        metadata={"description": "How many exchanges may run at the same time."},
    )
    games = _games_field()


class NewEndpointSchema(NewEndpointVersionSchema):
    """An endpoint."""

    name = name_field("The name of the bot; one that the account has already gets another version.")


class BotSchema(ma.Schema):
    """A bot."""

    id = fields.UUID(required=True)
    name = fields.String(required=True)
    owner = fields.String(required=True, attribute="owner.name")
    kind = fields.Enum(BotKind, by_value=True, required=True)
    active_version = fields.Integer(
        required=True,
        allow_none=True,
        attribute="active_number",
        metadata={"description": "The version that plays; null while none is qualified."},
    )
    visibility = fields.Enum(
        Visibility,
        by_value=True,
        required=True,
        metadata={
            "description": "A private bot is known to its owner and organisers alone; but the tournaments "
            "that it plays in show its name."
        },
    )
    is_off = fields.Boolean(
        required=True, metadata={"description": "Whether it is switched off: then it enters nothing."}
    )
    created_at = Moment(required=True)


class BotChangeSchema(ma.Schema):
    """What is to be changed of a bot."""

    visibility = fields.Enum(Visibility, by_value=True, load_default=None)
    is_off = Truth(load_default=None)
    games = _games_field(
        "empty: all of them. It needs a version that has qualified for them.", load_default=None
    )


class SubmissionSchema(ma.Schema):
    """The answer to a submission: the bot and the version that it has become."""

    id = fields.UUID(required=True, attribute="bot.id", metadata={"description": "The bot."})
    name = fields.String(required=True, attribute="bot.name")
    owner = fields.String(required=True, attribute="bot.owner.name")
    kind = fields.Enum(BotKind, by_value=True, required=True, attribute="bot.kind")
    version = fields.Integer(
        required=True, attribute="number", metadata={"description": "Number of the version."}
    )
    sha256 = fields.String(
        required=True, metadata={"description": "SHA-256 of the upload, or of the endpoint's URL."}
    )
    state = fields.Enum(VersionState, by_value=True, required=True)
    games = fields.List(fields.String(), required=True)
    secret = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Signs the requests to an endpoint; shown once, at its first version."},
    )


class VersionSchema(ma.Schema):
    """A frozen version of a bot."""

    number = fields.Integer(required=True)
    state = fields.Enum(VersionState, by_value=True, required=True)
    is_active = fields.Function(
        lambda version: version.number == version.bot.active_number,
        required=True,
        metadata={"type": "boolean", "description": "Whether it is the version that plays."},
    )
    sha256 = fields.String(required=True)
    games = fields.List(fields.String(), required=True)
    filename = fields.String(required=True, allow_none=True)
    size = fields.Integer(required=True, allow_none=True, metadata={"description": "Bytes of the upload."})
    url = fields.String(required=True, allow_none=True)
    max_batch = fields.Integer(required=True)
    max_in_flight = fields.Integer(required=True)
    created_at = Moment(required=True)


class QualificationSchema(ma.Schema):
    """How far the qualification of a version is, and what it found."""

    version = fields.Integer(required=True)
    state = fields.Enum(VersionState, by_value=True, required=True)
    position = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "How many versions come before it; null once it is decided."},
    )
    attempt = fields.Integer(
        required=True, metadata={"description": "How often it was begun; 0 while it waits in the queue."}
    )
    report = fields.Dict(
        required=True, allow_none=True, metadata={"description": "What was played and what failed."}
    )


class SecretSchema(ma.Schema):
    """The secret of an endpoint, shown this once."""

    secret = fields.String(required=True)


class FaultSchema(ma.Schema):
    """One fault of a bot, with its evidence."""

    match_id = fields.String(required=True)
    tournament_id = fields.UUID(required=True)
    event = fields.Integer(required=True, attribute="event_index")
    game = fields.String(required=True)
    version = fields.Integer(required=True)
    step = fields.Integer(required=True, metadata={"description": "The decision of the match, from 0."})
    seat = fields.Integer(required=True)
    code = fields.String(required=True)
    detail = fields.String(required=True)
    evidence = fields.Dict(required=True)
    created_at = Moment(required=True)


class LogSchema(ma.Schema):
    """What one seat of a bot printed while it played a part of an event."""

    version = fields.Integer(required=True)
    event_id = fields.UUID(
        required=True, allow_none=True, metadata={"description": "Null: it was printed in qualification."}
    )
    first_number = fields.Integer(required=True, metadata={"description": "The first match of that part."})
    seat = fields.Integer(required=True)
    text = fields.String(required=True)
    created_at = Moment(required=True)


class BotQuerySchema(PageQuerySchema):
    """Which bots."""

    owner = fields.String(
        load_default=None,
        validate=NAME,
        metadata={"description": "Only bots of the account with this name."},
    )


BotPageSchema = page_of(BotSchema)
VersionPageSchema = page_of(VersionSchema)
FaultPageSchema = page_of(FaultSchema)
LogPageSchema = page_of(LogSchema)
