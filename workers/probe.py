"""Trying out a benched endpoint: handshake and a short match; one that plays comes back on its ladder."""

from uuid import UUID

import structlog

from engine.limits import Limits
from engine.match import PlatformFault
from store import probes
from workers import contestants, presence, stage
from workers.drain import AskedToStop
from workers.qualify import qualify
from workers.services import Services

_log = structlog.get_logger(__name__)


def run(services: Services, ladder_id: UUID, bot_id: UUID) -> None:
    """Try a member out, if it is still benched; after a fault of ours its next probe is simply awaited."""
    presence.beat(services)
    with services.database.reading() as tx:
        found = probes.of_member(tx, ladder_id, bot_id)
        candidate = None if found is None else contestants.of_version(tx, found.version).candidate()
    if found is None or candidate is None:
        return
    place, limits = stage.current(services), Limits.from_json(found.limits)
    try:
        report = place.run(qualify(candidate, place.runtimes, limits, (found.game,)))
    except (PlatformFault, AskedToStop) as error:
        _log.warning("probe_given_up", error=str(error))
        return
    if report.reason is None:
        with services.database.transaction() as tx:
            probes.bring_back(tx, ladder_id, found.version)
    _log.info("probed", ladder=str(ladder_id), bot=str(bot_id), reason=report.reason)
