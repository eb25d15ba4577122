"""Batches (what one task plays), the results of matches, and the evidence of faults."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, ForeignKeyConstraint, Index, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from store.columns import BigId, Json, UtcTime, by_value
from store.models.base import Base


class BatchState(StrEnum):
    """The life of a batch.

    SET_ASIDE failed on our side again and again, SPLIT became smaller ones, VOIDED was overtaken by a re-run.
    """

    OPEN = "open"
    DONE = "done"
    SET_ASIDE = "set_aside"
    SPLIT = "split"
    VOIDED = "voided"


class Batch(Base):
    """Match numbers `first` to `first + count - 1` of an event, as one piece of work.

    `attempt` rises with every claim: only the attempt that holds the claim may write. `failures` counts
    attempts that ended in our own exception, `deaths` those whose lease ran out after the child had begun to
    play.
    """

    __tablename__ = "batches"
    __table_args__ = (
        Index("ix_batches_state_lease_until", "state", "lease_until"),
        Index("ix_batches_event_id_state", "event_id", "state"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id"))
    block: Mapped[int]
    first: Mapped[int] = mapped_column(BigInteger)
    count: Mapped[int]
    state: Mapped[BatchState] = mapped_column(by_value(BatchState))
    owner: Mapped[str | None] = mapped_column(String(120))
    attempt: Mapped[int] = mapped_column(default=0)
    lease_until: Mapped[datetime | None] = mapped_column(UtcTime)
    failures: Mapped[int] = mapped_column(default=0)
    deaths: Mapped[int] = mapped_column(default=0)
    reason: Mapped[str | None] = mapped_column(Text)
    sent_at: Mapped[datetime | None] = mapped_column(UtcTime)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    done_at: Mapped[datetime | None] = mapped_column(UtcTime)


class ResultColumns:
    """A finished match; who sat where follows from its number. `actions` is compressed (store.results).

    `spent` is what decisions took (store.timings), None where nobody counted; no two plays of a match agree
    in it, so it stands in no record. Both are None in a match that is archived (store.archives).
    """

    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id"), primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    scores: Mapped[list[int]] = mapped_column(Json)
    places: Mapped[list[int]] = mapped_column(Json)
    forfeits: Mapped[list[int]] = mapped_column(Json)
    is_forfeited: Mapped[bool]
    faults: Mapped[int]
    decisions: Mapped[int]
    actions: Mapped[bytes | None] = mapped_column(LargeBinary)
    spent: Mapped[bytes | None] = mapped_column(LargeBinary)
    played_at: Mapped[datetime] = mapped_column(UtcTime)


class FaultColumns:
    """One fault of a bot in a finished match, with the evidence for its owner.

    `bot_id` follows from the version; a bot's newest faults are found by it.
    """

    event_id: Mapped[UUID] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    step: Mapped[int] = mapped_column(primary_key=True)
    seat: Mapped[int]
    bot_id: Mapped[UUID] = mapped_column(ForeignKey("bots.id"))
    version_id: Mapped[UUID] = mapped_column(ForeignKey("versions.id"))
    code: Mapped[str] = mapped_column(String(20))
    detail: Mapped[str] = mapped_column(Text)
    evidence: Mapped[dict[str, Any]] = mapped_column(Json)
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class Result(ResultColumns, Base):
    """A match that counts."""

    __tablename__ = "results"


class FaultRow(FaultColumns, Base):
    """A fault in a match that counts."""

    __tablename__ = "faults"
    __table_args__ = (
        ForeignKeyConstraint(["event_id", "number"], ["results.event_id", "results.number"]),
        Index("ix_faults_version_id_event_id_number_step", "version_id", "event_id", "number", "step"),
        Index("ix_faults_bot_id_created_at", "bot_id", "created_at"),
    )
