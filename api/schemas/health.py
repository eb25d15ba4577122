"""Whether the service is alive and ready."""

import marshmallow as ma
from marshmallow import fields


class HealthSchema(ma.Schema):
    """That all is well."""

    status = fields.String(required=True, metadata={"enum": ["ok"]})


class WorkerSchema(ma.Schema):
    """What a worker process says of itself."""

    sandbox = fields.String(metadata={"description": "The sandbox of modules, or none."})
    reason = fields.String(metadata={"description": "How it was chosen, or why there is none."})


class ReadinessSchema(HealthSchema):
    """That all is well, and what the workers that were seen in the last minute say."""

    workers = fields.Dict(keys=fields.String(), values=fields.Nested(WorkerSchema), required=True)
