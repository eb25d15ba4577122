"""Delivering to webhooks: one signed POST, under the same rules of addresses and sizes as endpoints."""

from uuid import UUID

import structlog

from store import deliveries
from store.deliveries import Outcome
from store.models.webhooks import Delivery
from workers import counters, presence, stage
from workers.runtimes.exchange import Call, ExchangeFailed
from workers.services import Services

DEADLINE_SECONDS = 10.0
EVENT_HEADER, DELIVERY_HEADER = "Fudaba-Event", "Fudaba-Delivery"

_log = structlog.get_logger(__name__)


def deliver(services: Services, delivery_id: UUID) -> None:
    """Try to deliver once, unless that is done, not due yet, or somebody else is at it."""
    presence.beat(services)
    with services.database.transaction() as tx:
        delivery = deliveries.claim(tx, delivery_id, services.clock())
    if delivery is None:
        return
    outcome = stage.current(services).finish(_post(services, delivery))
    with services.database.transaction() as tx:
        deliveries.finish(tx, delivery.id, delivery.attempt, outcome, services.clock())
    counters.add("fudaba_deliveries_total", "failed" if outcome.detail else "delivered")
    _log.info("delivered", delivery=str(delivery.id), status=outcome.status, detail=outcome.detail)


async def _post(services: Services, delivery: Delivery) -> Outcome:
    """Send the delivery; what the receiver answers beside its status is of no interest."""
    call = Call(
        url=delivery.webhook.url,
        secret=delivery.webhook.secret,
        body=delivery.body.encode(),
        deadline_seconds=DEADLINE_SECONDS,
        headers={EVENT_HEADER: delivery.event, DELIVERY_HEADER: str(delivery.id)},
    )
    try:
        reply = await stage.current(services).runtimes.client.exchange(call)
    except ExchangeFailed as failed:
        evidence = failed.fault.evidence
        status, after = evidence.get("status"), str(evidence.get("retry_after", ""))
        is_taken = status is not None and 200 <= status < 300  # only the body is not what a bot would answer
        return Outcome(
            status=status,
            detail="" if is_taken else failed.fault.detail,
            used_ms=round(failed.seconds * 1000),
            retry_after_seconds=int(after) if after.isascii() and after.isdigit() else 0,
        )
    return Outcome(status=200, detail="", used_ms=round(reply.seconds * 1000))
