"""What organisers do with a tournament beside starting and cancelling it: change, pause, resume, clone."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import update

from store import bots, deliveries, tournaments
from store.database import Transaction
from store.errors import Conflict
from store.models.tournaments import Tournament, TournamentState
from store.models.webhooks import HookEvent
from store.plans import EventPlan, Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a draft is to become; the deadline may be taken away, so None is one of its values."""

    name: str
    entries_close_at: datetime | None
    entries_per_owner: int
    weight: int


def change(tx: Transaction, tournament: Tournament, wanted: Change) -> Tournament:
    """Change a draft, or the weight of one that is played; it must be locked. Raises Conflict otherwise."""
    entries = (tournament.name, tournament.entries_close_at, tournament.entries_per_owner)
    is_weight_alone = entries == (wanted.name, wanted.entries_close_at, wanted.entries_per_owner)
    is_played = tournament.state in (TournamentState.RUNNING, TournamentState.PAUSED)
    if tournament.state is not TournamentState.DRAFT and not (is_played and is_weight_alone):
        rule = "only a draft can be changed, and the weight until the end"
        raise Conflict(f"the tournament is {tournament.state.value}; {rule}")
    tournament.name = wanted.name
    tournament.entries_close_at = wanted.entries_close_at
    tournament.entries_per_owner = wanted.entries_per_owner
    tournament.weight = wanted.weight
    tx.flush()
    return tournament


def pause(tx: Transaction, tournament_id: UUID, now: datetime) -> Tournament:
    """Let nobody begin with a batch any more; those that are being played come to their end."""
    tournament = _move(tx, tournament_id, TournamentState.RUNNING, TournamentState.PAUSED)
    deliveries.tournament_event(tx, HookEvent.PAUSED, tournament, now)
    return tournament


def resume(tx: Transaction, tournament_id: UUID, now: datetime) -> Tournament:
    """Go on with a paused tournament."""
    tournament = _move(tx, tournament_id, TournamentState.PAUSED, TournamentState.RUNNING)
    deliveries.tournament_event(tx, HookEvent.RESUMED, tournament, now)
    return tournament


def clone(
    tx: Transaction,
    tournament_id: UUID,
    *,
    name: str | None,
    with_entrants: bool,
    organiser_id: UUID,
    now: datetime,
) -> Tournament:
    """Make a draft with the events and rules of a tournament, and a secret of its own.

    Its entrants come along with their active versions, as far as they still can play.
    """
    origin = tournaments.get(tx, tournament_id)
    plan = Plan(
        name=name or origin.name,
        events=tuple(
            EventPlan(
                game=event.game,
                seats=event.seats,
                options=event.options,
                deals=event.deals,
                schedule=event.schedule,
            )
            for event in origin.events
        ),
        entrants=_still_playing(tx, origin) if with_entrants else (),
        limits=origin.limits,
        stop=origin.stop,
        endpoint_teams=origin.endpoint_teams,
        endpoint_duplicates=origin.endpoint_duplicates,
        owners_apart=origin.owners_apart,
        entries_per_owner=origin.entries_per_owner,
        weight=origin.weight,
    )
    return tournaments.create(tx, plan, organiser_id=organiser_id, now=now)


def _still_playing(tx: Transaction, origin: Tournament) -> tuple[str, ...]:
    found = [entrant.version.bot for entrant in origin.entrants if not entrant.filler]
    return tuple(
        str(bot.id)
        for bot in found
        if bot.deleted_at is None and not bot.is_off and bots.active_version(tx, bot) is not None
    )


def _move(tx: Transaction, tournament_id: UUID, old: TournamentState, new: TournamentState) -> Tournament:
    moved = tx.change(
        update(Tournament).where(Tournament.id == tournament_id, Tournament.state == old).values(state=new)
    )
    tournament = tournaments.get(tx, tournament_id)
    if not moved:
        raise Conflict(f"the tournament is {tournament.state.value}; expected one that is {old.value}")
    return tournament
