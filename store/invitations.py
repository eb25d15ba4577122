"""Invitations: texts that organisers hand out, each good for so many accounts."""

import hashlib
import secrets
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import and_, or_, select, update

from store.database import Transaction
from store.errors import BadRequest, NotFound
from store.models.accounts import Account, Invitation

PREFIX = "fdi_"
MOST_USES = 1_000
MOST_DAYS = 366
_TEXT_BYTES = 24


def invite(tx: Transaction, by: Account, *, uses: int, days: int, now: datetime) -> tuple[Invitation, str]:
    """Return an invitation to `uses` accounts within so many days, and its text, which is not kept."""
    text = PREFIX + secrets.token_urlsafe(_TEXT_BYTES)
    invitation = Invitation(
        organiser_id=by.id,
        sha256=_sha256(text),
        uses=uses,
        uses_left=uses,
        expires_at=now + timedelta(days=days),
        created_at=now,
    )
    tx.add(invitation)
    tx.flush()
    return invitation, text


def use(tx: Transaction, text: str, now: datetime) -> UUID:
    """Use an invitation for one account and return its id; raises BadRequest when it is not good for one."""
    found: UUID | None = tx.scalar(
        update(Invitation)
        .where(
            Invitation.sha256 == _sha256(text),
            Invitation.uses_left > 0,
            Invitation.expires_at > now,
            Invitation.revoked_at.is_(None),
        )
        .values(uses_left=Invitation.uses_left - 1)
        .returning(Invitation.id)
    )
    if found is None:
        raise BadRequest("the invitation is unknown, used up, over or revoked", field="invitation")
    return found


def revoke(tx: Transaction, invitation_id: UUID, now: datetime) -> None:
    """End an invitation; a second time changes nothing. Raises NotFound."""
    if tx.get(Invitation, invitation_id) is None:
        raise NotFound(f"there is no invitation {invitation_id}")
    still_good = (Invitation.id == invitation_id, Invitation.revoked_at.is_(None))
    tx.change(update(Invitation).where(*still_good).values(revoked_at=now))


def page(tx: Transaction, *, limit: int, after: tuple[datetime, UUID] | None = None) -> list[Invitation]:
    """Return at most `limit` invitations, the newest first, those after the place `after`."""
    query = select(Invitation)
    if after is not None:
        moment, invitation_id = after
        same = and_(Invitation.created_at == moment, Invitation.id < invitation_id)
        query = query.where(or_(Invitation.created_at < moment, same))
    return list(tx.scalars(query.order_by(Invitation.created_at.desc(), Invitation.id.desc()).limit(limit)))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
