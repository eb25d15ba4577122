"""Moving tournaments on: the next batches are opened, committed, then sent; estimates follow, and the end."""

from uuid import UUID

from store import batches, blocks, estimates, seating, shares, tournaments
from store.models.tournaments import Event
from workers import dispatch, ladder, presence
from workers.services import Services


def tournament(services: Services, tournament_id: UUID) -> None:
    """Open and send batches of every event of a running tournament; a ladder's season moves on as such."""
    with services.database.reading() as tx:
        events = tournaments.get(tx, tournament_id).events
    if any(map(seating.is_ladder, events)):
        ladder.advance(services, tournament_id)
        return
    workers = presence.count(services)
    for one in events:
        event(services, one.id, workers)
    follow_up(services, tournament_id)


def after_batch(services: Services, played: Event) -> None:
    """Move on the event that a batch was of, and others of its tournament that have room by now.

    A ladder's moves on with its whole season.
    """
    if seating.is_ladder(played):
        ladder.advance(services, played.tournament_id)
        return
    workers = presence.count(services)
    event(services, played.id, workers)
    with services.database.reading() as tx:
        have_room = shares.rooms(tx, played.tournament_id, workers)
    for event_id in have_room:
        event(services, event_id, workers)
    follow_up(services, played.tournament_id)


def event(services: Services, event_id: UUID, workers: int) -> None:
    """Open what may be opened of one event among so many workers; the messages go out after the commit."""
    now = services.clock()
    with services.database.transaction() as tx:
        opened = blocks.advance(tx, event_id, now, workers)
        batches.mark_sent(tx, opened, now)
        tx.after_commit(dispatch.batches, opened)


def follow_up(services: Services, tournament_id: UUID) -> None:
    """Work out the estimates of a tournament that are due, and end it when all is over.

    Nothing is locked while they are worked out, which takes seconds in a large field.
    """
    while True:
        with services.database.reading() as tx:
            basis = estimates.basis(tx, tournament_id)
            is_finishing = blocks.is_finishing(tx, tournament_id)
        if basis is None and not is_finishing:
            return
        worked = None if basis is None else estimates.work_out(basis)
        with services.database.transaction() as tx:
            blocks.finish(tx, tournament_id, worked, services.clock())
