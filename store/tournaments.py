"""Tournaments: from a draft to the start, and what ends them early."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select, tuple_, update
from sqlalchemy.orm import joinedload, selectinload
from sqlalchemy.orm.interfaces import ORMOption

from engine import seeds
from engine.errors import BadSchedule
from store import deliveries, entries, plans
from store.database import Transaction
from store.errors import BadRequest, Conflict, NotFound
from store.models.accounts import Account
from store.models.bots import Bot, BotKind, Version
from store.models.tournaments import Entrant, Event, EventState, Tournament, TournamentState
from store.models.webhooks import HookEvent
from store.plans import Plan, SettledEvent


def create(tx: Transaction, plan: Plan, *, organiser_id: UUID, now: datetime) -> Tournament:
    """Store a draft, its secret drawn or given and committed to; BadRequest names the field."""
    events = plans.settle_events(plan)
    limits, stop = plans.settle_limits(plan.limits), plans.settle_stop(plan.stop)
    secret = _secret(plan)
    tournament = Tournament(
        organiser_id=organiser_id,
        name=plan.name,
        state=TournamentState.DRAFT,
        secret=secret,
        commitment=seeds.commitment(secret),
        limits=limits.to_json(),
        stop=None if stop is None else stop.to_json(),
        endpoint_teams=plan.endpoint_teams,
        endpoint_duplicates=plan.endpoint_duplicates,
        owners_apart=plan.owners_apart,
        entries_close_at=plan.entries_close_at,
        entries_per_owner=plan.entries_per_owner,
        weight=plan.weight,
        created_at=now,
        events=[_draft_event(index, event) for index, event in enumerate(events)],
        entrants=[],
    )
    tx.add(tournament)
    tx.flush()
    entries.add(tx, tournament, plan.entrants, entries.playable(tx, plan.entrants))
    tx.flush()
    return get(tx, tournament.id)


def dry_run(tx: Transaction, plan: Plan) -> dict[str, Any]:
    """Return what a plan would play, without storing anything; raises like `create`."""
    events = plans.settle_events(plan)
    plans.settle_limits(plan.limits)
    plans.settle_stop(plan.stop)
    _secret(plan)
    versions = entries.playable(tx, plan.entrants)
    if not plan.endpoint_teams:
        entries.require_no_endpoint_team(events, plan.entrants, versions)
    fields = [[version for version in versions if entries.claims(version, event.game)] for event in events]
    aparts = [entries.apart(field, plan.owners_apart) for field in fields]
    try:
        return plans.counts(events, list(map(len, fields)), aparts)
    except BadSchedule as error:
        raise BadRequest(str(error), field="entrants") from error


def get(tx: Transaction, tournament_id: UUID) -> Tournament:
    """Return a tournament with its events and its entrants, their bots and owners too; raises NotFound."""
    whole = (
        joinedload(Entrant.version, innerjoin=True)
        .joinedload(Version.bot, innerjoin=True)
        .joinedload(Bot.owner, innerjoin=True)
    )
    return _loaded(tx, tournament_id, selectinload(Tournament.entrants).options(whole))


def outline(tx: Transaction, tournament_id: UUID) -> Tournament:
    """Return a tournament with its events and its entrants, but not their bots; raises NotFound."""
    return _loaded(tx, tournament_id, selectinload(Tournament.entrants))


def require(tx: Transaction, tournament_id: UUID) -> None:
    """Raise NotFound when there is no such tournament."""
    if tx.scalar(select(Tournament.id).where(Tournament.id == tournament_id)) is None:
        raise NotFound(f"there is no tournament {tournament_id}")


def locked(tx: Transaction, tournament_id: UUID) -> Tournament:
    """Return a tournament that nobody else changes meanwhile; raises NotFound, Conflict for a season."""
    tx.get(Tournament, tournament_id, with_for_update=True, populate_existing=True)
    tournament = get(tx, tournament_id)
    if tournament.is_season:
        raise Conflict("this is a season of a ladder: bots enter and leave the ladder")
    return tournament


def lock_events(tx: Transaction, tournament_id: UUID) -> None:
    """Let no event end or begin a block meanwhile; in the order in which an event locks its tournament."""
    query = select(Event).where(Event.tournament_id == tournament_id).order_by(Event.index)
    tx.scalars(query.with_for_update(), execution_options={"populate_existing": True}).all()


def page(
    tx: Transaction,
    *,
    limit: int,
    after: tuple[datetime, UUID] | None = None,
    state: TournamentState | None = None,
) -> list[Tournament]:
    """Return at most `limit` tournaments, newest first, after the one with this (created_at, id).

    The seasons of ladders are not among them.
    """
    query = (
        select(Tournament)
        .options(joinedload(Tournament.organiser, innerjoin=True), selectinload(Tournament.events))
        .where(Tournament.is_season.is_(False))
        .order_by(Tournament.created_at.desc(), Tournament.id.desc())
        .limit(limit)
    )
    if after is not None:
        query = query.where(tuple_(Tournament.created_at, Tournament.id) < after)
    if state is not None:
        query = query.where(Tournament.state == state)
    return list(tx.scalars(query))


def enter(
    tx: Transaction, tournament_id: UUID, bot_refs: Sequence[str], by: Account, now: datetime
) -> Tournament:
    """Enter bots, each frozen at its active version, into a draft; participants while entries are open."""
    get(tx, tournament_id)
    versions = entries.playable(tx, bot_refs)
    tournament = locked(tx, tournament_id)
    _require(tournament, TournamentState.DRAFT, "entrants can be added")
    entries.require_open(tournament, len(versions), by, now)
    entries.add(tx, tournament, bot_refs, versions)
    tx.flush()
    return get(tx, tournament_id)


def start(tx: Transaction, tournament_id: UUID, now: datetime, batch_seconds: int = 2) -> Tournament:
    """Start a draft: freeze the entrants, fill tables up, fix every event's schedule."""
    claimed = tx.change(
        update(Tournament)
        .where(Tournament.id == tournament_id, Tournament.state == TournamentState.DRAFT)
        .values(state=TournamentState.RUNNING, started_at=now)
    )
    tournament = get(tx, tournament_id)
    if not claimed:
        _require(tournament, TournamentState.DRAFT, "it can be started")
    if not tournament.entrants:
        raise Conflict("the tournament has no entrants; enter at least one bot first")
    ranked = [entrant for entrant in tournament.entrants if not entrant.filler]
    fields = [
        [entrant for entrant in ranked if entries.claims(entrant.version, event.game)]
        for event in tournament.events
    ]
    aparts = [
        entries.apart([entrant.version for entrant in field], tournament.owners_apart) for field in fields
    ]
    missing = [
        _settled(event).fillers(len(field), apart)
        for event, field, apart in zip(tournament.events, fields, aparts, strict=True)
    ]
    numbers = [[entrant.number for entrant in field] for field in fields]
    entries.fill_up(tx, tournament, max(missing))
    tx.flush()
    tournament = get(tx, tournament_id)
    tournament.entrants_sha256 = seeds.entrants_hash(frozen_entrants(tournament))
    for event, field, apart in zip(tournament.events, numbers, aparts, strict=True):
        _open(event, field, apart, len(ranked), batch_seconds)
    tx.flush()
    deliveries.tournament_event(tx, HookEvent.STARTED, tournament, now)
    return tournament


