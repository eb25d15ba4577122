"""Column types that read the same from SQLite and PostgreSQL: aware UTC time, JSON, enums by value."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Enum, Integer, TypeDecorator
from sqlalchemy.dialects.postgresql import JSONB

BigId = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers only INTEGER keys by itself
Json = JSON().with_variant(JSONB(), "postgresql")


class UtcTime(TypeDecorator[datetime]):
    """An aware point in time, stored in UTC; a naive one is refused."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time as it is stored."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value!r} has no time zone")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """Return the stored time, aware and in UTC."""
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def by_value(kind: type[StrEnum]) -> Enum:
    """Return a column type that stores an enum by its value, as plain text of at most 20 characters."""
    return Enum(
        kind,
        native_enum=False,
        length=20,
        create_constraint=False,
        values_callable=lambda members: [member.value for member in members],
    )
