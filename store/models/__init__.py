"""All tables; importing this module makes the metadata complete."""

from store.models import accounts, bots, idempotency, matches, tournaments
from store.models.base import Base

__all__ = ["Base", "accounts", "bots", "idempotency", "matches", "tournaments"]
