"""What happened on a ladder: the history of each bot's rating, and every match with the ratings it moved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any
from uuid import UUID

from sqlalchemy import and_, select, tuple_
from sqlalchemy.orm import subqueryload

from engine.online import Skill
from engine.schedule import meeting_matches
from store import matches, rounds, seating
from store.database import Transaction
from store.models.bots import Version
from store.models.ladders import LadderMeeting, LadderSeat, Rung, Season
from store.models.matches import Result
from store.models.tournaments import Entrant, Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The online rating of a bot after a meeting, in the order of rounds: a point of its plot."""

    round: int
    version: int
    game: str
    mu: float
    sigma: float
    applied_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What one match did to the rating of one entrant."""

    entrant: int
    before: Skill
    after: Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderMatch:
    """A match in the ratings; all but `moves` is by seat. `names` are owner/bot."""

    id: str
    round: int
    event_index: int
    game: str
    number: int
    is_rated: bool
    entrants: tuple[int, ...]
    names: tuple[str, ...]
    scores: tuple[int, ...]
    places: tuple[int, ...]
    forfeits: tuple[int, ...]
    faults: int
    decisions: int
    played_at: datetime
    moves: tuple[Move, ...]


def history(
    tx: Transaction, season: Season, bot_id: UUID, *, limit: int, after: int | None = None
) -> list[Step]:
    """Return at most `limit` ratings of a bot, of all its versions, those after round `after`."""
    query = (
        select(
            LadderMeeting.round,
            Version.number,
            Event.game,
            LadderSeat.mu_after,
            LadderSeat.sigma_after,
            LadderMeeting.applied_at,
        )
        .select_from(LadderSeat)
        .join(Event, Event.id == LadderSeat.event_id)
        .join(Rung, and_(Rung.tournament_id == Event.tournament_id, Rung.entrant == LadderSeat.entrant))
        .join(Entrant, and_(Entrant.tournament_id == Rung.tournament_id, Entrant.number == Rung.entrant))
        .join(Version, Version.id == Entrant.version_id)
        .join(
            LadderMeeting,
            and_(LadderMeeting.event_id == LadderSeat.event_id, LadderMeeting.number == LadderSeat.meeting),
        )
        .where(Event.tournament_id == season.tournament_id, Rung.bot_id == bot_id)
        .where(LadderMeeting.applied_at.is_not(None))
        .order_by(LadderMeeting.round)
        .limit(limit)
    )
    if after is not None:
        query = query.where(LadderMeeting.round > after)
    return [
        Step(round=round_, version=version, game=game, mu=mu, sigma=sigma, applied_at=applied_at)
        for round_, version, game, mu, sigma, applied_at in tx.execute(query)
        if mu is not None and sigma is not None and applied_at is not None
    ]


def page(
    tx: Transaction, season: Season, *, limit: int, before: tuple[int, int] | None = None
) -> list[LadderMatch]:
    """Return at most `limit` matches, the last first, those before the place (round, number)."""
    names = _names(tx, season.tournament_id)
    meetings = _meetings(tx, season, limit, before)
    played = _results(tx, meetings)
    listed = [
        one
        for event, meeting in meetings
        for one in reversed(_matches(event, meeting, played.get((event.id, meeting.number), []), names))
        if before is None or (one.round, one.number) < before
    ]
    return listed[:limit]


def _names(tx: Transaction, tournament_id: UUID) -> Mapping[int, str]:
    query = select(Entrant.number, Entrant.name).where(Entrant.tournament_id == tournament_id)
    return {number: name for number, name in tx.execute(query)}


def _meetings(
    tx: Transaction, season: Season, limit: int, before: tuple[int, int] | None
) -> list[tuple[Event, LadderMeeting]]:
    """Return the meetings that are in the ratings, the last first, enough for so many matches."""
    query = (
        select(Event, LadderMeeting)
        .join(LadderMeeting, LadderMeeting.event_id == Event.id)
        .where(Event.tournament_id == season.tournament_id, LadderMeeting.applied_at.is_not(None))
        .options(subqueryload(LadderMeeting.seats))
        .order_by(LadderMeeting.round.desc(), LadderMeeting.number.desc())
        .limit(limit)
    )
    if before is not None:
        first_match = LadderMeeting.number * Event.sides * Event.deals
        query = query.where(tuple_(LadderMeeting.round, first_match) < before)
    return [(event, meeting) for event, meeting in tx.execute(query)]


def _results(
    tx: Transaction, meetings: Sequence[tuple[Event, LadderMeeting]]
) -> dict[tuple[UUID, int], list[Result]]:
    """Return the results of each meeting (by event and number) in order: one query an event."""
    events = {event.id: event for event, _ in meetings}
    found: dict[tuple[UUID, int], list[Result]] = {}
    for event in events.values():
        numbers = [
            number
            for other, meeting in meetings
            if other is event
            for number in rounds.meeting_plan(event, meeting).numbers
        ]
        query = select(Result).where(Result.event_id == event.id, Result.number.in_(numbers))
        for result in tx.scalars(query.order_by(Result.number)):
            size = meeting_matches(event.sides, event.deals)
            found.setdefault((event.id, result.number // size), []).append(result)
    return found


def _matches(
    event: Event, meeting: LadderMeeting, played: Sequence[Result], names: Mapping[int, str]
) -> list[LadderMatch]:
    """Return the matches of a meeting in order of number."""
    plan = rounds.meeting_plan(event, meeting)
    skills = rounds.skills(event, meeting, played)
    return [
        _view(event, meeting, result, seating.seats_of(event, plan.slot(result.number)), names, around)
        for result, around in zip(played, pairwise(skills), strict=True)
    ]


def _view(
    event: Event,
    meeting: LadderMeeting,
    result: Result,
    sitting: Sequence[int],
    names: Mapping[int, str],
    around: tuple[Mapping[int, Skill], Mapping[int, Skill]],
) -> LadderMatch:
    by_seat: dict[str, Any] = {
        "scores": tuple(result.scores),
        "places": tuple(result.places),
        "forfeits": tuple(result.forfeits),
    }
    before, after = around
    return LadderMatch(
        id=matches.match_id_of(event.id, result.number),
        round=meeting.round,
        event_index=event.index,
        game=event.game,
        number=result.number,
        is_rated=meeting.is_rated,
        entrants=tuple(sitting),
        names=tuple(names[entrant] for entrant in sitting),
        **by_seat,
        faults=result.faults,
        decisions=result.decisions,
        played_at=result.played_at,
        moves=tuple(
            Move(entrant=entrant, before=skill, after=after[entrant]) for entrant, skill in before.items()
        ),
    )
