"""Moving tournaments on: the next batches of an event are opened, committed, then sent."""

from uuid import UUID

from store import batches, tournaments
from store.database import Transaction
from workers import dispatch
from workers.services import Services


def tournament(services: Services, tournament_id: UUID) -> None:
    """Open and send batches of every event of a running tournament."""
    with services.database.transaction() as tx:
        event_ids = [event.id for event in tournaments.get(tx, tournament_id).events]
    for event_id in event_ids:
        with services.database.transaction() as tx:
            event(services, tx, event_id)


def event(services: Services, tx: Transaction, event_id: UUID) -> None:
    """Open what may be opened of one event; the messages go out after the commit."""
    now = services.clock()
    opened = batches.advance(tx, event_id, now)
    if opened:
        batches.mark_sent(tx, opened, now)
        tx.after_commit(dispatch.batches, opened)
