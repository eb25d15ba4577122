"""A season of a ladder against its own rules: ratings follow from matches, meeting by meeting."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

from sqlalchemy import select
from sqlalchemy.orm import selectinload

from engine.online import Skill
from engine.record import canonical
from engine.season_walk import is_near
from store import rounds
from store.database import Transaction
from store.models.ladders import LadderMeeting, Rung, Season, SeasonPhase
from store.models.tournaments import Event, Tournament

_AT_ONCE = 200  # meetings


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """An entrant at a meeting: the rating that it came with, went with if that is known, and its matches."""

    round: int
    came: Skill
    went: Skill | None
    matches: int


Journey = list[Visit]  # of one entrant


def of_tournament(tx: Transaction, tournament: Tournament) -> Iterator[str]:
    """Yield what is wrong with the season that a tournament holds; nothing when it holds none."""
    season = tx.get(Season, tournament.id)
    if season is None:
        return
    if season.phase is SeasonPhase.OVER and season.standings is None:
        yield "the season is over, but its standings were not frozen"
    if season.standings is not None and sha256(canonical(season.standings)).hexdigest() != season.sha256:
        yield "the standings of the season are not those that were frozen"
    if not season.rated <= season.applied <= season.rounds:
        yield f"of {season.rounds} rounds {season.applied} are in the ratings and {season.rated} in the last"
    journeys: dict[int, Journey] = {}
    for event in tournament.events:
        for meeting in _meetings(tx, event):
            for problem in _meeting(tx, season, event, meeting, journeys):
                yield f"event {event.index}, meeting {meeting.number}: {problem}"
    rungs = select(Rung).where(Rung.tournament_id == tournament.id).order_by(Rung.entrant)
    for rung in tx.scalars(rungs):
        for problem in _rung(rung, journeys.get(rung.entrant, [])):
            yield f"entrant {rung.entrant}: {problem}"


def _meetings(tx: Transaction, event: Event) -> Iterator[LadderMeeting]:
    """Yield the meetings of an event with their seats, in order."""
    last = -1
    while True:
        query = select(LadderMeeting).where(LadderMeeting.event_id == event.id, LadderMeeting.number > last)
        query = query.order_by(LadderMeeting.number).limit(_AT_ONCE)
        found = tx.scalars(query.options(selectinload(LadderMeeting.seats))).all()
        yield from found
        if len(found) < _AT_ONCE:
            return
        last = found[-1].number


def _meeting(
    tx: Transaction, season: Season, event: Event, meeting: LadderMeeting, journeys: dict[int, Journey]
) -> Iterator[str]:
    """Check one meeting, and add it to the journeys of its entrants."""
    is_due = meeting.round < season.applied
    if is_due != (meeting.applied_at is not None):
        yield f"its round {meeting.round} is {'' if is_due else 'not '}in the ratings, but it is otherwise"
    played = []
    if meeting.applied_at is not None:
        played = rounds.results_of(tx, event, rounds.meeting_plan(event, meeting).numbers)
    *_, expected = rounds.skills(event, meeting, played)
    for seat in meeting.seats:
        came, went = _skill(seat.mu_before, seat.sigma_before), _skill(seat.mu_after, seat.sigma_after)
        if came is None:
            continue
        visit = Visit(round=meeting.round, came=came, went=went, matches=len(played))
        journeys.setdefault(seat.entrant, []).append(visit)
        found = expected[seat.entrant]
        if meeting.applied_at is not None and (went is None or not is_near((went.mu, went.sigma), found)):
            yield f"entrant {seat.entrant} went with {went}, but its matches say {found}"


def _rung(rung: Rung, journey: Journey) -> Iterator[str]:
    """Check that a rating goes on from one meeting to the next, and is where the last one left it."""
    visits = sorted(journey, key=lambda visit: visit.round)
    for before, after in pairwise(visits):
        if before.went != after.came:
            yield f"it came to round {after.round} with {after.came}, but had gone with {before.went}"
    gone = [visit.went for visit in visits if visit.went is not None]
    here = Skill(mu=rung.mu, sigma=rung.sigma)
    if gone and gone[-1] != here:
        yield f"its rating is {here}, but it went from its last meeting with {gone[-1]}"
    if rung.matches != (played := sum(visit.matches for visit in visits)):
        yield f"{rung.matches} matches are counted, but {played} are in its ratings"


def _skill(mu: float | None, sigma: float | None) -> Skill | None:
    return None if mu is None or sigma is None else Skill(mu=mu, sigma=sigma)
