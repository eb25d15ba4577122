"""Problem details (RFC 9457)."""

import marshmallow as ma
from marshmallow import fields


class FieldProblemSchema(ma.Schema):
    """One field that cannot be used."""

    field = fields.String(allow_none=True)
    detail = fields.String()


class ProblemSchema(ma.Schema):
    """What every error is answered with."""

    type = fields.String(required=True, metadata={"description": "Where the code is explained."})
    title = fields.String(required=True, metadata={"description": "The name of the status."})
    status = fields.Integer(required=True)
    detail = fields.String(required=True, metadata={"description": "What is wrong, for people."})
    code = fields.String(required=True, metadata={"description": "What is wrong, for programs."})
    field = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Where in the input, such as `events.0.game`."},
    )
    request_id = fields.String(required=True, metadata={"description": "Names the request in the log."})
    errors = fields.List(
        fields.Nested(FieldProblemSchema), metadata={"description": "All fields, when there are several."}
    )
    problems = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        metadata={"description": "Of /readyz alone: what is wrong, by the part that it is wrong with."},
    )
