"""Ladders, their members and seasons, and the meetings that a season consists of."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from engine import seeds
from store.columns import Json, UtcTime, by_value
from store.models.accounts import Account
from store.models.base import Base
from store.models.bots import Bot
from store.models.tournaments import Tournament


class LadderState(StrEnum):
    """The life of a ladder; a closed one plays its last season to the end and begins no other."""

    OPEN = "open"
    CLOSED = "closed"


class SeasonPhase(StrEnum):
    """The life of a season: paired round by round, then all against all, then frozen."""

    OPEN = "open"
    CLOSING = "closing"
    OVER = "over"


class MemberState(StrEnum):
    """Whether a member plays; BENCHED for its forfeits, OFF while its bot cannot play, LEFT on request."""

    ACTIVE = "active"
    BENCHED = "benched"
    OFF = "off"
    LEFT = "left"


class Ladder(Base):
    """A competition without end over one or more games.

    `settings` is a list of {game, seats, options}; a round plays one of them, in turn. A meeting plays
    `deals` deals in every rotation. Rounds begin at least `round_seconds` apart; after `season_rounds` of
    them a season closes with a round robin of `closing_deals` deals. `weight` is what its share
    of the workers goes by (store.shares).
    """

    __tablename__ = "ladders"
    __table_args__ = (
        Index("ix_ladders_created_at_id", "created_at", "id"),
        CheckConstraint("weight BETWEEN 1 AND 100", name="weight"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    organiser_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    name: Mapped[str] = mapped_column(String(100))
    state: Mapped[LadderState] = mapped_column(by_value(LadderState), index=True)
    settings: Mapped[list[dict[str, Any]]] = mapped_column(Json)
    limits: Mapped[dict[str, Any]] = mapped_column(Json)
    deals: Mapped[int]
    round_seconds: Mapped[int]
    season_rounds: Mapped[int]
    closing_deals: Mapped[int]
    entries_per_owner: Mapped[int]
    weight: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime] = mapped_column(UtcTime)

    organiser: Mapped[Account] = relationship(lazy="raise")
    seasons: Mapped[list["Season"]] = relationship(lazy="raise", order_by="Season.number")


class Season(Base):
    """A stretch of a ladder; what is played in it are events of a tournament of its own.

    That one has the season's secret and, as entrants, every version that played. `rounds` are paired,
    `applied` of them are in the ratings, `rated` were when the batch ratings were computed. `closing_id` is
    the tournament that closes it, whose secret was drawn when the season began. `standings` are frozen, with
    `sha256` over their canonical JSON.
    """

    __tablename__ = "seasons"
    __table_args__ = (UniqueConstraint("ladder_id", "number"),)

    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    ladder_id: Mapped[UUID] = mapped_column(ForeignKey("ladders.id"))
    number: Mapped[int]
    phase: Mapped[SeasonPhase] = mapped_column(by_value(SeasonPhase), index=True)
    is_ending: Mapped[bool] = mapped_column(default=False)
    rounds: Mapped[int] = mapped_column(default=0)
    applied: Mapped[int] = mapped_column(default=0)
    rated: Mapped[int] = mapped_column(default=0)
    paired_at: Mapped[datetime | None] = mapped_column(UtcTime)
    closing_secret: Mapped[bytes] = mapped_column(LargeBinary(32))
    closing_id: Mapped[UUID | None] = mapped_column(ForeignKey("tournaments.id"), index=True)
    standings: Mapped[list[dict[str, Any]] | None] = mapped_column(Json)
    sha256: Mapped[str | None] = mapped_column(String(64))

    ladder: Mapped[Ladder] = relationship(lazy="raise", back_populates="seasons")
    tournament: Mapped[Tournament] = relationship(lazy="raise", foreign_keys=[tournament_id])

    @property
    def closing_commitment(self) -> str:
        """What is published of the closing secret from the start."""
        return seeds.commitment(self.closing_secret)


class Member(Base):
    """A bot on a ladder; `benched_id` is the version that was benched, `reason` says why it does not play.

    A benched endpoint is tried out at `probe_at`, and was so `probes` times since its version first was.
    """

    __tablename__ = "ladder_members"

    ladder_id: Mapped[UUID] = mapped_column(ForeignKey("ladders.id"), primary_key=True)
    bot_id: Mapped[UUID] = mapped_column(ForeignKey("bots.id"), primary_key=True, index=True)
    state: Mapped[MemberState] = mapped_column(by_value(MemberState))
    reason: Mapped[str] = mapped_column(Text, default="")
    benched_id: Mapped[UUID | None] = mapped_column(ForeignKey("versions.id"))
    probe_at: Mapped[datetime | None] = mapped_column(UtcTime)
    probes: Mapped[int] = mapped_column(default=0)
    joined_at: Mapped[datetime] = mapped_column(UtcTime)

    bot: Mapped[Bot] = relationship(lazy="raise")


class Rung(Base):
    """Where one version of a bot stands in a season: an entrant of the season's tournament.

    `mu` and `sigma` are the online rating; `rating`, `rating_low` and `rating_high` the one by maximum
    likelihood. `recent` says of its last matches whether they were forfeited (1) or not (0). The others of
    the bot's rungs, of earlier versions, are not current.
    """

    __tablename__ = "rungs"
    __table_args__ = (
        ForeignKeyConstraint(["tournament_id", "entrant"], ["entrants.tournament_id", "entrants.number"]),
        Index("ix_rungs_tournament_id_bot_id", "tournament_id", "bot_id"),
    )

    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("seasons.tournament_id"), primary_key=True)
    entrant: Mapped[int] = mapped_column(primary_key=True)
    bot_id: Mapped[UUID] = mapped_column(ForeignKey("bots.id"))
    is_current: Mapped[bool] = mapped_column(default=True)
    mu: Mapped[float]
    sigma: Mapped[float]
    matches: Mapped[int] = mapped_column(default=0)
    last_round: Mapped[int] = mapped_column(default=-1)
    recent: Mapped[list[int]] = mapped_column(Json, default=list)
    rating: Mapped[float | None]
    rating_low: Mapped[float | None]
    rating_high: Mapped[float | None]


class LadderMeeting(Base):
    """A table of one round; its matches have the numbers that engine.schedule.Meeting gives them.

    `entrants_sha256` is over its entrants and binds the seeds of its deals. Once it is in the ratings,
    `sums` holds [entrant, opponent, matches, half-wins of the first] of all pairs that count.
    """

    __tablename__ = "ladder_meetings"
    __table_args__ = (Index("ix_ladder_meetings_event_id_round", "event_id", "round"),)

    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id"), primary_key=True)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    round: Mapped[int]
    is_rated: Mapped[bool]
    entrants_sha256: Mapped[str] = mapped_column(String(64))
    sums: Mapped[list[list[int]] | None] = mapped_column(Json)
    applied_at: Mapped[datetime | None] = mapped_column(UtcTime)

    seats: Mapped[list["LadderSeat"]] = relationship(lazy="raise", order_by="LadderSeat.side")


class LadderSeat(Base):
    """One side of a meeting: the rating that its entrant came with and, once it is applied, went with.

    Fillers have none.
    """

    __tablename__ = "ladder_seats"
    __table_args__ = (
        ForeignKeyConstraint(["event_id", "meeting"], ["ladder_meetings.event_id", "ladder_meetings.number"]),
        Index("ix_ladder_seats_event_id_entrant", "event_id", "entrant", "meeting"),
    )

    event_id: Mapped[UUID] = mapped_column(primary_key=True)
    meeting: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    side: Mapped[int] = mapped_column(primary_key=True)
    entrant: Mapped[int]
    mu_before: Mapped[float | None]
    sigma_before: Mapped[float | None]
    mu_after: Mapped[float | None]
    sigma_after: Mapped[float | None]
