"""Seasons of a ladder: begun with a secret, played round by round, closed by a round robin, frozen."""

import secrets
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import select, update

from engine import seeds
from store import boards, entries, members, plans, rounds, seating, tournaments
from store.database import Transaction
from store.members import Player
from store.models.ladders import Ladder, LadderState, Season, SeasonPhase
from store.models.tournaments import Event, EventState, Tournament, TournamentState
from store.plans import EventPlan, Plan, SettledEvent

_OVER = (TournamentState.FINISHED, TournamentState.CANCELLED)


def begin(tx: Transaction, ladder: Ladder, now: datetime, secret: bytes | None = None) -> Season:
    """Begin the next season of a ladder; its secrets, drawn or given, are committed to before play."""
    before = tx.scalars(
        select(Season).where(Season.ladder_id == ladder.id).order_by(Season.number.desc()).limit(1)
    ).one_or_none()
    number = 1 if before is None else before.number + 1
    closing_secret = secrets.token_bytes(seeds.SECRET_BYTES)
    if secret is None:
        secret = secrets.token_bytes(seeds.SECRET_BYTES)
    else:
        closing_secret = seeds.closing_secret(secret)
    host = Tournament(
        organiser_id=ladder.organiser_id,
        name=f"{ladder.name}, season {number}",
        state=TournamentState.RUNNING,
        secret=secret,
        commitment=seeds.commitment(secret),
        limits=ladder.limits,
        weight=ladder.weight,
        is_season=True,
        created_at=now,
        started_at=now,
        events=[_event(index, one, ladder) for index, one in enumerate(_settled(ladder))],
        entrants=[],
    )
    tx.add(host)
    tx.flush()
    season = Season(
        tournament_id=host.id,
        ladder_id=ladder.id,
        number=number,
        phase=SeasonPhase.OPEN,
        closing_secret=closing_secret,
    )
    tx.add(season)
    tx.flush()
    return season


def advance(tx: Transaction, tournament_id: UUID, now: datetime, workers: int = 0) -> list[int]:
    """Move a season on: put a finished round into the ratings, pair the next one, or close.

    Returns the ids of new batches, as many as its share of so many workers has room for. A round is paired
    when the one before is in the ratings, so that who meets whom does not depend on the order in which
    results arrive. The season's row is locked, so that one of several callers does each step.
    """
    season = tx.get_one(Season, tournament_id, with_for_update=True, populate_existing=True)
    host = tx.get_one(Tournament, tournament_id, populate_existing=True)
    if season.phase is not SeasonPhase.OPEN or host.state is not TournamentState.RUNNING:
        return []
    if season.applied < season.rounds and not rounds.apply(tx, season, now):
        return rounds.open_batches(tx, season, now, workers)
    ladder = tx.get_one(Ladder, season.ladder_id)
    is_last = ladder.state is LadderState.CLOSED
    if is_last or season.is_ending or season.rounds >= ladder.season_rounds:
        _close(tx, ladder, season, host, now)
        return []
    pause = timedelta(seconds=ladder.round_seconds)
    if season.paired_at is not None and now < season.paired_at + pause:
        return []
    rounds.pair(tx, season, now)
    return rounds.open_batches(tx, season, now, workers)


