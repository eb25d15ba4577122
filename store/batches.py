"""Batches: claimed with a lease, finished in one transaction, swept when lost."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, select, update

from store import moments
from store.database import Transaction
from store.models.matches import Batch, BatchState
from store.models.tournaments import Event, Tournament, TournamentState

MOST_FAILURES = 3
MOST_DEATHS = 4
MOST_SENT_AT_ONCE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to play a batch, until `lease_until` or a later attempt."""

    batch_id: int
    event_id: UUID
    block: int
    first: int
    count: int
    attempt: int
    owner: str

    @property
    def numbers(self) -> range:
        """The numbers of its matches."""
        return range(self.first, self.first + self.count)


def add(tx: Transaction, event: Event, numbers: range, now: datetime) -> Batch:
    """Add a batch of these matches of an event's present block."""
    batch = _new_batch(event.id, event.block, numbers.start, len(numbers), now)
    tx.add(batch)
    return batch


def claim(tx: Transaction, batch_id: int, *, owner: str, now: datetime, lease_seconds: float) -> Claim | None:
    """Take an open batch whose lease is free; None when it is done, taken, or its tournament does not run.

    A lease that ran out counts as a death of the attempt that held it; after MOST_DEATHS the batch is split
    or set aside instead.
    """
    batch = tx.get(Batch, batch_id, with_for_update=True)
    if batch is None or batch.state is not BatchState.OPEN:
        return None
    if not moments.is_over(batch.lease_until, now, _most_ahead(lease_seconds)):
        return None
    event = tx.get_one(Event, batch.event_id)
    if tx.get_one(Tournament, event.tournament_id).state is not TournamentState.RUNNING:
        return None
    if batch.lease_until is not None:
        batch.deaths += 1
        if batch.deaths >= MOST_DEATHS:
            _give_up(tx, batch, f"{batch.deaths} attempts died while they played it", now)
            return None
    batch.attempt += 1
    batch.owner = owner
    batch.lease_until = now + timedelta(seconds=lease_seconds)
    tx.flush()
    return Claim(
        batch_id=batch.id,
        event_id=batch.event_id,
        block=batch.block,
        first=batch.first,
        count=batch.count,
        attempt=batch.attempt,
        owner=owner,
    )


def renew(tx: Transaction, claim: Claim, *, now: datetime, lease_seconds: float) -> bool:
    """Extend the lease of a claim; False when it is lost: somebody else plays the batch, or nobody may."""
    changed = tx.change(
        update(Batch).where(*_held(claim)).values(lease_until=now + timedelta(seconds=lease_seconds))
    )
    return bool(changed) and _may_end(tx, claim)


def close(tx: Transaction, claim: Claim, now: datetime) -> bool:
    """Mark a claimed batch as done; False, and nothing is changed, when the claim is lost."""
    if not _may_end(tx, claim):
        return False
    changed = tx.change(
        update(Batch).where(*_held(claim)).values(state=BatchState.DONE, done_at=now, lease_until=None)
    )
    return bool(changed)


def fail(tx: Transaction, claim: Claim, reason: str, now: datetime) -> None:
    """Give a batch back after an error of ours; after MOST_FAILURES it is split, a single match set aside."""
    batch = tx.get(Batch, claim.batch_id, with_for_update=True)
    if batch is None or batch.state is not BatchState.OPEN or batch.attempt != claim.attempt:
        return
    batch.failures += 1
    batch.lease_until = None
    batch.reason = reason[:4000]
    if batch.failures >= MOST_FAILURES:
        _give_up(tx, batch, reason, now)


def hand_back(tx: Transaction, claim: Claim, now: datetime) -> bool:
    """Free a claimed batch, to be sent again, without counting anything; false when the claim was lost."""
    return bool(tx.change(update(Batch).where(*_held(claim)).values(lease_until=None, sent_at=now)))


def lost(
    tx: Transaction,
    now: datetime,
    resend_seconds: float,
    *,
    lease_seconds: float,
    is_queue_long: bool = False,
) -> list[int]:
    """Return open batches that nobody plays and whose last message is old, now marked as sent.

    While the queue is long, a message that nobody took may still be in it: then only batches that were begun,
    and whose message is therefore gone, are returned.
    """
    stale = now - timedelta(seconds=resend_seconds)
    is_unsent = moments.is_before(Batch.sent_at, stale, now)
    is_begun = and_(Batch.lease_until.is_not(None), Batch.sent_at < Batch.lease_until)
    query = (
        select(Batch.id)
        .join(Event, Event.id == Batch.event_id)
        .join(Tournament, Tournament.id == Event.tournament_id)
        .where(
            Tournament.state == TournamentState.RUNNING,
            Batch.state == BatchState.OPEN,
            moments.over(Batch.lease_until, now, _most_ahead(lease_seconds)),
            and_(is_begun, is_unsent) if is_queue_long else is_unsent,
        )
        .order_by(Batch.id)
        .limit(MOST_SENT_AT_ONCE)
    )
    ids = list(tx.scalars(query))
    mark_sent(tx, ids, now)
    return ids


def mark_sent(tx: Transaction, batch_ids: Sequence[int], now: datetime) -> None:
    """Note that messages for these batches are about to be sent."""
    if batch_ids:
        tx.change(update(Batch).where(Batch.id.in_(batch_ids)).values(sent_at=now))


def count(tx: Transaction, event_id: UUID, state: BatchState) -> int:
    """Return how many batches of an event are in this state."""
    query = select(func.count()).select_from(Batch).where(Batch.event_id == event_id, Batch.state == state)
    return tx.scalar(query) or 0


def _held(claim: Claim) -> tuple[ColumnElement[bool], ...]:
    return (
        Batch.id == claim.batch_id,
        Batch.state == BatchState.OPEN,
        Batch.attempt == claim.attempt,
        Batch.owner == claim.owner,
    )


def _may_end(tx: Transaction, claim: Claim) -> bool:
    """Return whether a batch that was begun may come to its end: also while its tournament is paused."""
    query = select(Tournament.state).join(Event, Event.tournament_id == Tournament.id)
    state = tx.scalar(query.where(Event.id == claim.event_id))
    return state in (TournamentState.RUNNING, TournamentState.PAUSED)


def _most_ahead(lease_seconds: float) -> timedelta:
    """Return by how much a lease may end after now: clocks of machines differ, but not by a lease."""
    return timedelta(seconds=2 * lease_seconds)


def _new_batch(event_id: UUID, block: int, first: int, count: int, now: datetime) -> Batch:
    return Batch(
        event_id=event_id,
        block=block,
        first=first,
        count=count,
        state=BatchState.OPEN,
        attempt=0,
        failures=0,
        deaths=0,
        created_at=now,
    )


def _give_up(tx: Transaction, batch: Batch, reason: str, now: datetime) -> None:
    """Replace a batch that fails by two halves, to find the match; a single match is set aside."""
    batch.reason = reason[:4000]
    batch.lease_until = None
    if batch.count > 1:
        batch.state = BatchState.SPLIT
        half = batch.count // 2
        tx.add(_new_batch(batch.event_id, batch.block, batch.first, half, now))
        tx.add(_new_batch(batch.event_id, batch.block, batch.first + half, batch.count - half, now))
    else:
        batch.state = BatchState.SET_ASIDE
    tx.flush()
