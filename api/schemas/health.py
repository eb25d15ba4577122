"""Whether the service is alive and ready."""

import marshmallow as ma
from marshmallow import fields

from api.schemas.fields import Moment


class HealthSchema(ma.Schema):
    """That all is well."""

    status = fields.String(required=True, metadata={"enum": ["ok"]})


class WorkerSchema(ma.Schema):
    """What a worker process says of itself."""

    sandbox = fields.String(metadata={"description": "The sandbox of modules, or none."})
    reason = fields.String(metadata={"description": "How it was chosen, or why there is none."})


class IdleLadderSchema(ma.Schema):
    """A ladder that stands still although two or more of its bots could play."""

    ladder_id = fields.UUID(required=True)
    name = fields.String(required=True)
    since = Moment(required=True)
    reason = fields.String(required=True)


class ReadinessSchema(HealthSchema):
    """That all is well, what the workers seen in the last minute say, and which ladders stand still."""

    idle_ladders = fields.List(fields.Nested(IdleLadderSchema), required=True)
    workers = fields.Dict(keys=fields.String(), values=fields.Nested(WorkerSchema), required=True)
