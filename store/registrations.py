"""Registration: who may make an account, and of which role."""

from dataclasses import dataclass
from datetime import datetime

from store import accounts, audit, invitations
from store.database import Transaction
from store.errors import BadRequest, Forbidden
from store.models.accounts import Account, Role


class InvitationNeeded(Forbidden):
    """Nobody makes an account here without an invitation or an organiser."""

    code = "invitation_needed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An account as asked for."""

    name: str
    role: Role
    invitation: str | None


def register(
    tx: Transaction, wanted: Request, by: Account | None, *, is_open: bool, now: datetime
) -> Account:
    """Make an account for whom `by` asks: an organiser for anybody, nobody for themselves as a participant.

    Without an organiser it takes an invitation, unless registration is open. Raises InvitationNeeded,
    Forbidden, BadRequest, Conflict for a taken name.
    """
    if by is not None:
        return _by_organiser(tx, wanted, by, now)
    if wanted.role is not Role.PARTICIPANT:
        raise Forbidden(f"only organisers make the account of an {wanted.role.value}")
    if wanted.invitation is None and not is_open:
        raise InvitationNeeded("an account is made by an organiser, or with an invitation")
    invitation_id = None
    if wanted.invitation is not None:
        invitation_id = str(invitations.use(tx, wanted.invitation, now))
    account = accounts.create(tx, wanted.name, wanted.role, now)
    tx.flush()
    audit.note(tx, account, "account.register", now, name=account.name, invitation=invitation_id)
    return account


def _by_organiser(tx: Transaction, wanted: Request, by: Account, now: datetime) -> Account:
    if by.role is not Role.ORGANISER:
        raise Forbidden("only organisers make accounts for others")
    if wanted.invitation is not None:
        raise BadRequest("an organiser needs no invitation", field="invitation")
    account = accounts.create(tx, wanted.name, wanted.role, now)
    audit.note(tx, by, "account.create", now, name=account.name, role=account.role.value)
    return account
