"""Ladders: made by an organiser, open for ever, or until they are closed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import select, tuple_
from sqlalchemy.orm import joinedload, selectinload

from store import plans, seasons
from store.database import Transaction
from store.errors import BadRequest, Conflict, NotFound
from store.models.ladders import Ladder, LadderState, Season
from store.plans import EventPlan, Plan, SettledEvent

DEALS = 2
ROUND_SECONDS = 300
SEASON_ROUNDS = 2_000
CLOSING_DEALS = 12
MOST_DEALS = 64
MOST_ROUND_SECONDS = 86_400
MOST_SEASON_ROUNDS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLadder:
    """A ladder as asked for: `events` are its settings, None means all games (models.ladders.Ladder)."""

    name: str
    events: tuple[EventPlan, ...] | None = None
    limits: Mapping[str, Any] | None = None
    deals: int = DEALS
    round_seconds: int = ROUND_SECONDS
    season_rounds: int = SEASON_ROUNDS
    closing_deals: int = CLOSING_DEALS
    entries_per_owner: int = 1
    weight: int = 1
    secret_seed: bytes | None = None


def create(tx: Transaction, new: NewLadder, *, organiser_id: UUID, now: datetime) -> Ladder:
    """Store a ladder whose first season begins at once; BadRequest names the field that cannot be used."""
    settled = _settled(new)
    ladder = Ladder(
        organiser_id=organiser_id,
        name=new.name,
        state=LadderState.OPEN,
        settings=[{"game": one.game, "seats": one.seats, "options": one.options} for one in settled],
        limits=plans.settle_limits(new.limits).to_json(),
        deals=new.deals,
        round_seconds=new.round_seconds,
        season_rounds=new.season_rounds,
        closing_deals=new.closing_deals,
        entries_per_owner=new.entries_per_owner,
        weight=new.weight,
        created_at=now,
    )
    tx.add(ladder)
    tx.flush()
    seasons.begin(tx, ladder, now, secret=new.secret_seed)
    return get(tx, ladder.id)


def get(tx: Transaction, ladder_id: UUID) -> Ladder:
    """Return a ladder with its seasons; raises NotFound."""
    query = (
        select(Ladder)
        .where(Ladder.id == ladder_id)
        .options(selectinload(Ladder.organiser), selectinload(Ladder.seasons).selectinload(Season.tournament))
        .execution_options(populate_existing=True)
    )
    ladder = tx.scalars(query).one_or_none()
    if ladder is None:
        raise NotFound(f"there is no ladder {ladder_id}")
    return ladder


def locked(tx: Transaction, ladder_id: UUID) -> Ladder:
    """Return a ladder that nobody else changes meanwhile (a season may begin); raises NotFound."""
    tx.get(Ladder, ladder_id, with_for_update={"key_share": True}, populate_existing=True)
    return get(tx, ladder_id)


def page(tx: Transaction, *, limit: int, after: tuple[datetime, UUID] | None = None) -> list[Ladder]:
    """Return at most `limit` ladders, the newest first, after the one with this (created_at, id)."""
    query = (
        select(Ladder)
        .options(selectinload(Ladder.organiser), selectinload(Ladder.seasons).selectinload(Season.tournament))
        .order_by(Ladder.created_at.desc(), Ladder.id.desc())
        .limit(limit)
    )
    if after is not None:
        query = query.where(tuple_(Ladder.created_at, Ladder.id) < after)
    return list(tx.scalars(query))


def season(ladder: Ladder, number: int | None = None) -> Season:
    """Return a season of a ladder by number, by default the last one; raises NotFound."""
    found = [one for one in ladder.seasons if number in (None, one.number)]
    if not found:
        raise NotFound(f"ladder {ladder.id} has no season {number}")
    return found[-1]


def season_of(tx: Transaction, tournament_id: UUID) -> Season | None:
    """Return the season whose matches a tournament holds, with its ladder; None for any other tournament."""
    query = select(Season).where(Season.tournament_id == tournament_id).options(joinedload(Season.ladder))
    return tx.scalars(query).one_or_none()


def end_season(tx: Transaction, ladder_id: UUID) -> Ladder:
    """Let the present season close once its round is over; raises Conflict for a closed ladder."""
    ladder = locked(tx, ladder_id)
    if ladder.state is not LadderState.OPEN:
        raise Conflict("the ladder is closed")
    season(ladder).is_ending = True
    tx.flush()
    return ladder


def close(tx: Transaction, ladder_id: UUID) -> Ladder:
    """Let the present season be the last one, and close; raises Conflict for a closed ladder."""
    ladder = end_season(tx, ladder_id)
    ladder.state = LadderState.CLOSED
    tx.flush()
    return ladder


def _settled(new: NewLadder) -> list[SettledEvent]:
    """Return the settings, all defaults filled in; BadRequest names the field as a ladder calls it."""
    try:
        return plans.settle_events(Plan(name=new.name, events=new.events))
    except BadRequest as error:
        field = error.field and error.field.replace("events", "settings", 1)
        raise BadRequest(str(error), field=field) from error