def is_outdated(season: Season) -> bool:
    """Return whether the ratings of a season are to be computed anew: when 1 round in 20 has been added."""
    added = season.applied - season.rated
    return season.phase is SeasonPhase.OPEN and added >= max(1, season.rated // 20)


def outdated(tx: Transaction) -> list[UUID]:
    """Return the seasons, by tournament, whose ratings are to be computed anew."""
    found = tx.scalars(select(Season).where(Season.phase == SeasonPhase.OPEN))
    return [season.tournament_id for season in found if is_outdated(season)]


def running(tx: Transaction) -> list[UUID]:
    """Return the seasons, by tournament, that are played round by round."""
    query = (
        select(Season.tournament_id)
        .join(Tournament, Tournament.id == Season.tournament_id)
        .where(Season.phase == SeasonPhase.OPEN, Tournament.state == TournamentState.RUNNING)
        .order_by(Tournament.started_at, Tournament.id)
    )
    return list(tx.scalars(query))


def unsettled(tx: Transaction) -> list[UUID]:
    """Return the seasons, by tournament, that have something left to do beside their rounds."""
    closing = (
        select(Season.tournament_id)
        .join(Tournament, Tournament.id == Season.closing_id)
        .where(Season.phase == SeasonPhase.CLOSING, Tournament.state.in_(_OVER))
    )
    cancelled = (
        select(Season.tournament_id)
        .join(Tournament, Tournament.id == Season.tournament_id)
        .where(Season.phase == SeasonPhase.OPEN, Tournament.state == TournamentState.CANCELLED)
    )
    return [*tx.scalars(closing), *tx.scalars(cancelled)]


def settle(tx: Transaction, tournament_id: UUID, now: datetime) -> None:
    """Freeze a season whose closing tournament is over, or end one that was cancelled; again: no change."""
    season = tx.get_one(Season, tournament_id, with_for_update=True, populate_existing=True)
    if season.phase is SeasonPhase.OPEN:
        if tx.get_one(Tournament, tournament_id).state is TournamentState.CANCELLED:
            season.phase = SeasonPhase.OVER
            _begin_next(tx, tx.get_one(Ladder, season.ladder_id), now)
    elif season.phase is SeasonPhase.CLOSING:
        assert season.closing_id is not None, "a closing season has its tournament"
        if tx.get_one(Tournament, season.closing_id).state in _OVER:
            boards.freeze(tx, season)


def _close(tx: Transaction, ladder: Ladder, season: Season, host: Tournament, now: datetime) -> None:
    """End the rounds of a season: its secret may be shown, all who are left play each other, the next begins.

    Where nobody is left to play against, it is frozen as it stands.
    """
    players = members.refresh(tx, season)
    boards.rate(tx, season, boards.batch_ratings(tx, host.id), season.applied)
    ended = {"state": EventState.FINISHED, "finished_at": now}
    tx.change(update(Event).where(Event.tournament_id == host.id).values(ended))
    host.state, host.finished_at = TournamentState.FINISHED, now
    closing = _closing(tx, ladder, season, players, now)
    if closing is None:
        boards.freeze(tx, season)
    else:
        season.phase, season.closing_id = SeasonPhase.CLOSING, closing.id
    _begin_next(tx, ladder, now)
    tx.flush()


def _closing(
    tx: Transaction, ladder: Ladder, season: Season, players: list[Player], now: datetime
) -> Tournament | None:
    """Start the tournament in which all who are left play equally many games; None without two of them."""
    events = tuple(
        EventPlan(**setting, deals=ladder.closing_deals, schedule="balanced")
        for setting in ladder.settings
        if sum(entries.claims(player.version, setting["game"]) for player in players) >= 2
    )
    if not events:
        return None
    plan = Plan(
        name=f"{ladder.name}, final of season {season.number}",
        events=events,
        entrants=tuple(str(player.bot.id) for player in players),
        limits=ladder.limits,
        secret_seed=season.closing_secret,
        entries_per_owner=ladder.entries_per_owner,
        weight=ladder.weight,
    )
    tournament = tournaments.create(tx, plan, organiser_id=ladder.organiser_id, now=now)
    return tournaments.start(tx, tournament.id, now)


def _begin_next(tx: Transaction, ladder: Ladder, now: datetime) -> None:
    if ladder.state is LadderState.OPEN:
        begin(tx, ladder, now)


def _settled(ladder: Ladder) -> list[SettledEvent]:
    events = tuple(EventPlan(**setting, deals=ladder.deals) for setting in ladder.settings)
    return plans.settle_events(Plan(name=ladder.name, events=events))


def _event(index: int, event: SettledEvent, ladder: Ladder) -> Event:
    """Return one setting as an event without a schedule; its blocks are rounds."""
    return Event(
        index=index,
        game=event.game,
        seats=event.seats,
        options=event.options,
        schedule=seating.LADDER,
        sides=event.sides,
        deals=ladder.deals,
        block_deals=ladder.deals,
        match_seconds=event.match_seconds,
        batch_groups=event.sides,
        field=[],
        matches=0,
        state=EventState.RUNNING,
    )
