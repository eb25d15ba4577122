"""Inserts of rows that another transaction may have inserted already."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.dialects import postgresql, sqlite

from store.database import Transaction
from store.models import Base


def insert_missing(tx: Transaction, model: type[Base], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert `rows`, leaving out those whose key is there already; what is there stays as it is."""
    if not rows:
        return
    is_sqlite = tx.get_bind().dialect.name == "sqlite"
    insert = sqlite.insert(model) if is_sqlite else postgresql.insert(model)
    tx.execute(insert.on_conflict_do_nothing(), [dict(row) for row in rows])
