"""The audit log: what organisers did, and what was done to tournaments."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from store.columns import BigId, Json, UtcTime
from store.models.accounts import Account
from store.models.base import Base


class AuditEntry(Base):
    """One action of somebody; an entry is never changed."""

    __tablename__ = "audit_entries"
    __table_args__ = (Index("ix_audit_entries_tournament_id_id", "tournament_id", "id"),)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    tournament_id: Mapped[UUID | None] = mapped_column(ForeignKey("tournaments.id"))
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    action: Mapped[str] = mapped_column(String(40))
    detail: Mapped[dict[str, Any]] = mapped_column(Json)
    created_at: Mapped[datetime] = mapped_column(UtcTime)

    account: Mapped[Account] = relationship(lazy="raise")
