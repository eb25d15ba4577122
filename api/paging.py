"""Pages: at most so many rows, and an opaque cursor for the rows after them."""

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Generic, Protocol, TypeVar, cast
from uuid import UUID

import msgspec

from store.errors import BadRequest
from store.evidence import FaultPlace

T = TypeVar("T")
Key = int | datetime | UUID

DEFAULT_LIMIT = 50
MOST_ROWS = 200
Moment = Annotated[datetime, msgspec.Meta(tz=True)]
Number = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]


class Dated(Protocol):
    """What has a time and an id, by which it is listed."""

    @property
    def created_at(self) -> datetime: ...
    @property
    def id(self) -> UUID: ...


D = TypeVar("D", bound=Dated)
D_co = TypeVar("D_co", bound=Dated, covariant=True)


class Listing(Protocol[D_co]):
    """Gives at most `limit` rows after a time and id; from the first one on where that is None."""

    def __call__(self, *, limit: int, after: tuple[datetime, UUID] | None) -> Sequence[D_co]: ...


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list; `next_cursor` is None on the last one."""

    items: Sequence[T]
    next_cursor: str | None


def cut(rows: Sequence[T], limit: int, key: Callable[[T], tuple[Key, ...]]) -> Page[T]:
    """Return the page of the first `limit` rows; `rows` holds one more where there are more.

    `key` gives the place of a row in the order of the list.
    """
    if len(rows) <= limit:
        return Page(rows, None)
    return Page(rows[:limit], encode(key(rows[limit - 1])))


def by_moment(listed: Listing[D], cursor: str | None, limit: int) -> Page[D]:
    """Return one page of what is listed by time and id; raises BadRequest for a cursor of another list."""
    rows = listed(limit=limit + 1, after=after_moment(cursor))
    return cut(rows, limit, lambda row: (row.created_at, row.id))


def encode(key: tuple[Key, ...]) -> str:
    """Return the cursor for the rows after this place."""
    parts = [part.astimezone(UTC) if isinstance(part, datetime) else part for part in key]
    return base64.urlsafe_b64encode(msgspec.json.encode(parts)).rstrip(b"=").decode()


def after_moment(cursor: str | None) -> tuple[datetime, UUID] | None:
    """Return the place in a list by time and id; raises BadRequest."""
    return None if cursor is None else _decode(cursor, tuple[Moment, UUID])


def after_number(cursor: str | None) -> int | None:
    """Return the place in a list by number; raises BadRequest."""
    return None if cursor is None else _decode(cursor, tuple[Number])[0]


def after_match(cursor: str | None) -> tuple[int, int] | None:
    """Return the place in a list by event index and match number; raises BadRequest."""
    return None if cursor is None else _decode(cursor, tuple[Number, Number])


def after_fault(cursor: str | None) -> FaultPlace | None:
    """Return the place in a list of faults; raises BadRequest."""
    if cursor is None:
        return None
    moment, event_id, number, step = _decode(cursor, tuple[Moment, UUID, Number, Number])
    return FaultPlace(created_at=moment, event_id=event_id, number=number, step=step)


def _decode(cursor: str, kind: type[T]) -> T:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        key = msgspec.json.decode(base64.b64decode(padded, altchars=b"-_", validate=True), type=kind)
        encode(cast(tuple[Key, ...], key))  # a time beyond the calendar has no place in UTC
    except (ValueError, OverflowError) as error:  # of the coding, the JSON or its types
        raise BadRequest("cursor is not one that this list gave out", field="cursor") from error
    return key
