"""Moving tournaments on: the next batches of an event are opened, committed, then sent."""

from uuid import UUID

from store import batches, blocks, seating, tournaments
from store.database import Transaction
from store.models.tournaments import Event
from workers import dispatch, ladder, presence
from workers.services import Services


def tournament(services: Services, tournament_id: UUID) -> None:
    """Open and send batches of every event of a running tournament."""
    with services.database.transaction() as tx:
        events = tournaments.get(tx, tournament_id).events
    for one in events:
        after_batch(services, one)


def after_batch(services: Services, played: Event) -> None:
    """Move on the event that a batch was of; a ladder's moves on with its whole season."""
    if seating.is_ladder(played):
        ladder.advance(services, played.tournament_id)
        return
    with services.database.transaction() as tx:
        event(services, tx, played.id)


def event(services: Services, tx: Transaction, event_id: UUID) -> None:
    """Open what may be opened of one event; the messages go out after the commit."""
    now = services.clock()
    opened = blocks.advance(tx, event_id, now, blocks.window(tx, presence.count(services)))
    if opened:
        batches.mark_sent(tx, opened, now)
        tx.after_commit(dispatch.batches, opened)
