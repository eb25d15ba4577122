"""Bots, their frozen versions, the content of uploads, and what bots printed."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from store.columns import BigId, Json, UtcTime, by_value
from store.models.accounts import Account
from store.models.base import Base


class BotKind(StrEnum):
    """How a bot is run."""

    HOUSE = "house"
    MODULE = "module"
    ENDPOINT = "endpoint"


class Visibility(StrEnum):
    """Who may know of a bot: everybody, or its owner and organisers alone."""

    PUBLIC = "public"
    PRIVATE = "private"


class VersionState(StrEnum):
    """Where a version is on its way into play."""

    QUALIFYING = "qualifying"
    QUALIFIED = "qualified"
    REFUSED = "refused"


class Blob(Base):
    """The bytes of an upload, by content."""

    __tablename__ = "blobs"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class Bot(Base):
    """What an owner submits under one name; `active_number` is the version that plays, if any.

    One that is off enters nothing. One that was deleted is gone for everybody, but its matches bear its name.
    """

    __tablename__ = "bots"
    __table_args__ = (
        UniqueConstraint("owner_id", "name"),
        Index("ix_bots_created_at_id", "created_at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    name: Mapped[str] = mapped_column(String(64))
    kind: Mapped[BotKind] = mapped_column(by_value(BotKind))
    active_number: Mapped[int | None]
    visibility: Mapped[Visibility] = mapped_column(by_value(Visibility), default=Visibility.PUBLIC)
    is_off: Mapped[bool] = mapped_column(default=False)
    deleted_at: Mapped[datetime | None] = mapped_column(UtcTime)
    created_at: Mapped[datetime] = mapped_column(UtcTime)

    owner: Mapped[Account] = relationship(lazy="raise")
    versions: Mapped[list["Version"]] = relationship(
        lazy="raise", order_by="Version.number", back_populates="bot"
    )


class Version(Base):
    """One frozen upload or endpoint of a bot; `games` is empty when it claims all games.

    `sha256` is the hash of the upload, of the endpoint's URL, or of the house bot's name. `secret` signs
    requests.
    """

    __tablename__ = "versions"
    __table_args__ = (
        UniqueConstraint("bot_id", "number"),
        Index("ix_versions_state_created_at_id", "state", "created_at", "id"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    bot_id: Mapped[UUID] = mapped_column(ForeignKey("bots.id"))
    number: Mapped[int]
    state: Mapped[VersionState] = mapped_column(by_value(VersionState))
    sha256: Mapped[str] = mapped_column(String(64))
    filename: Mapped[str | None] = mapped_column(String(255))
    size: Mapped[int | None]
    url: Mapped[str | None] = mapped_column(Text)
    secret: Mapped[str | None] = mapped_column(String(64))
    max_batch: Mapped[int] = mapped_column(default=1)
    max_in_flight: Mapped[int] = mapped_column(default=16)
    games: Mapped[list[str]] = mapped_column(Json, default=list)
    report: Mapped[dict[str, Any] | None] = mapped_column(Json)
    attempt: Mapped[int] = mapped_column(default=0)
    lease_until: Mapped[datetime | None] = mapped_column(UtcTime)
    sent_at: Mapped[datetime | None] = mapped_column(UtcTime)
    created_at: Mapped[datetime] = mapped_column(UtcTime)

    bot: Mapped[Bot] = relationship(lazy="raise", back_populates="versions")


class BotLog(Base):
    """What one seat of a bot printed while it played a part of an event; for its owner's eyes."""

    __tablename__ = "bot_logs"
    __table_args__ = (
        Index("ix_bot_logs_version_id_id", "version_id", "id"),
        Index("ix_bot_logs_created_at", "created_at"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    version_id: Mapped[UUID] = mapped_column(ForeignKey("versions.id"))
    event_id: Mapped[UUID | None] = mapped_column(ForeignKey("events.id"))
    first_number: Mapped[int] = mapped_column(BigInteger)
    seat: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
