"""Ladders: rounds are opened and sent, seasons settled, their ratings computed, and idle ones reported."""

from uuid import UUID

import structlog

from engine.errors import FudabaError
from store import batches, boards, idling, probes, seasons
from store.models.ladders import Season
from workers import dispatch, presence
from workers.services import Services

MOST_PROBES = 20  # asked for at once

_log = structlog.get_logger(__name__)


def advance(services: Services, tournament_id: UUID) -> None:
    """Move a season on; what a bot that has just left makes impossible is tried again later."""
    now, workers = services.clock(), presence.count(services)
    try:
        with services.database.transaction() as tx:
            opened = seasons.advance(tx, tournament_id, now, workers)
            batches.mark_sent(tx, opened, now)
            tx.after_commit(dispatch.batches, opened)
    except FudabaError as error:
        _log.warning("season_not_advanced", season=str(tournament_id), error=str(error))


def tend(services: Services) -> None:
    """Move every season on, settle what is over, ask for ratings and probes, and say what is idle."""
    now = services.clock()
    with services.database.transaction() as tx:
        for tournament_id in seasons.unsettled(tx):
            seasons.settle(tx, tournament_id, now)
        running = seasons.running(tx)
        for ladder_id, bot_id in probes.due(tx, now, MOST_PROBES):
            tx.after_commit(dispatch.probe, ladder_id, bot_id)
    for tournament_id in running:
        advance(services, tournament_id)
    with services.database.reading() as tx:
        outdated = seasons.outdated(tx)
        idle = idling.idle(tx, now)
    for tournament_id in outdated:
        dispatch.ratings(tournament_id)
    for one in idle:
        _log.warning("ladder_idle", ladder=str(one.ladder_id), since=str(one.since), reason=one.reason)


def rate(services: Services, tournament_id: UUID) -> None:
    """Compute the ratings of a season anew, unless somebody has; nobody is held up meanwhile."""
    with services.database.reading() as tx:
        applied = tx.get_one(Season, tournament_id).applied
        ratings = boards.batch_ratings(tx, tournament_id)
    with services.database.transaction() as tx:
        season = tx.get_one(Season, tournament_id, with_for_update=True)
        if seasons.is_outdated(season):
            boards.rate(tx, season, ratings, applied)
