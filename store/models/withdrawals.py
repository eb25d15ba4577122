"""Withdrawals of entrants, and from which block on each event goes on without them."""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from sqlalchemy import ForeignKey, ForeignKeyConstraint
from sqlalchemy.orm import Mapped, mapped_column

from store.columns import UtcTime, by_value
from store.models.base import Base


class WithdrawalRule(StrEnum):
    """What becomes of an entrant's matches.

    FORFEIT: those so far count, the rest are forfeits without asking. DROP: no match at a table with the
    entrant counts for anybody, and the rest are not played.
    """

    FORFEIT = "forfeit"
    DROP = "drop"


class Withdrawal(Base):
    """An entrant that leaves a tournament that has started."""

    __tablename__ = "withdrawals"
    __table_args__ = (
        ForeignKeyConstraint(["tournament_id", "entrant"], ["entrants.tournament_id", "entrants.number"]),
    )

    tournament_id: Mapped[UUID] = mapped_column(primary_key=True)
    entrant: Mapped[int] = mapped_column(primary_key=True)
    rule: Mapped[WithdrawalRule] = mapped_column(by_value(WithdrawalRule))
    created_at: Mapped[datetime] = mapped_column(UtcTime)


class EventWithdrawal(Base):
    """A withdrawal as it was applied to one event, whole: from block `from_block` on."""

    __tablename__ = "event_withdrawals"

    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id"), primary_key=True)
    entrant: Mapped[int] = mapped_column(primary_key=True)
    rule: Mapped[WithdrawalRule] = mapped_column(by_value(WithdrawalRule))
    from_block: Mapped[int]
