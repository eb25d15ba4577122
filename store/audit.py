"""The audit log: every action of an organiser, with who, when and what."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from store.database import Transaction
from store.models.accounts import Account
from store.models.audit import AuditEntry


def note(
    tx: Transaction,
    by: Account,
    action: str,
    now: datetime,
    *,
    tournament_id: UUID | None = None,
    **detail: Any,
) -> None:
    """Write down an action, in the transaction that does it; `detail` is JSON-ready."""
    entry = AuditEntry(
        tournament_id=tournament_id, account_id=by.id, action=action, detail=detail, created_at=now
    )
    tx.add(entry)


def page(
    tx: Transaction, *, limit: int, tournament_id: UUID | None = None, before: int | None = None
) -> list[AuditEntry]:
    """Return at most `limit` entries with an id below `before`, the newest first, of a tournament or all."""
    query = select(AuditEntry).options(joinedload(AuditEntry.account))
    if tournament_id is not None:
        query = query.where(AuditEntry.tournament_id == tournament_id)
    if before is not None:
        query = query.where(AuditEntry.id < before)
    return list(tx.scalars(query.order_by(AuditEntry.id.desc()).limit(limit)))
