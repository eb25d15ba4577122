"""Blocks: an event moves on when one is complete, and whatever depends on results is decided there."""

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from uuid import UUID

from sqlalchemy import select

from engine.schedule import Schedule
from store import (
    batches,
    benches,
    deliveries,
    editions,
    estimates,
    gaps,
    rewinds,
    seating,
    shares,
    stops,
    tournaments,
    withdrawals,
)
from store.database import Transaction
from store.estimates import Estimates
from store.models.matches import BatchState
from store.models.tournaments import Event, EventState, Tournament, TournamentState
from store.models.webhooks import HookEvent
from store.models.withdrawals import WithdrawalRule


def advance(tx: Transaction, event_id: UUID, now: datetime, workers: int = 0) -> list[int]:
    """Move an event on as far as its finished batches allow; return the ids of new batches to send.

    It opens what its share of so many worker processes has room for (store.shares).
    A block ends when all its matches are played or set aside; benching and early ends are decided there,
    from all complete blocks. The event's row is locked, so that one of several callers does each step.
    """
    event = tx.get_one(Event, event_id, with_for_update=True, populate_existing=True)
    if event.state is not EventState.RUNNING:
        return []
    tournament = tx.get_one(Tournament, event.tournament_id)
    if tournament.state is not TournamentState.RUNNING:
        return []
    event.set_aside = batches.count(tx, event.id, BatchState.SET_ASIDE)  # each is a single match
    schedule = seating.schedule_of(event)
    while True:
        opened = _open_window(tx, event, schedule, now, workers)
        if opened or batches.count(tx, event.id, BatchState.OPEN) or _is_left(tx, event, schedule):
            return opened
        is_last = _end_block(tx, tournament, event, schedule, now)
        rewinds.settle(tx, event, now)
        if is_last:
            return []


def _open_window(tx: Transaction, event: Event, schedule: Schedule, now: datetime, workers: int) -> list[int]:
    """Make batches of the present block as far as there is room; return the ids of the new ones."""
    tx.flush()
    room = shares.rooms(tx, event.tournament_id, workers).get(event.id, 0)
    pieces = islice(_to_play(tx, event, schedule), room)
    made = [batches.add(tx, event, numbers, now) for numbers in pieces]
    tx.flush()
    return [batch.id for batch in made]


def _to_play(tx: Transaction, event: Event, schedule: Schedule) -> Iterator[range]:
    """Yield what is still to be played of the present block, in pieces for a batch each; taken when asked."""
    step = event.batch_groups * schedule.group_matches(event.block)
    while (waiting := gaps.take(tx, event, step)) is not None:
        yield waiting
    end = schedule.block_range(event.block).stop
    while event.next_number < end:
        first = event.next_number
        event.next_number = min(first + step, end)
        yield range(first, event.next_number)


def _is_left(tx: Transaction, event: Event, schedule: Schedule) -> bool:
    """Return whether some of the present block is in no batch yet: there was no room for it."""
    return event.next_number < schedule.block_range(event.block).stop or gaps.are_waiting(tx, event)


def _end_block(
    tx: Transaction, tournament: Tournament, event: Event, schedule: Schedule, now: datetime
) -> bool:
    """End the present block, whose matches are all over; return whether the event ends with it."""
    is_behind = gaps.is_behind(event, schedule)
    withdrawals.apply(tx, event, WithdrawalRule.DROP)
    if event.block + 1 == schedule.blocks or stops.apply(tx, tournament, event, schedule):
        if is_behind:
            rewinds.fall_away(tx, event, schedule)
        event.state, event.finished_at = EventState.FINISHED, now
        tx.flush()
        return True
    if not is_behind:  # nobody leaves blocks that were played with it
        withdrawals.apply(tx, event, WithdrawalRule.FORFEIT)
    benches.decide(tx, event, now)
    event.block += 1
    if is_behind:
        rewinds.follow(tx, event, schedule)
    return False


def finish(tx: Transaction, tournament_id: UUID, worked: Estimates | None, now: datetime) -> None:
    """Store estimates, and end a tournament whose events are over: its standings are frozen with them.

    Does nothing while estimates of an event are due, so that those which are frozen follow from all results.
    """
    tournaments.lock_events(tx, tournament_id)
    tournament = tx.get_one(Tournament, tournament_id, with_for_update=True, populate_existing=True)
    if worked is not None:
        estimates.store(tx, tournament_id, worked)
    events = tx.scalars(select(Event).where(Event.tournament_id == tournament_id)).all()
    are_over = all(event.state is EventState.FINISHED and not estimates.is_due(event) for event in events)
    if are_over and tournament.state is TournamentState.RUNNING:
        tournament.state = TournamentState.FINISHED
        tournament.finished_at = now
        editions.freeze(tx, tournament_id, now)
        deliveries.tournament_event(tx, HookEvent.FINISHED, tournament, now)


def is_finishing(tx: Transaction, tournament_id: UUID) -> bool:
    """Return whether all events of a running tournament are over, so that it can be ended."""
    states = select(Event.state).where(Event.tournament_id == tournament_id)
    is_running = tx.get_one(Tournament, tournament_id).state is TournamentState.RUNNING
    return is_running and set(tx.scalars(states)) == {EventState.FINISHED}


def running(tx: Transaction) -> list[UUID]:
    """Return the running tournaments, the longest running first; ladders move otherwise."""
    query = select(Tournament.id).where(
        Tournament.state == TournamentState.RUNNING, Tournament.is_season.is_(False)
    )
    return list(tx.scalars(query.order_by(Tournament.started_at, Tournament.id)))
