"""What a bot's owner may see of its play: its faults with their evidence, and what it printed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import and_, or_, select

from store.database import Transaction
from store.models.bots import BotLog, Version
from store.models.matches import FaultRow
from store.models.tournaments import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPlace:
    """Where a fault stands in the list of a bot's faults."""

    created_at: datetime
    event_id: UUID
    number: int
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultView:
    """One fault of a bot: where it happened, what kind, a sentence for the author, and the evidence."""

    tournament_id: UUID
    event_id: UUID
    event_index: int
    game: str
    number: int
    step: int
    seat: int
    version: int
    code: str
    detail: str
    evidence: Mapping[str, Any]
    created_at: datetime

    @property
    def match_id(self) -> str:
        """The id of the match, as everywhere."""
        return f"{self.event_id.hex}-{self.number}"

    @property
    def place(self) -> FaultPlace:
        """Where the fault stands in the list."""
        return FaultPlace(
            created_at=self.created_at, event_id=self.event_id, number=self.number, step=self.step
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogView:
    """What one seat of a bot printed while it played from match number `first_number` of an event on.

    There is no event when it was printed during qualification.
    """

    id: int
    event_id: UUID | None
    first_number: int
    seat: int
    version: int
    text: str
    created_at: datetime


def faults(tx: Transaction, bot_id: UUID, *, limit: int, after: FaultPlace | None = None) -> list[FaultView]:
    """Return at most `limit` faults of a bot, the newest first, those after the place `after`."""
    query = (
        select(FaultRow, Version.number, Event.tournament_id, Event.index, Event.game)
        .join(Version, Version.id == FaultRow.version_id)
        .join(Event, Event.id == FaultRow.event_id)
        .where(FaultRow.bot_id == bot_id)
    )
    if after is not None:
        query = query.where(FaultRow.created_at <= after.created_at)  # what an index can tell
        same_time = FaultRow.created_at == after.created_at
        same_event = and_(same_time, FaultRow.event_id == after.event_id)
        query = query.where(
            or_(
                FaultRow.created_at < after.created_at,
                and_(same_time, FaultRow.event_id > after.event_id),
                and_(same_event, FaultRow.number > after.number),
                and_(same_event, FaultRow.number == after.number, FaultRow.step > after.step),
            )
        )
    order = (FaultRow.created_at.desc(), FaultRow.event_id, FaultRow.number, FaultRow.step)
    return [
        FaultView(
            tournament_id=tournament_id,
            event_id=row.event_id,
            event_index=index,
            game=game,
            number=row.number,
            step=row.step,
            seat=row.seat,
            version=version,
            code=row.code,
            detail=row.detail,
            evidence=row.evidence,
            created_at=row.created_at,
        )
        for row, version, tournament_id, index, game in tx.execute(query.order_by(*order).limit(limit))
    ]


def logs(tx: Transaction, bot_id: UUID, *, limit: int, before: int | None = None) -> list[LogView]:
    """Return at most `limit` pieces of a bot's log, the newest first, those with an id below `before`."""
    query = (
        select(BotLog, Version.number)
        .join(Version, Version.id == BotLog.version_id)
        .where(Version.bot_id == bot_id)
    )
    if before is not None:
        query = query.where(BotLog.id < before)
    return [
        LogView(
            id=row.id,
            event_id=row.event_id,
            first_number=row.first_number,
            seat=row.seat,
            version=version,
            text=row.text,
            created_at=row.created_at,
        )
        for row, version in tx.execute(query.order_by(BotLog.id.desc()).limit(limit))
    ]
