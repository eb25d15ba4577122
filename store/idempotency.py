"""Idempotency keys: of all requests with one key the first is done, its answer is given to the others."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import UUID, uuid4

from sqlalchemy import delete, select, update

from store.database import Transaction
from store.errors import BadRequest, Conflict
from store.models.idempotency import IdempotencyKey
from store.upserts import insert_missing

KEEP = timedelta(hours=24)
PATIENCE = timedelta(minutes=2)  # longer than any request is worked on


class KeyReused(BadRequest):
    """An idempotency key came a second time, with another request."""

    code = "key_reused"


class InProgress(Conflict):
    """The first request with this idempotency key is still being answered; ask again in a moment."""

    code = "in_progress"


class BrokenOff(Conflict):
    """The first request with this idempotency key was never answered; whether it was done is unknown."""

    code = "broken_off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """A key, either taken now (`answer` is None) or with the answer that was kept."""

    id: UUID
    answer: bytes | None


def reserve(tx: Transaction, *, scope: str, key: str, request_sha256: str, now: datetime) -> Reservation:
    """Take a key for a request, or find what was answered the first time.

    Raises KeyReused when the first request was another one, InProgress while it is being answered, BrokenOff
    when that has taken too long: it is not done again, since nobody knows whether it was done.
    """
    tx.change(delete(IdempotencyKey).where(IdempotencyKey.created_at < now - KEEP))
    row = {
        "id": uuid4(),
        "scope": scope,
        "key_sha256": sha256(key.encode()).hexdigest(),
        "request_sha256": request_sha256,
        "created_at": now,
    }
    insert_missing(tx, IdempotencyKey, [row])
    kept = tx.scalars(
        select(IdempotencyKey).where(
            IdempotencyKey.scope == scope, IdempotencyKey.key_sha256 == row["key_sha256"]
        )
    ).one()
    if kept.id != row["id"]:
        _require_answered(kept, request_sha256, now)
    return Reservation(id=kept.id, answer=kept.answer)


def keep(tx: Transaction, reservation_id: UUID, answer: bytes) -> None:
    """Keep the answer to the request that took the key."""
    tx.change(update(IdempotencyKey).where(IdempotencyKey.id == reservation_id).values(answer=answer))


def release(tx: Transaction, reservation_id: UUID) -> None:
    """Give a key back: nothing was done, so that the request may come again."""
    tx.change(delete(IdempotencyKey).where(IdempotencyKey.id == reservation_id))


def _require_answered(kept: IdempotencyKey, request_sha256: str, now: datetime) -> None:
    if kept.request_sha256 != request_sha256:
        raise KeyReused("the key was sent before with another request", field="Idempotency-Key")
    if kept.answer is None and kept.created_at < now - PATIENCE:
        raise BrokenOff("the first request with this key broke off; see what it did, then use another key")
    if kept.answer is None:
        raise InProgress("the first request with this key is still being answered")
