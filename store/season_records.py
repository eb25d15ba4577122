"""The record of what is over: a tournament, or a season of a ladder with the tournament that closed it."""

from collections.abc import Iterator, Sequence
from heapq import merge
from importlib.metadata import version
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import subqueryload

from engine import ledger
from engine.ledger import BoardLine, Line, MeetingLine, SeasonHeader, SetAsideLine, SettingPart
from store import archives, deals, ladders, records, rounds, tournaments
from store.database import Database, Transaction
from store.errors import Conflict
from store.models.ladders import LadderMeeting, Season, SeasonPhase
from store.models.tournaments import Event, Tournament, TournamentState
from store.records import Final

PAGE = 100  # meetings of an event that are read at a time, without their matches


class _Season(NamedTuple):
    """A season that is over, the tournament that holds its rounds, and the one that closed it, if any."""

    season: Season
    host: Tournament
    closing: Final | None


def stream(database: Database, tournament_id: UUID) -> Iterator[bytes]:
    """Return a record, a number of lines at a time; NotFound, or Conflict before the end.

    Every meeting is read in a transaction of its own, so that a slow reader holds up nobody; what is finished
    does not change.
    """
    with database.reading() as tx:
        season = ladders.season_of(tx, tournament_id)
        found = None if season is None else _over(tx, season)
    if found is None:
        return records.stream(database, tournament_id)
    return records.pages(_lines(database, found))


def _over(tx: Transaction, season: Season) -> _Season:
    host = tournaments.get(tx, season.tournament_id)
    if season.phase is not SeasonPhase.OVER:
        phases = {SeasonPhase.OPEN: "still played", SeasonPhase.CLOSING: "being closed"}
        raise Conflict(f"the season is {phases[season.phase]}; there is a record only once it is over")
    if host.state is not TournamentState.FINISHED:
        raise Conflict(f"the season was {host.state.value}; there is no record of it")
    closing = None if season.closing_id is None else tx.get_one(Tournament, season.closing_id)
    is_played = closing is not None and closing.state is TournamentState.FINISHED
    return _Season(season, host, records.final(tx, closing.id) if closing and is_played else None)


def _lines(database: Database, found: _Season) -> Iterator[Line]:
    yield _header(found)
    yield from map(records.entrant_line, found.host.entrants)
    of_events = [_meetings(database, event) for event in found.host.events]
    for event, meeting in merge(*of_events, key=_by_round):
        with database.reading() as tx:
            lines = _meeting_lines(tx, found, event, meeting)
        yield from lines
    if found.closing is not None:
        yield from records.lines_of(database, found.closing)
    yield BoardLine(rows=found.season.standings or [])


def _header(found: _Season) -> SeasonHeader:
    season, host = found.season, found.host
    assert season.sha256 is not None, "a season that is over has its standings frozen"
    return SeasonHeader(
        format=ledger.FORMAT,
        engine=version("fudaba"),
        tournament=str(host.id),
        name=host.name,
        commitment=host.commitment,
        secret_seed=host.secret.hex(),
        limits=host.limits,
        rounds=season.rounds,
        events=[
            SettingPart(
                game=event.game,
                seats=event.seats,
                options=event.options,
                deals=event.deals,
                matches=event.matches,
            )
            for event in host.events
        ],
        closing=None if found.closing is None else str(found.closing.tournament.id),
        closing_commitment=season.closing_commitment,
        sha256=season.sha256,
    )


def _meetings(database: Database, event: Event) -> Iterator[tuple[Event, LadderMeeting]]:
    """Yield the meetings of an event in order; their numbers ascend with the rounds, and are their key."""
    after = -1
    while True:
        query = (
            select(LadderMeeting)
            .where(LadderMeeting.event_id == event.id, LadderMeeting.number > after)
            .options(subqueryload(LadderMeeting.seats))
            .order_by(LadderMeeting.number)
            .limit(PAGE)
        )
        with database.reading() as tx:
            page = tx.scalars(query).all()
        yield from ((event, meeting) for meeting in page)
        if len(page) < PAGE:
            break
        after = page[-1].number


def _by_round(found: tuple[Event, LadderMeeting]) -> tuple[int, int]:
    """Return what meetings are ordered by as they were put into the ratings; a round has one event."""
    _, meeting = found
    return meeting.round, meeting.number


def _meeting_lines(tx: Transaction, found: _Season, event: Event, meeting: LadderMeeting) -> Sequence[Line]:
    """Return the line of a meeting and those of its matches."""
    plan = rounds.meeting_plan(event, meeting)
    played = {result.number: result for result in rounds.results_of(tx, event, plan.numbers)}
    faults = records.faults_of(tx, event, list(played.values()))
    endpoints = tournaments.has_endpoint(found.host)
    lines: list[Line] = [_meeting_line(event, meeting)]
    for number in plan.numbers:
        if (result := played.get(number)) is None:
            lines.append(SetAsideLine(event=event.index, number=number))
            continue
        slot = plan.slot(number)
        seed = deals.seed(found.host, event, slot, endpoints, meeting.entrants_sha256)
        actions = archives.kept(tx, event, result).actions
        lines.append(records.match_line(event, slot, seed, result, actions, faults[number]))
    return lines


def _meeting_line(event: Event, meeting: LadderMeeting) -> MeetingLine:
    return MeetingLine(
        event=event.index,
        number=meeting.number,
        round=meeting.round,
        is_rated=meeting.is_rated,
        entrants=[seat.entrant for seat in meeting.seats],
        entrants_sha256=meeting.entrants_sha256,
        before=[_pair(seat.mu_before, seat.sigma_before) for seat in meeting.seats],
        after=[_pair(seat.mu_after, seat.sigma_after) for seat in meeting.seats],
    )


def _pair(mu: float | None, sigma: float | None) -> tuple[float, float] | None:
    return None if mu is None or sigma is None else (mu, sigma)
