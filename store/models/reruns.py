"""Re-runs: results that an organiser took out to have the matches played again, kept beside what counts."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, ForeignKey, ForeignKeyConstraint, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from store.columns import Json, UtcTime, by_value
from store.models.base import Base
from store.models.matches import FaultColumns, ResultColumns


class RerunState(StrEnum):
    """The life of a re-run."""

    PLAYING = "playing"
    DONE = "done"
    UNDONE = "undone"


class Rerun(Base):
    """A set of matches of a tournament that is played again; `number` counts them from 1."""

    __tablename__ = "reruns"
    __table_args__ = (UniqueConstraint("tournament_id", "number"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("tournaments.id"))
    number: Mapped[int]
    reason: Mapped[str] = mapped_column(Text)
    state: Mapped[RerunState] = mapped_column(by_value(RerunState))
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcTime)

    parts: Mapped[list["RerunPart"]] = relationship(lazy="raise", order_by="RerunPart.event_index")


class RerunPart(Base):
    """What a re-run plays again of one event, as ranges [first, count] of match numbers.

    `ranges` were chosen; `followed` had to be played again or fell away, since benching or the early end came
    out otherwise. `results` of the matches had been played, the batches `set_aside` had been given up. The
    part is over once the event has gone past block `until_block`; `next_number` is the event's of before.
    """

    __tablename__ = "rerun_parts"

    rerun_id: Mapped[UUID] = mapped_column(ForeignKey("reruns.id"), primary_key=True)
    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id"), primary_key=True)
    event_index: Mapped[int]
    ranges: Mapped[list[list[int]]] = mapped_column(Json)
    followed: Mapped[list[list[int]]] = mapped_column(Json, default=list)
    set_aside: Mapped[list[int]] = mapped_column(Json, default=list)
    matches: Mapped[int]
    results: Mapped[int]
    from_block: Mapped[int]
    until_block: Mapped[int]
    next_number: Mapped[int] = mapped_column(BigInteger)


class VoidedResult(ResultColumns, Base):
    """A result that a re-run took out."""

    __tablename__ = "voided_results"

    rerun_id: Mapped[UUID] = mapped_column(ForeignKey("reruns.id"), primary_key=True)


class VoidedFault(FaultColumns, Base):
    """A fault of a match that a re-run took out."""

    __tablename__ = "voided_faults"
    __table_args__ = (
        ForeignKeyConstraint(
            ["rerun_id", "event_id", "number"],
            ["voided_results.rerun_id", "voided_results.event_id", "voided_results.number"],
        ),
    )

    rerun_id: Mapped[UUID] = mapped_column(primary_key=True)


class Gap(Base):
    """Match numbers of a block, below the event's `next_number`, to be played and in no batch yet."""

    __tablename__ = "gaps"

    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id"), primary_key=True)
    first: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    count: Mapped[int] = mapped_column(BigInteger)
    block: Mapped[int]
