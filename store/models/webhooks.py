"""Webhooks, and what was to be delivered to each."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from store.columns import Json, UtcTime, by_value
from store.models.base import Base


class HookEvent(StrEnum):
    """What a webhook may be told."""

    STARTED = "tournament.started"
    PAUSED = "tournament.paused"
    RESUMED = "tournament.resumed"
    FINISHED = "tournament.finished"
    CANCELLED = "tournament.cancelled"
    QUALIFIED = "version.qualified"
    REFUSED = "version.refused"
    BENCHED = "bot.benched"
    PING = "ping"


class DeliveryState(StrEnum):
    """The life of a delivery."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class Webhook(Base):
    """A URL of an account that is told of events; `secret` signs what is sent to it."""

    __tablename__ = "webhooks"
    __table_args__ = (Index("ix_webhooks_owner_id_created_at_id", "owner_id", "created_at", "id"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    url: Mapped[str] = mapped_column(Text)
    events: Mapped[list[str]] = mapped_column(Json)
    secret: Mapped[str] = mapped_column(String(64))
    is_off: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Delivery(Base):
    """One event for one webhook, with the very text that is sent, and every attempt to send it."""

    __tablename__ = "deliveries"
    __table_args__ = (
        Index("ix_deliveries_webhook_id_created_at_id", "webhook_id", "created_at", "id"),
        Index("ix_deliveries_state_next_at", "state", "next_at"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    webhook_id: Mapped[UUID] = mapped_column(ForeignKey("webhooks.id"))
    event: Mapped[str] = mapped_column(String(40))
    body: Mapped[str] = mapped_column(Text)
    state: Mapped[DeliveryState] = mapped_column(by_value(DeliveryState))
    attempts: Mapped[list[dict[str, Any]]] = mapped_column(Json, default=list)
    attempt: Mapped[int] = mapped_column(default=0)
    next_at: Mapped[datetime] = mapped_column(UtcTime)
    lease_until: Mapped[datetime | None] = mapped_column(UtcTime)
    sent_at: Mapped[datetime | None] = mapped_column(UtcTime)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    done_at: Mapped[datetime | None] = mapped_column(UtcTime)

    webhook: Mapped[Webhook] = relationship(lazy="raise")