def cancel(tx: Transaction, tournament_id: UUID, now: datetime) -> Tournament:
    """End a tournament for good that is not over; results that come later are dropped."""
    tournament = get(tx, tournament_id)
    if is_over(tournament):
        raise Conflict(f"the tournament is {tournament.state.value}; it cannot be cancelled any more")
    changed = tx.change(
        update(Tournament)
        .where(Tournament.id == tournament_id, Tournament.state == tournament.state)
        .values(state=TournamentState.CANCELLED, finished_at=now)
    )
    if not changed:
        raise Conflict("the tournament has changed in the meantime; look at it again")
    cancelled = get(tx, tournament_id)
    deliveries.tournament_event(tx, HookEvent.CANCELLED, cancelled, now)
    return cancelled


def frozen_entrants(tournament: Tournament) -> list[dict[str, object]]:
    """Return the entrant list that the deals' seeds are bound to (owners and entrants must be loaded)."""
    return [
        {
            "number": entrant.number,
            "owner": entrant.version.bot.owner.name,
            "bot": entrant.version.bot.name,
            "version": entrant.version.number,
            "sha256": entrant.version.sha256,
        }
        for entrant in tournament.entrants
    ]


def _loaded(tx: Transaction, tournament_id: UUID, entrants: ORMOption) -> Tournament:
    query = (
        select(Tournament)
        .where(Tournament.id == tournament_id)
        .options(selectinload(Tournament.events), joinedload(Tournament.organiser, innerjoin=True), entrants)
        .execution_options(populate_existing=True)
    )
    tournament = tx.scalars(query).one_or_none()
    if tournament is None:
        raise NotFound(f"there is no tournament {tournament_id}")
    return tournament


