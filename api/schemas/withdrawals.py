"""Withdrawals of entrants."""

import marshmallow as ma
from marshmallow import fields, validate

from api.schemas.fields import Moment, Whole
from store.entries import MOST_ENTRANTS
from store.models.withdrawals import WithdrawalRule


class NewWithdrawalSchema(ma.Schema):
    """An entrant that is to leave."""

    entrant = Whole(
        required=True,
        validate=validate.Range(min=0, max=2 * MOST_ENTRANTS),
        metadata={"description": "Its number."},
    )
    rule = fields.Enum(
        WithdrawalRule,
        by_value=True,
        load_default=WithdrawalRule.FORFEIT,
        metadata={
            "description": "`forfeit`: its matches so far count, the rest are forfeits. `drop`: no match at "
            "a table with it counts for anybody, and the rest are not played. Of no account in a draft."
        },
    )


class WithdrawalSchema(ma.Schema):
    """An entrant that has left."""

    entrant = fields.Integer(required=True)
    name = fields.String(required=True, metadata={"description": "owner/name"})
    rule = fields.Enum(
        WithdrawalRule,
        by_value=True,
        required=True,
        allow_none=True,
        metadata={"description": "Null when it left a draft, which then knows it no more."},
    )
    created_at = Moment(required=True)
    from_blocks = fields.Dict(
        keys=fields.String(),
        values=fields.Integer(),
        required=True,
        metadata={
            "description": "By index of the event: from which block on it goes on without. An event is "
            "missing until its present block is complete."
        },
    )


class WithdrawalsSchema(ma.Schema):
    """All entrants that have left a tournament that has started."""

    items = fields.List(fields.Nested(WithdrawalSchema), required=True)
    next_cursor = fields.String(required=True, allow_none=True, metadata={"description": "Always null."})
