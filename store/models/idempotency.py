"""Idempotency keys: the first answer to a request, kept for those who did not get it."""

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from store.columns import UtcTime
from store.models.base import Base


class IdempotencyKey(Base):
    """A key that somebody sent with a request.

    `scope` is who sent it, `request_sha256` what was asked, `answer` what was answered, encrypted by whoever
    keeps it; null while the first request is being answered.
    """

    __tablename__ = "idempotency_keys"
    __table_args__ = (UniqueConstraint("scope", "key_sha256"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    scope: Mapped[str] = mapped_column(String(64))
    key_sha256: Mapped[str] = mapped_column(String(64))
    request_sha256: Mapped[str] = mapped_column(String(64))
    answer: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(UtcTime, index=True)
