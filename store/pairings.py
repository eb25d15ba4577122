"""Who plays now on a ladder: the round that has been paired and is not in the ratings yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import and_, select

from store.database import Transaction
from store.models.bots import Version
from store.models.ladders import Ladder, LadderMeeting, LadderSeat, Season, SeasonPhase
from store.models.tournaments import Entrant, Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """One side of a table: whose bot, and what it is expected to be able to do (None for a filler)."""

    bot_id: UUID
    name: str
    mu: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """A table of the round that is being played."""

    game: str
    is_rated: bool
    sides: tuple[Sitting, ...]


def current(tx: Transaction, season: Season) -> Sequence[Pairing]:
    """Return the tables of the round that is being played, in order; none between two rounds."""
    if season.applied >= season.rounds:
        return []
    query = (
        select(LadderSeat, LadderMeeting, Event.game, Entrant.name, Version.bot_id)
        .join(Event, Event.id == LadderSeat.event_id)
        .join(
            LadderMeeting,
            and_(LadderMeeting.event_id == LadderSeat.event_id, LadderMeeting.number == LadderSeat.meeting),
        )
        .join(
            Entrant,
            and_(Entrant.tournament_id == Event.tournament_id, Entrant.number == LadderSeat.entrant),
        )
        .join(Version, Version.id == Entrant.version_id)
        .where(Event.tournament_id == season.tournament_id, LadderMeeting.round == season.applied)
        .order_by(LadderMeeting.number, LadderSeat.side)
    )
    tables: dict[int, list[Sitting]] = {}
    of: dict[int, tuple[str, bool]] = {}
    for seat, meeting, game, name, bot_id in tx.execute(query):
        tables.setdefault(meeting.number, []).append(Sitting(bot_id=bot_id, name=name, mu=seat.mu_before))
        of[meeting.number] = game, meeting.is_rated
    return [
        Pairing(game=of[number][0], is_rated=of[number][1], sides=tuple(sides))
        for number, sides in tables.items()
    ]


def next_game(ladder: Ladder, season: Season) -> str | None:
    """Return the game whose turn it is in the next round; None when no other round follows."""
    if season.phase is not SeasonPhase.OPEN or season.is_ending or season.rounds >= ladder.season_rounds:
        return None
    game: str = ladder.settings[season.rounds % len(ladder.settings)]["game"]
    return game


def next_at(ladder: Ladder, season: Season) -> datetime | None:
    """Return before when the next round does not begin; None when no round has begun."""
    return season.paired_at and season.paired_at + timedelta(seconds=ladder.round_seconds)
