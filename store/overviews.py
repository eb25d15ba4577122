"""Ladders as others see them: the present season, who is on it, and whether it stands still."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from uuid import UUID

from store import boards, idling, ladders, members
from store.database import Transaction
from store.models.ladders import Ladder, MemberState, Season


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """A ladder with its last season.

    `members` counts them by state, `coverage` is the share of the pairs on the board that have met in the
    season, and `idle_reason` says why nothing is played although it could be; None when all is well.
    """

    ladder: Ladder
    season: Season
    members: Mapping[MemberState, int]
    coverage: Fraction | None
    idle_since: datetime | None
    idle_reason: str | None


def of_ladder(tx: Transaction, ladder_id: UUID, now: datetime) -> Overview:
    """Return a ladder as it is; raises NotFound."""
    ladder = ladders.get(tx, ladder_id)
    season = ladders.season(ladder)
    idle = next(iter(idling.idle(tx, now, ladder_id)), None)
    return Overview(
        ladder=ladder,
        season=season,
        members=Counter(member.state for member in members.of_ladder(tx, ladder_id)),
        coverage=boards.coverage(tx, season),
        idle_since=None if idle is None else idle.since,
        idle_reason=None if idle is None else idle.reason,
    )
