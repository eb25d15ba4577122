"""Webhooks and what was delivered to them."""

from typing import Any

import marshmallow as ma
from marshmallow import fields, validate

from api.schemas.fields import Moment, Truth, page_of
from store.bots import MAX_URL
from store.models.webhooks import DeliveryState, HookEvent

_CHOSEN = [event.value for event in HookEvent if event is not HookEvent.PING]


def _url_field(**more: Any) -> fields.String:
    return fields.String(
        validate=validate.Length(min=1, max=MAX_URL),
        metadata={"description": "Where events are posted to, exactly as given.", "format": "uri"},
        **more,
    )


def _events_field(**more: Any) -> fields.List[str]:
    return fields.List(
        fields.String(validate=validate.OneOf(_CHOSEN)),
        validate=validate.Length(min=1, max=len(_CHOSEN)),
        metadata={
            "description": "What it is told: of tournaments everybody's, of versions and bots one's own."
        },
        **more,
    )


class NewWebhookSchema(ma.Schema):
    """A webhook to be made."""

    url = _url_field(required=True)
    events = _events_field(required=True)


class WebhookChangeSchema(ma.Schema):
    """What is to be changed of a webhook; what is left out stays."""

    url = _url_field(load_default=None)
    events = _events_field(load_default=None)
    is_off = Truth(load_default=None)


class WebhookSchema(ma.Schema):
    """A URL that is told of events."""

    id = fields.UUID(required=True)
    url = fields.String(required=True)
    events = fields.List(fields.String(), required=True)
    is_off = fields.Boolean(
        required=True, metadata={"description": "Whether it is switched off: then it is told nothing more."}
    )
    created_at = Moment(required=True)


class CreatedWebhookSchema(WebhookSchema):
    """A new webhook with its secret."""

    secret = fields.String(
        required=True,
        metadata={"description": "Signs what is sent, as that of an endpoint does; shown this once."},
    )


class HookSecretSchema(ma.Schema):
    """The secret of a webhook, shown this once."""

    secret = fields.String(required=True)


class AttemptSchema(ma.Schema):
    """One attempt to deliver."""

    at = fields.String(required=True, metadata={"format": "date-time"})
    status = fields.Integer(
        required=True, allow_none=True, metadata={"description": "Of the answer; null when none came."}
    )
    detail = fields.String(required=True, metadata={"description": "What went wrong; empty when nothing."})
    used_ms = fields.Integer(required=True)


class DeliverySchema(ma.Schema):
    """One event for a webhook, and every attempt to send it."""

    id = fields.UUID(
        required=True, metadata={"description": "Sent as Fudaba-Delivery, the same in every attempt."}
    )
    event = fields.String(required=True)
    body = fields.String(required=True, metadata={"description": "The very text that is sent."})
    state = fields.Enum(DeliveryState, by_value=True, required=True)
    attempts = fields.List(fields.Nested(AttemptSchema), required=True)
    next_at = Moment(required=True, metadata={"description": "While it waits: when it is tried next."})
    created_at = Moment(required=True)
    done_at = Moment(required=True, allow_none=True)


WebhookPageSchema = page_of(WebhookSchema)
DeliveryPageSchema = page_of(DeliverySchema)
