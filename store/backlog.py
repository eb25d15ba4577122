"""What waits to be played: open batches, those that are being played, and those that were set aside."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import false, func, select

from store.database import Transaction
from store.models.bots import Version, VersionState
from store.models.matches import Batch, BatchState

_LIVE = (BatchState.OPEN, BatchState.SET_ASIDE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """How many batches wait, are claimed by a worker, or were set aside; and versions to be tried out."""

    waiting: int
    claimed: int
    set_aside: int
    qualifying: int


def of_all(tx: Transaction, now: datetime) -> Backlog:
    """Return what waits in all tournaments and ladders."""
    is_claimed = func.coalesce(Batch.lease_until > now, false())
    query = (
        select(Batch.state, is_claimed, func.count())
        .where(Batch.state.in_(_LIVE))
        .group_by(Batch.state, is_claimed)
    )
    counts: Mapping[tuple[BatchState, bool], int] = {
        (state, bool(claimed)): number for state, claimed, number in tx.execute(query)
    }
    qualifying = select(func.count()).select_from(Version).where(Version.state == VersionState.QUALIFYING)
    return Backlog(
        waiting=counts.get((BatchState.OPEN, False), 0),
        claimed=counts.get((BatchState.OPEN, True), 0),
        set_aside=sum(n for (state, _), n in counts.items() if state is BatchState.SET_ASIDE),
        qualifying=tx.scalar(qualifying) or 0,
    )
