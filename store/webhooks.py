"""Webhooks: whom they belong to, and what they are told of."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, delete, func, or_, select

from store.database import Transaction
from store.errors import Conflict, NotFound
from store.models.accounts import Account
from store.models.webhooks import Delivery, HookEvent, Webhook

MOST_OF_ONE = 20
_SECRET_BYTES = 32


def create(tx: Transaction, by: Account, url: str, events: Sequence[HookEvent], now: datetime) -> Webhook:
    """Return a new webhook; raises Conflict when the account has too many."""
    tx.get_one(Account, by.id, with_for_update=True)
    query = select(func.count()).select_from(Webhook).where(Webhook.owner_id == by.id)
    if (tx.scalar(query) or 0) >= MOST_OF_ONE:
        raise Conflict(f"the account has {MOST_OF_ONE} webhooks already; delete one first")
    webhook = Webhook(
        owner_id=by.id, url=url, events=_names(events), secret=new_secret(), is_off=False, created_at=now
    )
    tx.add(webhook)
    tx.flush()
    return webhook


def owned(tx: Transaction, webhook_id: UUID, by: Account) -> Webhook:
    """Return a webhook of `by`, which nobody else changes meanwhile; raises NotFound for any other."""
    tx.get(Webhook, webhook_id, with_for_update=True, populate_existing=True)
    return shown(tx, webhook_id, by)


def shown(tx: Transaction, webhook_id: UUID, by: Account) -> Webhook:
    """Return a webhook of `by`; raises NotFound for any other."""
    webhook = tx.get(Webhook, webhook_id)
    if webhook is None or webhook.owner_id != by.id:
        raise NotFound(f"there is no webhook {webhook_id}")
    return webhook


def page(
    tx: Transaction, by: Account, *, limit: int, after: tuple[datetime, UUID] | None = None
) -> list[Webhook]:
    """Return at most `limit` webhooks of `by`, the newest first, those after the place `after`."""
    query = select(Webhook).where(Webhook.owner_id == by.id)
    if after is not None:
        moment, webhook_id = after
        same = and_(Webhook.created_at == moment, Webhook.id < webhook_id)
        query = query.where(or_(Webhook.created_at < moment, same))
    return list(tx.scalars(query.order_by(Webhook.created_at.desc(), Webhook.id.desc()).limit(limit)))


def change(
    tx: Transaction,
    webhook: Webhook,
    *,
    url: str | None,
    events: Sequence[HookEvent] | None,
    is_off: bool | None,
) -> Webhook:
    """Change what is not None, also for what has not been delivered yet."""
    if url is not None:
        webhook.url = url
    if events is not None:
        webhook.events = _names(events)
    if is_off is not None:
        webhook.is_off = is_off
    tx.flush()
    return webhook


def rotate_secret(tx: Transaction, webhook: Webhook) -> str:
    """Give a webhook another secret and return it; what is sent from here on is signed with it."""
    webhook.secret = new_secret()
    tx.flush()
    return webhook.secret


def remove(tx: Transaction, webhook: Webhook) -> None:
    """Delete a webhook with all its deliveries."""
    tx.change(delete(Delivery).where(Delivery.webhook_id == webhook.id))
    tx.change(delete(Webhook).where(Webhook.id == webhook.id))


def new_secret() -> str:
    """Return a secret to sign with."""
    return secrets.token_hex(_SECRET_BYTES)


def _names(events: Sequence[HookEvent]) -> list[str]:
    return [event.value for event in HookEvent if event in events]
