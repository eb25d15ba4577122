"""Re-runs: an organiser has a set of matches played again, on the same deals, and can undo it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.orm import selectinload

from store import archives, previews, rewinds, seating, selections, tournaments, voids
from store.database import Transaction
from store.errors import BadRequest, Conflict, NotFound
from store.models.ladders import Season, SeasonPhase
from store.models.matches import Batch, BatchState
from store.models.reruns import Rerun, RerunPart, RerunState
from store.models.tournaments import Event, Tournament, TournamentState
from store.previews import Preview
from store.selections import Choice, Run, Selected

_STARTED = (TournamentState.RUNNING, TournamentState.PAUSED, TournamentState.FINISHED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What is played again of one event; `followed` since benching or the early end came out otherwise."""

    event: int
    ranges: tuple[Run, ...]
    followed: tuple[Run, ...]
    matches: int
    results: int


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A re-run: so many matches are played again, so many results were taken out for that."""

    number: int
    state: RerunState
    reason: str
    matches: int
    results: int
    events: tuple[Part, ...]
    created_at: datetime
    ended_at: datetime | None


def preview(tx: Transaction, tournament_id: UUID, choice: Choice) -> Preview:
    """Return what a re-run would do; nothing is done. Raises as `apply` does."""
    tournament = tournaments.get(tx, tournament_id)
    _require_rerunnable(tx, tournament)
    return previews.of(tx, tournament, selections.find(tx, tournament, choice))


def apply(tx: Transaction, tournament_id: UUID, choice: Choice, reason: str, now: datetime) -> View:
    """Take the results of the chosen matches out of every table, and let them be played again.

    A finished tournament runs again until that is done, and then has another edition. Raises NotFound,
    BadRequest for the choice, Conflict for a tournament that has not started, was cancelled, or is a ladder's
    with frozen standings, and while another re-run is being played.
    """
    if not reason.strip():
        raise BadRequest("reason is missing; say why, in a sentence that everybody may read", field="reason")
    tournament = _locked(tx, tournament_id)
    _require_rerunnable(tx, tournament)
    found = selections.find(tx, tournament, choice)
    count = select(func.count()).select_from(Rerun).where(Rerun.tournament_id == tournament_id)
    rerun = Rerun(
        tournament_id=tournament_id,
        number=(tx.scalar(count) or 0) + 1,
        reason=reason,
        state=RerunState.PLAYING,
        created_at=now,
    )
    tx.add(rerun)
    tx.flush()
    for selected in found:
        part = _part(rerun, selected)
        part.set_aside = voids.take_back(tx, selected.event, selected.ranges)
        tx.add(part)
        voids.archive(tx, selected.event, selected.ranges, rerun.id)
        rewinds.rewind(tx, tournament, selected.event, part.from_block)
    return get(tx, tournament_id, rerun.number)


def undo(tx: Transaction, tournament_id: UUID, number: int, now: datetime) -> View:
    """Let the results count again that a re-run took out, in place of those that it brought.

    Only the last re-run that was not undone can be; so results come back in the order in which they went.
    Raises NotFound, Conflict.
    """
    tournament = _locked(tx, tournament_id)
    _require_started(tx, tournament)
    rerun = _find(tx, tournament_id, number)
    if rerun.state is RerunState.UNDONE:
        raise Conflict(f"re-run {number} has been undone already")
    query = select(func.max(Rerun.number)).where(Rerun.tournament_id == tournament_id)
    if (last := tx.scalar(query.where(Rerun.state != RerunState.UNDONE))) != number:
        raise Conflict(f"re-run {last} came later; undo it first")
    rerun.state, rerun.ended_at = RerunState.UNDONE, now
    tx.flush()
    events = {event.id: event for event in tournament.events}
    for part in rerun.parts:
        _undo_part(tx, events[part.event_id], part)
        rewinds.rewind(tx, tournament, events[part.event_id], part.from_block)
    return _view(rerun)


def get(tx: Transaction, tournament_id: UUID, number: int) -> View:
    """Return one re-run; raises NotFound."""
    return _view(_find(tx, tournament_id, number))


def of_tournament(tx: Transaction, tournament_id: UUID) -> list[View]:
    """Return the re-runs of a tournament, the first one first; raises NotFound when there is none such."""
    tournaments.require(tx, tournament_id)
    query = select(Rerun).where(Rerun.tournament_id == tournament_id).options(selectinload(Rerun.parts))
    return [_view(rerun) for rerun in tx.scalars(query.order_by(Rerun.number))]


def _locked(tx: Transaction, tournament_id: UUID) -> Tournament:
    """Return a tournament of which nothing moves meanwhile; locked in the order in which its events are."""
    tournaments.require(tx, tournament_id)
    tx.execute(select(Season.number).where(Season.closing_id == tournament_id).with_for_update(read=True))
    tournaments.lock_events(tx, tournament_id)
    return tournaments.locked(tx, tournament_id)


def _require_rerunnable(tx: Transaction, tournament: Tournament) -> None:
    _require_started(tx, tournament)
    query = select(Rerun.number).where(
        Rerun.tournament_id == tournament.id, Rerun.state == RerunState.PLAYING
    )
    if (number := tx.scalar(query)) is not None:
        raise Conflict(f"re-run {number} is still being played; undo it, or wait for its end")


def _require_started(tx: Transaction, tournament: Tournament) -> None:
    if tournament.is_season:
        raise Conflict("the ratings of a ladder follow from its matches one by one; none is played again")
    if tournament.state not in _STARTED:
        raise Conflict(f"the tournament is {tournament.state.value}; nothing of it can be played again")
    archives.require_none(tx, tournament.id)
    season = select(Season.ladder_id).where(
        Season.closing_id == tournament.id, Season.phase == SeasonPhase.OVER
    )
    if tx.scalar(season) is not None:
        raise Conflict("the tournament closed a season of a ladder, whose standings are frozen for good")


def _part(rerun: Rerun, selected: Selected) -> RerunPart:
    event, schedule = selected.event, seating.schedule_of(selected.event)
    return RerunPart(
        rerun_id=rerun.id,
        event_id=event.id,
        event_index=event.index,
        ranges=[[numbers.start, len(numbers)] for numbers in selected.ranges],
        followed=[],
        matches=selected.matches,
        results=selected.results,
        from_block=schedule.block_of(selected.ranges[0].start),
        until_block=schedule.block_of(event.next_number - 1),
        next_number=event.next_number,
    )


def _undo_part(tx: Transaction, event: Event, part: RerunPart) -> None:
    """Exchange the results that a re-run brought for those that it took out."""
    ranges = selections.joined(range(first, first + count) for first, count in [*part.ranges, *part.followed])
    voids.close_batches(tx, event)
    voids.take_back(tx, event, ranges)
    voids.discard(tx, event, ranges)
    voids.put_back(tx, event, ranges, part.rerun_id)
    tx.change(update(Batch).where(Batch.id.in_(part.set_aside)).values(state=BatchState.SET_ASIDE))
    event.next_number = max(event.next_number, part.next_number)


def _find(tx: Transaction, tournament_id: UUID, number: int) -> Rerun:
    query = select(Rerun).where(Rerun.tournament_id == tournament_id, Rerun.number == number)
    found = tx.scalars(
        query.options(selectinload(Rerun.parts)), execution_options={"populate_existing": True}
    ).one_or_none()
    if found is None:
        raise NotFound(f"tournament {tournament_id} has no re-run {number}")
    return found


def _view(rerun: Rerun) -> View:
    parts = tuple(
        Part(
            event=part.event_index,
            ranges=_runs(part.ranges),
            followed=_runs(part.followed),
            matches=part.matches,
            results=part.results,
        )
        for part in rerun.parts
    )
    return View(
        number=rerun.number,
        state=rerun.state,
        reason=rerun.reason,
        matches=sum(part.matches for part in parts),
        results=sum(part.results for part in parts),
        events=parts,
        created_at=rerun.created_at,
        ended_at=rerun.ended_at,
    )


def _runs(ranges: Iterable[Sequence[int]]) -> tuple[Run, ...]:
    return tuple(Run(first=first, count=count) for first, count in ranges)
