"""Qualifying a submitted version: claim it, try it out, record the report."""

import asyncio
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
from workers.qualify import MOST_TRIES, Candidate, Report, qualify
from workers.runtimes.openers import Runtimes
from workers.runtimes.sandbox import SandboxError
from workers.services import Services

LEASE_SECONDS = 180  # longer than the slowest bot can take in all games
# The secret of a new endpoint is known only from the answer to its submission. One that turns the arena away
# until it has it is asked again, at once and then less and less often.
SECRET_PATIENCE = timedelta(minutes=10)
_AT_ONCE_SECONDS = (0.2, 0.4, 0.8, 1.6)
_MOST_BETWEEN = timedelta(minutes=1)

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
        _record(services, version, attempt, report.to_json(), is_locked_out=report.is_locked_out)
    except AskedToStop:
        log.info("qualification_handed_back")
        if _free(services, version_id, attempt):
            dispatch.qualification(version_id)
    except SandboxError as error:
        _record(services, version, attempt, _ours(f"this installation runs no uploaded modules: {error}"))
    except PlatformFault as error:
        log.warning("qualification_failed_on_our_side", error=str(error))
        if attempt % MOST_TRIES:
            _free(services, version_id, attempt)
        else:
            _record(services, version, attempt, _ours(f"the platform failed {MOST_TRIES} times: {error}"))


def _ours(reason: str) -> dict[str, Any]:
    """Return the report on a version that was refused by no fault of its own; it may be submitted again."""
    return {"accepted": False, "reason": f"{reason}; submit it again later", bots.PLATFORM: True}


def _record(
    services: Services, version: Version, attempt: int, found: dict[str, Any], *, is_locked_out: bool = False
) -> None:
    """Record what an attempt found, or that it waits until the endpoint has its secret."""
    now, until = services.clock(), version.created_at + SECRET_PATIENCE
    is_waiting = is_locked_out and version.number == 1 and now < until
    with services.database.transaction() as tx:
        if is_waiting:
            found["reason"] = f"{found['reason']} (asked again until {until:%H:%M:%S} UTC: its secret is new)"
            later = now + min(_MOST_BETWEEN, max(timedelta(seconds=1), (now - version.created_at) / 4))
            bots.renew_qualification(tx, version.id, attempt, later, found)
        elif bots.record_qualification(tx, version.id, attempt, found, ok=found["accepted"]):
            _tell_owner(tx, version, found, now)
    if not is_waiting:
        counters.add("fudaba_qualifications_total", "accepted" if found["accepted"] else "refused")
    _log.info("qualified", version=str(version.id), is_waiting=is_waiting, reason=found["reason"])


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


def _report(services: Services, contestant: Contestant, version: Version) -> Report:
    """Return the report on a version; raises SandboxError, PlatformFault and AskedToStop."""
    place = stage.current(services)
    return place.run(_patiently(contestant.candidate(), place.runtimes, version))


async def _patiently(candidate: Candidate, runtimes: Runtimes, version: Version) -> Report:
    """Return the report on a candidate; one that may lack its secret for a moment is asked again."""
    report = await qualify(candidate, runtimes, Limits(), version.games)
    for seconds in _AT_ONCE_SECONDS if version.number == 1 else ():
        if not report.is_locked_out:
            break
        await asyncio.sleep(seconds)
        report = await qualify(candidate, runtimes, Limits(), version.games)
    return report
