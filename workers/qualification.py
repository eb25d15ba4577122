"""Qualifying a submitted version: claim it, try it out, record the report."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog

from engine.limits import Limits
from engine.match import PlatformFault
from store import bots, deliveries
from store.database import Transaction
from store.models.bots import Version
from store.models.webhooks import HookEvent
from workers import contestants, counters, dispatch, drain, presence, stage
from workers.contestants import Contestant
from workers.drain import AskedToStop
from workers.qualify import MOST_TRIES, qualify
from workers.runtimes.sandbox import SandboxError
from workers.services import Services

LEASE_SECONDS = 180  # longer than the slowest bot can take in all games

_log = structlog.get_logger(__name__)


def run(services: Services, version_id: UUID) -> None:
    """Qualify one version, unless it is decided or somebody else is at it."""
    presence.beat(services)
    if drain.has_begun():
        dispatch.qualification(version_id)
        return
    with services.database.transaction() as tx:
        now = services.clock()
        attempt = bots.claim_qualification(tx, version_id, lease_seconds=LEASE_SECONDS, now=now)
        if attempt is None:
            return
        version = bots.version_by_id(tx, version_id)
        contestant = contestants.of_version(tx, version)
    log = _log.bind(version=str(version_id), attempt=attempt)
    try:
        report = _report(services, contestant, version)
    except AskedToStop:
        log.info("qualification_handed_back")
        if _free(services, version_id, attempt):
            dispatch.qualification(version_id)
        return
    if report is None and attempt < MOST_TRIES:
        log.warning("qualification_failed_on_our_side")
        _free(services, version_id, attempt)
        return
    if report is None:
        report = {
            "accepted": False,
            "reason": f"the platform failed {MOST_TRIES} times to try this bot out; submit it again later",
        }
    with services.database.transaction() as tx:
        if bots.record_qualification(tx, version_id, attempt, report, ok=report["accepted"]):
            _tell_owner(tx, version, report, services.clock())
    counters.add("fudaba_qualifications_total", "accepted" if report["accepted"] else "refused")
    log.info("qualified", accepted=report["accepted"], reason=report.get("reason"))


def _free(services: Services, version_id: UUID, attempt: int) -> bool:
    """Let somebody else try the version out; false when somebody does already."""
    with services.database.transaction() as tx:
        return bots.renew_qualification(tx, version_id, attempt, services.clock() - timedelta(seconds=1))


def _tell_owner(tx: Transaction, version: Version, report: dict[str, Any], now: datetime) -> None:
    event = HookEvent.QUALIFIED if report["accepted"] else HookEvent.REFUSED
    data = {
        "bot_id": str(version.bot_id),
        "bot": f"{version.bot.owner.name}/{version.bot.name}",
        "version": version.number,
        "reason": report.get("reason"),
    }
    deliveries.emit(tx, event, data, now, owner_id=version.bot.owner_id)


def _report(services: Services, contestant: Contestant, version: Version) -> dict[str, Any] | None:
    """Return the report on a version, None when the platform failed."""
    place = stage.current(services)
    try:
        work = qualify(contestant.candidate(), place.runtimes, Limits(), version.games)
        return place.run(work).to_json()
    except SandboxError as error:
        return {"accepted": False, "reason": f"this installation runs no uploaded modules: {error}"}
    except PlatformFault as error:
        _log.warning("platform_fault", error=str(error))
        return None
