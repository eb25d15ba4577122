"""Tournaments, their entrants and events, and the totals that standings are read from."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column, relationship

from store.columns import Json, UtcTime, by_value
from store.models.accounts import Account
from store.models.base import Base
from store.models.bots import Version


class TournamentState(StrEnum):
    """The life of a tournament."""

    DRAFT = "draft"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class EventState(StrEnum):
    """The life of an event."""

    WAITING = "waiting"
    RUNNING = "running"
    FINISHED = "finished"


class Tournament(Base):
    """One competition; `secret` is committed to at creation and revealed at the end.

    Participants enter a draft until `entries_close_at`, at most `entries_per_owner` bots each. `weight` is
    what its share of the workers goes by (store.shares). One that `is_season` holds what a season of a ladder
    plays (store.seasons); it stands in no list.
    """

    __tablename__ = "tournaments"
    __table_args__ = (
        Index("ix_tournaments_created_at_id", "created_at", "id"),
        CheckConstraint("weight BETWEEN 1 AND 100", name="weight"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    organiser_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    name: Mapped[str] = mapped_column(String(120))
    state: Mapped[TournamentState] = mapped_column(by_value(TournamentState), index=True)
    secret: Mapped[bytes] = mapped_column(LargeBinary(32))
    commitment: Mapped[str] = mapped_column(String(64))
    limits: Mapped[dict[str, Any]] = mapped_column(Json)
    stop: Mapped[dict[str, Any] | None] = mapped_column(Json)
    endpoint_teams: Mapped[bool] = mapped_column(default=True)
    endpoint_duplicates: Mapped[bool] = mapped_column(default=False)
    owners_apart: Mapped[bool] = mapped_column(default=False)
    entrants_sha256: Mapped[str | None] = mapped_column(String(64))
    entries_close_at: Mapped[datetime | None] = mapped_column(UtcTime)
    entries_per_owner: Mapped[int] = mapped_column(default=1)
    weight: Mapped[int] = mapped_column(default=1)
    is_season: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
    started_at: Mapped[datetime | None] = mapped_column(UtcTime)
    finished_at: Mapped[datetime | None] = mapped_column(UtcTime)

    organiser: Mapped[Account] = relationship(lazy="raise")
    entrants: Mapped[list["Entrant"]] = relationship(lazy="raise", order_by="Entrant.number")
    events: Mapped[list["Event"]] = relationship(
        lazy="raise", order_by="Event.index", back_populates="tournament"
    )


class Entrant(Base):
    """A bot version frozen into a tournament, numbered in order of entry; `name` is "owner/bot"."""

    __tablename__ = "entrants"

    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    version_id: Mapped[UUID] = mapped_column(ForeignKey("versions.id"), index=True)
    name: Mapped[str] = mapped_column(String(160))
    filler: Mapped[bool] = mapped_column(default=False)

    version: Mapped[Version] = relationship(lazy="raise")


class Event(Base):
    """One game with its options inside a tournament.

    `field` is the numbers of the entrants that play it, fillers last; empty in a draft. `apart` has for each
    of them the position of the first one of the same owner; it is empty unless those are kept apart. Match
    numbers follow from both, `sides`, `deals` and `block_deals`; no match is stored before it is played.
    `next_number` is the first one that no batch covers yet; `block` is the block that is being played. An
    event that the tournament's rule `stop` ended early says after which block; `matches` then counts those up
    to there.
    `revision` counts how often results were taken out or put back; `rated_block` is the block after which
    estimates were worked out, at revision `rated_revision`.
    """

    __tablename__ = "events"
    __table_args__ = (UniqueConstraint("tournament_id", "index"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("tournaments.id"))
    index: Mapped[int]
    game: Mapped[str] = mapped_column(String(40))
    seats: Mapped[int]
    options: Mapped[dict[str, Any]] = mapped_column(Json)
    schedule: Mapped[str] = mapped_column(String(20))
    deals: Mapped[int]
    block_deals: Mapped[int]
    match_seconds: Mapped[float]
    batch_groups: Mapped[int]
    field: Mapped[list[int]] = mapped_column(Json, default=list)
    apart: Mapped[list[int]] = mapped_column(Json, default=list)
    sides: Mapped[int]
    matches: Mapped[int] = mapped_column(BigInteger)
    state: Mapped[EventState] = mapped_column(by_value(EventState))
    block: Mapped[int] = mapped_column(default=0)
    next_number: Mapped[int] = mapped_column(BigInteger, default=0)
    played: Mapped[int] = mapped_column(BigInteger, default=0)
    set_aside: Mapped[int] = mapped_column(BigInteger, default=0)
    dropped: Mapped[int] = mapped_column(BigInteger, default=0)
    stopped_after_block: Mapped[int | None]
    revision: Mapped[int] = mapped_column(default=0)
    rated_revision: Mapped[int] = mapped_column(default=0)
    rated_block: Mapped[int] = mapped_column(default=-1)
    finished_at: Mapped[datetime | None] = mapped_column(UtcTime)

    tournament: Mapped[Tournament] = relationship(lazy="raise", back_populates="events")


class EntrantTotals(Base):
    """What one entrant has done in one event so far; points in half-wins (engine.match.points)."""

    __tablename__ = "entrant_totals"

    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id"), primary_key=True)
    entrant: Mapped[int] = mapped_column(primary_key=True)
    matches: Mapped[int] = mapped_column(BigInteger)
    wins: Mapped[int] = mapped_column(BigInteger)
    points: Mapped[int] = mapped_column(BigInteger)
    score: Mapped[int] = mapped_column(BigInteger)
    faults: Mapped[int] = mapped_column(BigInteger)
    forfeits: Mapped[int] = mapped_column(BigInteger)


class PairTotals(Base):
    """How two entrants (low number first) did against each other; points in half-wins of the first."""

    __tablename__ = "pair_totals"

    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id"), primary_key=True)
    entrant: Mapped[int] = mapped_column(primary_key=True)
    opponent: Mapped[int] = mapped_column(primary_key=True)
    matches: Mapped[int] = mapped_column(BigInteger)
    points: Mapped[int] = mapped_column(BigInteger)


class UnitTotals(Base):
    """What one entrant has done in the deals of one unit of chance (engine.intervals.unit_of)."""

    __tablename__ = "unit_totals"

    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id"), primary_key=True)
    unit: Mapped[int] = mapped_column(primary_key=True)
    entrant: Mapped[int] = mapped_column(primary_key=True)
    matches: Mapped[int] = mapped_column(BigInteger)
    points: Mapped[int] = mapped_column(BigInteger)


class EstimateColumns:
    """A rating and the points with their 95% intervals (engine.standings.Estimate)."""

    rating: Mapped[float | None]
    rating_low: Mapped[float | None]
    rating_high: Mapped[float | None]
    points_low: Mapped[float | None]
    points_high: Mapped[float | None]


class EventEstimate(EstimateColumns, Base):
    """How sure an entrant's row in an event is, as of the last block at whose end this was worked out."""

    __tablename__ = "event_estimates"

    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id"), primary_key=True)
    entrant: Mapped[int] = mapped_column(primary_key=True)


