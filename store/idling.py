"""Ladders that stand still although they could be played, and why."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import and_, func, select

from store.database import Transaction
from store.models.bots import Bot, Version
from store.models.ladders import Ladder, LadderState, Member, MemberState, Season, SeasonPhase
from store.models.matches import Batch, BatchState
from store.models.tournaments import Event, Tournament, TournamentState

GRACE_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """A ladder on which nothing has happened since then, though it has two active bots or more."""

    ladder_id: UUID
    name: str
    since: datetime
    reason: str


def idle(tx: Transaction, now: datetime, ladder_id: UUID | None = None) -> list[Idle]:
    """Return the open ladders, or the one, that are idle although two or more active bots exist."""
    query = (
        select(Ladder, Season, Tournament)
        .join(Season, Season.ladder_id == Ladder.id)
        .join(Tournament, Tournament.id == Season.tournament_id)
        .where(Ladder.state == LadderState.OPEN, Season.phase == SeasonPhase.OPEN)
        .order_by(Ladder.created_at, Ladder.id)
    )
    if ladder_id is not None:
        query = query.where(Ladder.id == ladder_id)
    found = []
    for ladder, season, host in tx.execute(query):
        since = _last_progress(tx, season, host)
        allowed = timedelta(seconds=ladder.round_seconds + GRACE_SECONDS)
        joined = _second_joined(tx, ladder.id)
        if joined is not None and now > max(since, joined) + allowed:
            reason = _reason(tx, host)
            found.append(Idle(ladder_id=ladder.id, name=ladder.name, since=since, reason=reason))
    return found


def _last_progress(tx: Transaction, season: Season, host: Tournament) -> datetime:
    """Return when a round was paired, or a batch done, last."""
    done = tx.scalar(
        select(Batch.done_at)
        .join(Event, Event.id == Batch.event_id)
        .where(Event.tournament_id == host.id, Batch.done_at.is_not(None))
        .order_by(Batch.id.desc())
        .limit(1)
    )
    return max(moment for moment in (host.created_at, season.paired_at, done) if moment is not None)


def _second_joined(tx: Transaction, ladder_id: UUID) -> datetime | None:
    """Return when the second of the active bots joined; None when there are fewer."""
    active = and_(Version.bot_id == Bot.id, Version.number == Bot.active_number)
    query = (
        select(Member.joined_at)
        .join(Bot, Bot.id == Member.bot_id)
        .join(Version, active)
        .where(Member.ladder_id == ladder_id, Member.state == MemberState.ACTIVE)
        .where(Bot.is_off.is_(False), Bot.deleted_at.is_(None))
        .order_by(Member.joined_at)
        .limit(2)
    )
    joined = list(tx.scalars(query))
    return joined[1] if len(joined) == 2 else None


def _reason(tx: Transaction, host: Tournament) -> str:
    if host.state is not TournamentState.RUNNING:
        return f"its season is {host.state.value}"
    waiting = tx.scalar(
        select(func.count())
        .select_from(Batch)
        .join(Event, Event.id == Batch.event_id)
        .where(Event.tournament_id == host.id, Batch.state == BatchState.OPEN)
    )
    if waiting:
        return f"{waiting} batches of its round are not played: is a worker there?"
    return "no round was paired: is the sweep running, and do two of its bots play the same game?"
