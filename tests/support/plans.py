"""How a database would find what it is asked for: which big tables it would read from end to end."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, event

from store.database import Database

# What grows with every match, request or delivery; the rest has a row a person, bot, tournament or entrant.
BIG = (
    *("results", "faults", "batches", "bot_logs", "unit_totals", "pair_totals", "entrant_totals"),
    *("deliveries", "audit_entries", "idempotency_keys", "ladder_meetings", "ladder_seats", "versions"),
    *("tokens", "entrants", "blobs", "archive_pages", "voided_results", "voided_faults", "gaps", "rungs"),
)
_BIG = "|".join(BIG)
_SQLITE = re.compile(rf"^SCAN ({_BIG})\b(?: AS \w+)?(.*)$")
_POSTGRESQL = re.compile(rf"Seq Scan on ({_BIG})\b")


class Statement:
    """A statement as it was sent, with its values."""

    def __init__(self, text: str, values: Any) -> None:
        self.text = text
        self.values = values


@contextmanager
def recorded(database: Database) -> Iterator[dict[str, Statement]]:
    """Note every statement that reads or changes rows, once each by its text, as long as the block lasts."""
    found: dict[str, Statement] = {}

    def note(connection: Any, cursor: Any, text: str, values: Any, context: Any, is_many: bool) -> None:
        if re.match(r"(SELECT|UPDATE|DELETE|WITH)\b", text) and not is_many:
            found.setdefault(text, Statement(text, values))

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(database.engine, "before_cursor_execute", note)


def full_reads(connection: Connection, statement: Statement) -> list[str]:
    """Return the big tables that are read whole: not by a key, nor in the order of an index up to a limit."""
    if connection.dialect.name == "sqlite":
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement.text}", statement.values)
        details = [row[3] for row in rows]
        is_sorted = any("TEMP B-TREE FOR ORDER BY" in detail for detail in details)
        is_short = "LIMIT" in statement.text and "ORDER BY" in statement.text and not is_sorted
        return [found[1] for detail in details if not is_short and (found := _SQLITE.match(detail))]
    connection.exec_driver_sql("SET LOCAL enable_seqscan = off")  # small tables are read whole, and rightly
    rows = connection.exec_driver_sql(f"EXPLAIN {statement.text}", statement.values)
    return [found[1] for row in rows if (found := _POSTGRESQL.search(row[0]))]
