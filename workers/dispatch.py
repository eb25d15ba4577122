"""Every message that is sent, by task name; the only module that knows the queue.

Messages are sent after the commit and may be lost: the sweep sends again what the database says is open.
So nothing here raises when the broker is away.
"""

from collections.abc import Iterable
from uuid import UUID

import structlog
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from workers import services
from workers.celery_app import QUEUE

_log = structlog.get_logger(__name__)


def tournament(tournament_id: UUID) -> None:
    """Ask for the first batches of a tournament that has started."""
    _send("fudaba.advance_tournament", str(tournament_id))


def batches(batch_ids: Iterable[int]) -> None:
    """Ask for batches to be played; after one that could not be sent the rest is left to the sweep."""
    for batch_id in batch_ids:
        if not _send("fudaba.play_batch", batch_id):
            return


def qualification(version_id: UUID) -> None:
    """Ask for a bot version to be tried out."""
    _send("fudaba.qualify", str(version_id))


def ratings(tournament_id: UUID) -> None:
    """Ask for the ratings of a ladder's season."""
    _send("fudaba.rate_season", str(tournament_id))


def probe(ladder_id: UUID, bot_id: UUID) -> None:
    """Ask for a benched member of a ladder to be tried out."""
    _send("fudaba.probe_member", str(ladder_id), str(bot_id))


def deliveries(delivery_ids: Iterable[UUID]) -> None:
    """Ask for webhooks to be told; after one that could not be sent the rest is left to the sweep."""
    for delivery_id in delivery_ids:
        if not _send("fudaba.deliver", str(delivery_id)):
            return


def queue_length() -> int:
    """Return how many messages wait; raises RedisError when the broker is away."""
    return int(services.current().redis.llen(QUEUE))


def _send(task: str, *args: str | int) -> bool:
    """Send one message; False when the broker did not take it."""
    made = services.current()
    try:
        with made.traces.span("dispatch", {"task": task}):
            headers = made.traces.headers()
            made.celery.send_task(task, args, retry=False, ignore_result=True, headers=headers)
    except (OperationalError, RedisError, OSError) as error:
        _log.warning("message_not_sent", task=task, args=args, error=str(error))
        return False
    return True
