"""Accounts and their tokens."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from store.columns import UtcTime, by_value
from store.models.base import Base


class Role(StrEnum):
    """What an account may do; HOUSE owns the house bots and cannot sign in."""

    ORGANISER = "organiser"
    PARTICIPANT = "participant"
    HOUSE = "house"


class Account(Base):
    """Somebody who owns bots or organises tournaments."""

    __tablename__ = "accounts"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    name: Mapped[str] = mapped_column(String(64), unique=True)
    role: Mapped[Role] = mapped_column(by_value(Role))
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Invitation(Base):
    """What lets `uses` people make an account of their own; only the SHA-256 of its text is kept."""

    __tablename__ = "invitations"
    __table_args__ = (Index("ix_invitations_created_at_id", "created_at", "id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    organiser_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    uses: Mapped[int]
    uses_left: Mapped[int]
    expires_at: Mapped[datetime] = mapped_column(UtcTime)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcTime)


class Token(Base):
    """A bearer token of an account; only its SHA-256 is kept."""

    __tablename__ = "tokens"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"), index=True)
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    revoked_at: Mapped[datetime | None] = mapped_column(UtcTime)

    account: Mapped[Account] = relationship(lazy="raise")