def is_over(tournament: Tournament) -> bool:
    """Return whether nothing is played any more, so that the secret may be shown."""
    return tournament.state in (TournamentState.FINISHED, TournamentState.CANCELLED)


def _secret(plan: Plan) -> bytes:
    if plan.secret_seed is None:
        return secrets.token_bytes(seeds.SECRET_BYTES)
    if len(plan.secret_seed) != seeds.SECRET_BYTES:
        raise BadRequest(
            f"secret_seed has {len(plan.secret_seed)} bytes; expected {seeds.SECRET_BYTES}",
            field="secret_seed",
        )
    return plan.secret_seed


def _require(tournament: Tournament, state: TournamentState, what: str) -> None:
    if tournament.state is not state:
        raise Conflict(f"the tournament is {tournament.state.value}; {what} only while it is {state.value}")


def _draft_event(index: int, event: SettledEvent) -> Event:
    return Event(
        index=index,
        game=event.game,
        seats=event.seats,
        options=event.options,
        schedule=event.schedule,
        sides=event.sides,
        deals=event.deals,
        block_deals=event.block_deals,
        match_seconds=event.match_seconds,
        batch_groups=1,
        field=[],
        matches=0,
        state=EventState.WAITING,
    )


def _settled(event: Event) -> SettledEvent:
    return SettledEvent(
        game=event.game,
        seats=event.seats,
        options=event.options,
        schedule=event.schedule,
        sides=event.sides,
        deals=event.deals,
        block_deals=event.block_deals,
        match_seconds=event.match_seconds,
    )


def _open(
    event: Event, field: list[int], apart: tuple[int, ...], first_filler: int, batch_seconds: int
) -> None:
    """Fix the field of an event, fillers last, and with it its schedule."""
    settled = _settled(event)
    try:
        schedule = settled.for_field(len(field), apart)
    except BadSchedule as error:
        raise Conflict(f"event {event.index} ({event.game}) cannot be scheduled: {error}") from error
    event.field = [*field, *range(first_filler, first_filler + schedule.entrants - len(field))]
    event.apart = list(settled.filled(len(field), apart))
    event.matches = schedule.matches
    event.batch_groups = plans.batch_groups(settled, schedule, batch_seconds)
    event.state = EventState.RUNNING


def has_endpoint(tournament: Tournament) -> set[int]:
    """Return the numbers of the entrants that are endpoints (versions and bots must be loaded)."""
    return {e.number for e in tournament.entrants if e.version.bot.kind is BotKind.ENDPOINT}
