"""Deliveries to webhooks: written with what they tell of, claimed, tried again with growing pauses."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import and_, or_, select, update
from sqlalchemy.orm import joinedload

from engine.record import canonical
from store import moments
from store.database import Transaction
from store.models.tournaments import Tournament
from store.models.webhooks import Delivery, DeliveryState, HookEvent, Webhook

LEASE = timedelta(seconds=60)  # longer than one exchange
MOST_ATTEMPTS = 8
FIRST_PAUSE = timedelta(seconds=10)
PAUSE_FACTOR = 4
LONGEST_PAUSE = timedelta(hours=6)
RETRIED = frozenset({408, 429})  # and all from 500 on


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an attempt ended: the status of the answer, None without one; and what went wrong, if anything."""

    status: int | None
    detail: str
    used_ms: int
    retry_after_seconds: int = 0

    @property
    def is_delivered(self) -> bool:
        """Whether the receiver has taken it."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def may_be_retried(self) -> bool:
        """Whether another attempt may end otherwise."""
        return self.status is None or self.status >= 500 or self.status in RETRIED


def emit(
    tx: Transaction, event: HookEvent, data: dict[str, Any], now: datetime, *, owner_id: UUID | None = None
) -> list[UUID]:
    """Write a delivery for every webhook that is told of `event`, of one account or all; return their ids."""
    query = select(Webhook).where(Webhook.is_off.is_(False))
    if owner_id is not None:
        query = query.where(Webhook.owner_id == owner_id)
    hooks = [hook for hook in tx.scalars(query.order_by(Webhook.id)) if event.value in hook.events]
    return [add(tx, hook.id, event, data, now).id for hook in hooks]


def tournament_event(tx: Transaction, event: HookEvent, tournament: Tournament, now: datetime) -> list[UUID]:
    """Tell all webhooks that want to know what has happened to a tournament; a season of a ladder is none."""
    if tournament.is_season:
        return []
    data = {"tournament_id": str(tournament.id), "name": tournament.name, "state": tournament.state.value}
    return emit(tx, event, data, now)


def add(tx: Transaction, webhook_id: UUID, event: HookEvent, data: dict[str, Any], now: datetime) -> Delivery:
    """Write one delivery; it is sent with its id, which never changes."""
    delivery_id = uuid4()
    body = {
        "id": str(delivery_id),
        "event": event.value,
        "created_at": now.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "data": data,
    }
    delivery = Delivery(
        id=delivery_id,
        webhook_id=webhook_id,
        event=event.value,
        body=canonical(body).decode(),
        state=DeliveryState.WAITING,
        attempts=[],
        attempt=0,
        next_at=now,
        created_at=now,
    )
    tx.add(delivery)
    tx.flush()
    return delivery


def claim(tx: Transaction, delivery_id: UUID, now: datetime) -> Delivery | None:
    """Take a delivery that is due, with its webhook; None when it is done, not due yet, or being sent."""
    delivery = tx.get(Delivery, delivery_id, with_for_update=True, populate_existing=True)
    if delivery is None or delivery.state is not DeliveryState.WAITING or delivery.next_at > now:
        return None
    if not moments.is_over(delivery.lease_until, now, 2 * LEASE):
        return None
    delivery.attempt += 1
    delivery.lease_until = now + LEASE
    tx.flush()
    query = select(Delivery).options(joinedload(Delivery.webhook)).where(Delivery.id == delivery_id)
    return tx.scalars(query.execution_options(populate_existing=True)).one()


def finish(tx: Transaction, delivery_id: UUID, attempt: int, outcome: Outcome, now: datetime) -> bool:
    """Write down how an attempt ended and when the next one is due; False when the attempt holds no more."""
    delivery = tx.get(Delivery, delivery_id, with_for_update=True, populate_existing=True)
    if delivery is None or delivery.attempt != attempt or delivery.state is not DeliveryState.WAITING:
        return False
    tried = {
        "at": now.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "status": outcome.status,
        "detail": outcome.detail,
        "used_ms": outcome.used_ms,
    }
    delivery.attempts = [*delivery.attempts, tried]
    delivery.lease_until = delivery.sent_at = None
    if outcome.is_delivered:
        delivery.state, delivery.done_at = DeliveryState.DELIVERED, now
    elif not outcome.may_be_retried or attempt >= MOST_ATTEMPTS:
        delivery.state, delivery.done_at = DeliveryState.FAILED, now
    else:
        asked = min(timedelta(seconds=outcome.retry_after_seconds), LONGEST_PAUSE)
        delivery.next_at = now + max(pause_after(attempt), asked)
    tx.flush()
    return True


def pause_after(attempt: int) -> timedelta:
    """Return how long to wait after an attempt that failed, counted from 1."""
    factor: int = PAUSE_FACTOR ** (attempt - 1)
    return min(FIRST_PAUSE * factor, LONGEST_PAUSE)


def due(tx: Transaction, *, now: datetime, sent_before: datetime, limit: int) -> list[UUID]:
    """Return deliveries that are due and that no message asks for, the oldest first, now marked as sent."""
    query = (
        select(Delivery.id)
        .where(
            Delivery.state == DeliveryState.WAITING,
            Delivery.next_at <= now,
            moments.over(Delivery.lease_until, now, 2 * LEASE),
            moments.is_before(Delivery.sent_at, sent_before, now),
        )
        .order_by(Delivery.next_at, Delivery.id)
        .limit(limit)
    )
    found = list(tx.scalars(query))
    mark_sent(tx, found, now)
    return found


def mark_sent(tx: Transaction, delivery_ids: list[UUID], now: datetime) -> None:
    """Note that messages for these deliveries are about to be sent."""
    if delivery_ids:
        tx.change(update(Delivery).where(Delivery.id.in_(delivery_ids)).values(sent_at=now))


def page(
    tx: Transaction, webhook_id: UUID, *, limit: int, after: tuple[datetime, UUID] | None = None
) -> list[Delivery]:
    """Return at most `limit` deliveries of a webhook, the newest first, those after the place `after`."""
    query = select(Delivery).where(Delivery.webhook_id == webhook_id)
    if after is not None:
        moment, delivery_id = after
        same = and_(Delivery.created_at == moment, Delivery.id < delivery_id)
        query = query.where(or_(Delivery.created_at < moment, same))
    return list(tx.scalars(query.order_by(Delivery.created_at.desc(), Delivery.id.desc()).limit(limit)))
