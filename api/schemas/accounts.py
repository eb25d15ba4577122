"""Accounts and tokens."""

import marshmallow as ma
from marshmallow import fields, validate

from api.schemas.fields import Moment, Whole, page_of
from store.invitations import MOST_DAYS, MOST_USES
from store.models.accounts import Role

NAME = validate.Regexp(
    r"^[A-Za-z0-9._-]{1,40}$(?!\n)", error="Expected 1 to 40 letters, digits, '-', '_' or '.'."
)


def name_field(meaning: str) -> fields.String:
    """Return the field of a name of an account or a bot."""
    return fields.String(required=True, validate=NAME, metadata={"description": meaning})


class AccountSchema(ma.Schema):
    """Somebody who owns bots or organises tournaments."""

    id = fields.UUID(required=True)
    name = fields.String(required=True)
    role = fields.Enum(Role, by_value=True, required=True)
    created_at = Moment(required=True)


class NewAccountSchema(ma.Schema):
    """An account to be made."""

    name = name_field("The name of the account, unique.")
    role = fields.String(
        load_default=Role.PARTICIPANT.value,
        validate=validate.OneOf([Role.PARTICIPANT.value, Role.ORGANISER.value]),
    )


class RegistrationSchema(NewAccountSchema):
    """An account to be made; without an organiser's token it takes an invitation, unless that is open."""

    invitation = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.Length(min=1, max=200),
        metadata={"description": "The text of an invitation, for those who make their own account."},
    )


class NewInvitationSchema(ma.Schema):
    """An invitation to be made."""

    uses = Whole(
        load_default=1,
        validate=validate.Range(min=1, max=MOST_USES),
        metadata={"description": "How many accounts it is good for."},
    )
    days = Whole(
        load_default=30,
        validate=validate.Range(min=1, max=MOST_DAYS),
        metadata={"description": "For how long."},
    )


class InvitationSchema(ma.Schema):
    """An invitation, without its text."""

    id = fields.UUID(required=True)
    uses = fields.Integer(required=True)
    uses_left = fields.Integer(required=True)
    created_at = Moment(required=True)
    expires_at = Moment(required=True)
    revoked_at = Moment(required=True, allow_none=True)


class IssuedInvitationSchema(InvitationSchema):
    """An invitation with its text, shown this once."""

    invitation = fields.String(
        required=True, metadata={"description": "Kept nowhere: it cannot be shown again."}
    )


class TokenSchema(ma.Schema):
    """A token, without its text."""

    id = fields.UUID(required=True)
    created_at = Moment(required=True)
    revoked_at = Moment(required=True, allow_none=True)


class IssuedTokenSchema(ma.Schema):
    """A token, shown this once."""

    id = fields.UUID(required=True)
    account_id = fields.UUID(required=True)
    token = fields.String(required=True, metadata={"description": "Kept nowhere: it cannot be shown again."})
    created_at = Moment(required=True)


class CreatedAccountSchema(ma.Schema):
    """A new account with its first token."""

    id = fields.UUID(required=True, attribute="account.id")
    name = fields.String(required=True, attribute="account.name")
    role = fields.Enum(Role, by_value=True, required=True, attribute="account.role")
    created_at = Moment(required=True, attribute="account.created_at")
    token_id = fields.UUID(required=True)
    token = fields.String(required=True, metadata={"description": "Kept nowhere: it cannot be shown again."})


class NewTokenSchema(ma.Schema):
    """A token to be made: one's own, or for an organiser anybody's."""

    account_id = fields.UUID(load_default=None, metadata={"description": "Whose; left out: one's own."})


TokenPageSchema = page_of(TokenSchema)
InvitationPageSchema = page_of(InvitationSchema)
