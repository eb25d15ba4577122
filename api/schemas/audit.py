"""The audit log."""

import marshmallow as ma
from marshmallow import fields

from api.schemas.fields import Moment, page_of


class AuditEntrySchema(ma.Schema):
    """One action: who did what, when, to which tournament."""

    id = fields.Integer(required=True)
    at = Moment(required=True, attribute="created_at")
    by = fields.String(required=True, attribute="account.name")
    action = fields.String(required=True, metadata={"description": "Such as `tournament.start`."})
    tournament_id = fields.UUID(required=True, allow_none=True)
    detail = fields.Dict(required=True, metadata={"description": "What exactly was asked for."})


AuditEntryPageSchema = page_of(AuditEntrySchema)
