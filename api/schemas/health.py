"""Whether the service is alive and ready."""

import marshmallow as ma
from marshmallow import fields


class HealthSchema(ma.Schema):
    """That all is well."""

    status = fields.String(required=True, metadata={"enum": ["ok"]})
