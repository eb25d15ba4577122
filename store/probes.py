"""Probes: a benched endpoint on a ladder is tried out now and then, and comes back when it plays again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import and_, select, update
from sqlalchemy.orm import contains_eager

from store import entries, moments
from store.database import Transaction
from store.models.bots import Bot, BotKind, Version
from store.models.ladders import Ladder, LadderState, Member, MemberState, Rung, Season

FIRST_WAIT, MOST_WAIT = timedelta(minutes=1), timedelta(hours=1)

Place = tuple[UUID, UUID]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What is tried out: a version, in a game of the ladder that it claims, under the ladder's limits."""

    version: Version
    game: str
    limits: dict[str, Any]


def due(tx: Transaction, now: datetime, limit: int) -> list[Place]:
    """Return ladder and bot of benched endpoints to be tried out now, and put off their next time.

    The first time is FIRST_WAIT after the bench was seen; the wait doubles with each probe of a version.
    """
    query = (
        select(Member)
        .join(Bot, Bot.id == Member.bot_id)
        .join(Ladder, Ladder.id == Member.ladder_id)
        .where(Member.state == MemberState.BENCHED, Bot.kind == BotKind.ENDPOINT)
        .where(Ladder.state == LadderState.OPEN, moments.over(Member.probe_at, now, MOST_WAIT))
        .order_by(Member.probe_at, Member.ladder_id, Member.bot_id)
        .limit(limit)
        .with_for_update(of=Member, skip_locked=True)
    )
    found = []
    for member in tx.scalars(query):
        if member.probe_at is not None:
            found.append((member.ladder_id, member.bot_id))
            member.probes += 1
        member.probe_at = now + min(MOST_WAIT, FIRST_WAIT * 2 ** min(member.probes, 10))
    return found


def of_member(tx: Transaction, ladder_id: UUID, bot_id: UUID) -> Probe | None:
    """Return what is to be tried out of a member, None when it is not benched any more."""
    query = (
        select(Version, Member, Ladder)
        .join(Member, and_(Member.benched_id == Version.id, Member.bot_id == Version.bot_id))
        .join(Ladder, Ladder.id == Member.ladder_id)
        .join(Version.bot)
        .where(Member.ladder_id == ladder_id, Member.bot_id == bot_id, Member.state == MemberState.BENCHED)
        .options(contains_eager(Version.bot))
    )
    row = tx.execute(query).one_or_none()
    if row is None:
        return None
    version, _, ladder = row
    claimed = [setting["game"] for setting in ladder.settings if entries.claims(version, setting["game"])]
    return Probe(version=version, game=claimed[0], limits=ladder.limits)


def bring_back(tx: Transaction, ladder_id: UUID, version: Version) -> bool:
    """Let a benched version play again from the next round on, its forfeits forgotten.

    Returns False, and changes nothing, when another version has taken its place.
    """
    member = tx.get(Member, (ladder_id, version.bot_id), with_for_update=True, populate_existing=True)
    if member is None or member.state is not MemberState.BENCHED or member.benched_id != version.id:
        return False
    member.state, member.reason, member.benched_id = MemberState.ACTIVE, "", None
    rungs = update(Rung).where(
        Rung.bot_id == version.bot_id, Rung.is_current, Rung.tournament_id.in_(_seasons(tx, ladder_id))
    )
    tx.execute(rungs.values(recent=[]))
    return True


def _seasons(tx: Transaction, ladder_id: UUID) -> Sequence[UUID]:
    return list(tx.scalars(select(Season.tournament_id).where(Season.ladder_id == ladder_id)))
