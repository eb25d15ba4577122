"""What is kept for a time only: what bots printed, and what webhooks were told. Results are kept for ever."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select

from store.database import Transaction
from store.models.bots import BotLog
from store.models.webhooks import Delivery, DeliveryState

AT_ONCE = 500  # rows of each kind, so that nobody waits for long


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """For how long what is kept."""

    logs: timedelta
    deliveries: timedelta


def forget(tx: Transaction, now: datetime, keep: Keep) -> int:
    """Delete some of what is older than it is kept, the oldest first; return how many rows."""
    logs = select(BotLog.id).where(BotLog.created_at < now - keep.logs)
    logs = logs.order_by(BotLog.created_at).limit(AT_ONCE)
    gone = tx.change(delete(BotLog).where(BotLog.id.in_(logs)))
    for state in (DeliveryState.DELIVERED, DeliveryState.FAILED):
        told = select(Delivery.id).where(Delivery.state == state, Delivery.next_at < now - keep.deliveries)
        told = told.order_by(Delivery.next_at).limit(AT_ONCE)
        gone += tx.change(delete(Delivery).where(Delivery.id.in_(told)))
    return gone
