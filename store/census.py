"""How much of what there is right now, as an operator watches it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, case, func, select

from store import idling
from store.database import Transaction
from store.idling import Idle
from store.models.bots import Version, VersionState
from store.models.matches import Batch, BatchState
from store.models.tournaments import Event, Tournament, TournamentState
from store.models.webhooks import Delivery, DeliveryState


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """Counts by state; `batches` is waiting, playing, expired (the lease ran out) and set_aside.

    Open batches are those of tournaments that run.
    """

    tournaments: dict[str, int]
    batches: dict[str, int]
    repeated: int
    oldest_seconds: float
    qualifications: int
    deliveries: int
    idle_ladders: Sequence[Idle]


def take(tx: Transaction, now: datetime) -> Census:
    """Return the counts of this moment; none of them looks at finished batches or at results."""
    batches, repeated, oldest = _open_batches(tx, now)
    count = select(func.count())
    set_aside = tx.scalar(count.select_from(Batch).where(Batch.state == BatchState.SET_ASIDE))
    states = tx.execute(select(Tournament.state, func.count()).group_by(Tournament.state))
    found = {state: count for state, count in states}
    return Census(
        tournaments={state.value: found.get(state, 0) for state in TournamentState},
        batches={**batches, "set_aside": set_aside or 0},
        repeated=repeated,
        oldest_seconds=0.0 if oldest is None else max(0.0, (now - oldest).total_seconds()),
        qualifications=tx.scalar(count.select_from(Version).where(Version.state == VersionState.QUALIFYING))
        or 0,
        deliveries=tx.scalar(count.select_from(Delivery).where(Delivery.state == DeliveryState.WAITING)) or 0,
        idle_ladders=idling.idle(tx, now),
    )


def _open_batches(tx: Transaction, now: datetime) -> tuple[dict[str, int], int, datetime | None]:
    """Return how many batches are open by state, how many were begun again, and since when one waits."""
    state = case(
        (Batch.lease_until.is_(None), "waiting"), (Batch.lease_until > now, "playing"), else_="expired"
    )
    query = (
        select(
            state,
            func.count(),
            func.sum(case((Batch.attempt > 1, 1), else_=0)),
            func.min(Batch.created_at),
        )
        .join(Event, Event.id == Batch.event_id)
        .join(Tournament, Tournament.id == Event.tournament_id)
        .where(and_(Batch.state == BatchState.OPEN, Tournament.state == TournamentState.RUNNING))
        .group_by(state)
    )
    rows = tx.execute(query).all()
    counts = dict.fromkeys(("waiting", "playing", "expired"), 0)
    counts |= {name: number for name, number, _, _ in rows}
    oldest = next((created for name, _, _, created in rows if name == "waiting"), None)
    return counts, sum(int(repeated) for _, _, repeated, _ in rows), oldest