class OverallEstimate(EstimateColumns, Base):
    """How sure an entrant's row over all events is, as of the last time that this was worked out."""

    __tablename__ = "overall_estimates"

    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    entrant: Mapped[int] = mapped_column(primary_key=True)


class Bench(Base):
    """An entrant whose matches of an event are forfeits without asking, from block `from_block` on."""

    __tablename__ = "benches"

    event_id: Mapped[UUID] = mapped_column(ForeignKey("events.id"), primary_key=True)
    entrant: Mapped[int] = mapped_column(primary_key=True)
    from_block: Mapped[int]
    forfeits: Mapped[int]
    matches: Mapped[int]


class Edition(Base):
    """The final standings of a tournament, frozen: `sha256` is over the canonical JSON of `standings`.

    `standings` holds the tables of all events and over all events (engine.ledger.tables). An edition never
    changes; whatever changes the standings afterwards makes the next one.
    """

    __tablename__ = "editions"
    __table_args__ = (UniqueConstraint("tournament_id", "number"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tournament_id: Mapped[UUID] = mapped_column(ForeignKey("tournaments.id"))
    number: Mapped[int]
    sha256: Mapped[str] = mapped_column(String(64))
    standings: Mapped[list[dict[str, Any]]] = mapped_column(Json)
    created_at: Mapped[datetime] = mapped_column(UtcTime)
