"""The sweep: whatever the database says is open and nobody works on is sent again."""

from datetime import datetime, timedelta

import structlog
from redis.exceptions import RedisError

from store import batches, bots, deliveries
from workers import advance, counters, dispatch, presence
from workers.services import Services

RESEND_SECONDS = 5  # with an empty queue, a message as old as this that nobody took is lost
SHORT_QUEUE = 2
MOST_AT_ONCE = 50

_log = structlog.get_logger(__name__)


def run(services: Services) -> None:
    """Send again lost batches and qualifications, and move events on whose last batch went unnoticed."""
    presence.beat(services)
    try:
        length = dispatch.queue_length()
    except RedisError as error:
        _log.warning("sweep_without_broker", error=str(error))
        return
    now = services.clock()
    _tell_webhooks(services, now)
    if length > SHORT_QUEUE:
        _send_begun(services, now)
        return
    with services.database.transaction() as tx:
        event_ids = batches.running_events(tx)
    for event_id in event_ids:
        with services.database.transaction() as tx:
            advance.event(services, tx, event_id)
    with services.database.transaction() as tx:
        lost = batches.lost(tx, now, RESEND_SECONDS, lease_seconds=services.settings.lease_seconds)
        stale = now - timedelta(seconds=RESEND_SECONDS)
        waiting = bots.waiting_qualifications(tx, now=now, sent_before=stale, limit=MOST_AT_ONCE)
        bots.mark_sent(tx, waiting, now)
        tx.after_commit(dispatch.batches, lost)
        for version_id in waiting:
            tx.after_commit(dispatch.qualification, version_id)
    if lost or waiting:
        counters.add("fudaba_batches_resent_total", amount=len(lost))
        _log.info("sent_again", batches=lost, versions=[str(version_id) for version_id in waiting])


def _send_begun(services: Services, now: datetime) -> None:
    """Send again the batches whose attempt has died; with a long queue the others may be waiting in it."""
    lease_seconds = services.settings.lease_seconds
    with services.database.transaction() as tx:
        lost = batches.lost(tx, now, RESEND_SECONDS, lease_seconds=lease_seconds, is_queue_long=True)
        tx.after_commit(dispatch.batches, lost)
    if lost:
        counters.add("fudaba_batches_resent_total", amount=len(lost))
        _log.info("sent_again", batches=lost, versions=[])


def _tell_webhooks(services: Services, now: datetime) -> None:
    """Send what webhooks are to be told by now, and what was lost on the way."""
    with services.database.transaction() as tx:
        stale = now - deliveries.LEASE
        due = deliveries.due(tx, now=now, sent_before=stale, limit=MOST_AT_ONCE)
        tx.after_commit(dispatch.deliveries, due)
