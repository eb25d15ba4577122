"""Rounds of a ladder: paired from the ratings, played as batches, put into the ratings once and in order."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import aliased, subqueryload

from engine import climbing, matchmaking, seeds
from engine.matchmaking import Candidate
from engine.online import Skill
from engine.rng import Stream
from engine.schedule import Meeting, meeting_matches
from engine.tallies import Tally
from store import batches, entries, members, seating, shares, tournaments
from store.database import Transaction
from store.members import RECENT, Player
from store.models.ladders import LadderMeeting, LadderSeat, Rung, Season
from store.models.matches import Batch, BatchState, Result
from store.models.tournaments import Event, Tournament


def pair(tx: Transaction, season: Season, now: datetime) -> None:
    """Pair the next round among those who can play; its matches follow those before, in no batch yet.

    Nothing happens while no two can play the same game. The season must be locked.
    """
    players = members.refresh(tx, season)
    chosen = _chosen(tx, season, players)
    if chosen is None:
        return
    event, playing = chosen
    by_entrant = {player.rung.entrant: player for player in playing}
    tables = _tables(tx, season, event, playing)
    spare = members.fillers(tx, event.tournament_id, max(event.sides - len(table) for table in tables))
    frozen = _frozen(tx, event.tournament_id)
    for table in tables:
        parties = [by_entrant[entrant].party for entrant in table]
        full = (*table, *spare[: event.sides - len(table)])
        binding = seeds.entrants_hash([frozen[entrant] for entrant in full])
        meeting = _add_meeting(tx, season, event, binding, is_rated=matchmaking.is_rated(parties))
        for side, entrant in enumerate(full):
            tx.add(_seat(meeting, side, entrant, by_entrant.get(entrant)))
        for entrant in table:
            by_entrant[entrant].rung.last_round = season.rounds
        event.matches += meeting_matches(event.sides, event.deals)
    event.block += 1
    season.rounds += 1
    season.paired_at = now
    tx.flush()


def open_batches(tx: Transaction, season: Season, now: datetime, workers: int) -> list[int]:
    """Make batches of the round that was paired last, one a meeting, and return the ids of the new ones.

    As many as the season's share of so many worker processes has room for. The season must be locked.
    """
    made = []
    for event_id, room in shares.rooms(tx, season.tournament_id, workers).items():
        event = tx.get_one(Event, event_id)
        size = meeting_matches(event.sides, event.deals)
        stop = min(event.matches, event.next_number + room * size)
        for first in range(event.next_number, stop, size):
            made.append(batches.add(tx, event, range(first, first + size), now))
        event.next_number = stop
    tx.flush()
    return [batch.id for batch in made]


def apply(tx: Transaction, season: Season, now: datetime) -> bool:
    """Put the round that was paired last into the ratings, match by match; False while it is not played.

    Matches that were set aside count for nobody. The season must be locked.
    """
    events = list(tx.scalars(select(Event).where(Event.tournament_id == season.tournament_id)))
    if any(event.next_number < event.matches for event in events):
        return False
    in_play = select(func.count()).select_from(Batch).where(Batch.state == BatchState.OPEN)
    if tx.scalar(in_play.where(Batch.event_id.in_([event.id for event in events]))):
        return False
    for event in events:
        for meeting in _meetings_of(tx, event, season.applied):
            _apply_meeting(tx, season, event, meeting)
            meeting.applied_at = now
    season.applied += 1
    tx.flush()
    return True


def _chosen(tx: Transaction, season: Season, players: Sequence[Player]) -> tuple[Event, list[Player]] | None:
    """Return the event whose turn it is among those that two can play, with those who can."""
    query = select(Event).where(Event.tournament_id == season.tournament_id).order_by(Event.index)
    events = list(tx.scalars(query.with_for_update()))
    for offset in range(len(events)):
        event = events[(season.rounds + offset) % len(events)]
        playing = [player for player in players if entries.claims(player.version, event.game)]
        if len(playing) >= 2:
            return event, playing
    return None


def _tables(
    tx: Transaction, season: Season, event: Event, playing: Sequence[Player]
) -> list[matchmaking.Table]:
    candidates = [
        Candidate(
            entrant=player.rung.entrant,
            party=player.party,
            skill=player.skill,
            waiting=season.rounds - player.rung.last_round,
        )
        for player in playing
    ]
    turns = matchmaking.turns(candidates, event.sides, event.block)
    secret = tx.get_one(Tournament, event.tournament_id).secret
    stream = Stream(seeds.pairing_seed(secret, season.rounds))
    return matchmaking.pair(candidates, event.sides, event.block, _met(tx, event, turns), stream)


def _met(tx: Transaction, event: Event, entrants: Sequence[int]) -> dict[int, dict[int, int]]:
    """Return how often each of these has met each other entrant in an event."""
    own, other = aliased(LadderSeat), aliased(LadderSeat)
    query = (
        select(own.entrant, other.entrant, func.count())
        .join(other, (other.event_id == own.event_id) & (other.meeting == own.meeting))
        .where(own.event_id == event.id, own.entrant.in_(entrants), other.entrant != own.entrant)
        .group_by(own.entrant, other.entrant)
    )
    met: dict[int, dict[int, int]] = {}
    for entrant, opponent, times in tx.execute(query):
        met.setdefault(entrant, {})[opponent] = times
    return met


def _frozen(tx: Transaction, tournament_id: UUID) -> dict[int, dict[str, object]]:
    """Return every entrant as the seeds of its deals are bound to it."""
    tournament = tournaments.get(tx, tournament_id)
    listed = tournaments.frozen_entrants(tournament)
    return {entrant.number: one for entrant, one in zip(tournament.entrants, listed, strict=True)}


def _add_meeting(
    tx: Transaction, season: Season, event: Event, binding: str, *, is_rated: bool
) -> LadderMeeting:
    meeting = LadderMeeting(
        event_id=event.id,
        number=event.matches // meeting_matches(event.sides, event.deals),
        round=season.rounds,
        is_rated=is_rated,
        entrants_sha256=binding,
    )
    tx.add(meeting)
    tx.flush()
    return meeting


def _seat(meeting: LadderMeeting, side: int, entrant: int, player: Player | None) -> LadderSeat:
    return LadderSeat(
        event_id=meeting.event_id,
        meeting=meeting.number,
        side=side,
        entrant=entrant,
        mu_before=None if player is None else player.rung.mu,
        sigma_before=None if player is None else player.rung.sigma,
    )


def _meetings_of(tx: Transaction, event: Event, number: int) -> list[LadderMeeting]:
    """Return the meetings of a round that are not in the ratings yet."""
    query = (
        select(LadderMeeting)
        .where(LadderMeeting.event_id == event.id, LadderMeeting.round == number)
        .where(LadderMeeting.applied_at.is_(None))
        .options(subqueryload(LadderMeeting.seats))
        .order_by(LadderMeeting.number)
    )
    return list(tx.scalars(query))


def _apply_meeting(tx: Transaction, season: Season, event: Event, meeting: LadderMeeting) -> None:
    """Put the matches of one meeting into the ratings of its entrants."""
    plan = meeting_plan(event, meeting)
    played = results_of(tx, event, plan.numbers)
    seats = {seat.entrant: seat for seat in meeting.seats if seat.mu_before is not None}
    rungs = {entrant: tx.get_one(Rung, (season.tournament_id, entrant)) for entrant in seats}
    tally = Tally(seating.sides_of(event))
    for result in played:
        sitting = seating.seats_of(event, plan.slot(result.number))
        tally.add(
            sitting, scores=result.scores, places=result.places, forfeits=result.forfeits, fault_seats=()
        )
        forfeited = {sitting[seat] for seat in result.forfeits}
        for entrant, rung in rungs.items():
            rung.matches += 1
            rung.recent = [*rung.recent, int(entrant in forfeited)][-RECENT:]
    *_, after = skills(event, meeting, played)
    for entrant, seat in seats.items():
        seat.mu_after, seat.sigma_after = after[entrant].mu, after[entrant].sigma
        rungs[entrant].mu, rungs[entrant].sigma = after[entrant].mu, after[entrant].sigma
        members.bench(tx, season, rungs[entrant])
    meeting.sums = climbing.sums_of(tally, seats.keys(), is_rated=meeting.is_rated)


def meeting_plan(event: Event, meeting: LadderMeeting) -> Meeting:
    """Return the matches of a meeting (its seats must be loaded)."""
    table = tuple(seat.entrant for seat in meeting.seats)
    return Meeting(number=meeting.number, block=meeting.round, table=table, deals=event.deals)


def results_of(tx: Transaction, event: Event, numbers: range) -> list[Result]:
    """Return the results of these matches as far as there are any, in order of number."""
    query = select(Result).where(
        Result.event_id == event.id, Result.number >= numbers.start, Result.number < numbers.stop
    )
    return list(tx.scalars(query.order_by(Result.number)))


def skills(event: Event, meeting: LadderMeeting, played: Iterable[Result]) -> list[Mapping[int, Skill]]:
    """Return the ratings of a meeting's entrants: as they came, then after each of these matches.

    A match that does not count, or that all sides forfeited, moves nobody (seats must be loaded).
    """
    before = {
        seat.entrant: Skill(mu=seat.mu_before, sigma=seat.sigma_before)
        for seat in meeting.seats
        if seat.mu_before is not None and seat.sigma_before is not None
    }
    results = ((result.number, result.places, result.forfeits) for result in played)
    plan, sides = meeting_plan(event, meeting), seating.sides_of(event)
    return list(climbing.steps(plan, sides, before, results, is_rated=meeting.is_rated))
