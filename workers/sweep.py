"""The sweep: whatever the database says is open and nobody works on is sent again."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from redis.exceptions import RedisError

from store import batches, blocks, bots, deliveries, retention
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
    _forget(services, now)
    send_lost(services, now, length)


def send_lost(services: Services, now: datetime, queue_length: int) -> None:
    """Send again what was lost; with a long queue, what was not begun may be waiting in it."""
    if queue_length > SHORT_QUEUE:
        _send_begun(services, now)
        return
    with services.database.reading() as tx:
        running = blocks.running(tx)
    for tournament_id in running:
        advance.tournament(services, tournament_id)
    with services.database.transaction() as tx:
        lost = batches.lost(tx, now, RESEND_SECONDS, lease_seconds=services.settings.lease_seconds)
        stale = now - timedelta(seconds=RESEND_SECONDS)
        waiting = bots.waiting_qualifications(tx, now=now, sent_before=stale, limit=MOST_AT_ONCE)
        bots.mark_sent(tx, waiting, now)
        tx.after_commit(dispatch.batches, lost)
        for version_id in waiting:
            tx.after_commit(dispatch.qualification, version_id)
    _note_sent(lost, waiting)


def _send_begun(services: Services, now: datetime) -> None:
    lease_seconds = services.settings.lease_seconds
    with services.database.transaction() as tx:
        lost = batches.lost(tx, now, RESEND_SECONDS, lease_seconds=lease_seconds, is_queue_long=True)
        tx.after_commit(dispatch.batches, lost)
    _note_sent(lost, [])


def _note_sent(lost: Sequence[int], waiting: Sequence[UUID]) -> None:
    if lost or waiting:
        counters.add("fudaba_batches_resent_total", amount=len(lost))
        _log.info("sent_again", batches=lost, versions=[str(version_id) for version_id in waiting])


def _forget(services: Services, now: datetime) -> None:
    """Delete some of what is older than it is kept."""
    settings = services.settings
    keep = retention.Keep(
        logs=timedelta(days=settings.keep_logs_days), deliveries=timedelta(days=settings.keep_deliveries_days)
    )
    with services.database.transaction() as tx:
        gone = retention.forget(tx, now, keep)
    if gone:
        _log.info("forgotten", rows=gone)


def _tell_webhooks(services: Services, now: datetime) -> None:
    """Send what webhooks are to be told by now, and what was lost on the way."""
    with services.database.transaction() as tx:
        stale = now - deliveries.LEASE
        due = deliveries.due(tx, now=now, sent_before=stale, limit=MOST_AT_ONCE)
        tx.after_commit(dispatch.deliveries, due)
