"""All tables; importing this module makes the metadata complete."""

from store.models import (
    accounts,
    archives,
    audit,
    bots,
    idempotency,
    ladders,
    matches,
    reruns,
    tournaments,
    webhooks,
    withdrawals,
)
from store.models.base import Base

__all__ = [
    "Base",
    "accounts",
    "archives",
    "audit",
    "bots",
    "idempotency",
    "ladders",
    "matches",
    "reruns",
    "tournaments",
    "webhooks",
    "withdrawals",
]
