"""Re-runs against what they took out: it is kept while they count, and nothing else is."""

from collections.abc import Iterator

from sqlalchemy import func, select
from sqlalchemy.orm import selectinload

from store.database import Transaction
from store.models.reruns import Rerun, RerunPart, RerunState, VoidedFault, VoidedResult
from store.models.tournaments import Tournament, TournamentState


def of_tournament(tx: Transaction, tournament: Tournament) -> Iterator[str]:
    """Yield what is wrong with the re-runs of a tournament."""
    query = select(Rerun).where(Rerun.tournament_id == tournament.id).options(selectinload(Rerun.parts))
    found = list(tx.scalars(query.order_by(Rerun.number)))
    for place, rerun in enumerate(found, 1):
        if rerun.number != place:
            yield f"re-run {place} is missing"
        for problem in _rerun(tx, rerun):
            yield f"re-run {rerun.number}: {problem}"
    playing = [rerun.number for rerun in found if rerun.state is RerunState.PLAYING]
    if len(playing) > 1:
        yield f"re-runs {playing} are played at the same time"
    if playing and tournament.state is TournamentState.FINISHED:
        yield f"it is finished, but re-run {playing[0]} is still to be played"


def _rerun(tx: Transaction, rerun: Rerun) -> Iterator[str]:
    if (rerun.state is RerunState.PLAYING) != (rerun.ended_at is None):
        yield f"it is {rerun.state.value}, but {'has no' if rerun.ended_at is None else 'has an'} end"
    for part in rerun.parts:
        for problem in _part(tx, rerun, part):
            yield f"event {part.event_index}: {problem}"


def _part(tx: Transaction, rerun: Rerun, part: RerunPart) -> Iterator[str]:
    """Check what is kept of one event: all that was taken out, with its faults, until it is put back."""
    kept = select(VoidedResult).where(
        VoidedResult.rerun_id == rerun.id, VoidedResult.event_id == part.event_id
    )
    taken = tx.scalar(select(func.count()).select_from(kept.subquery())) or 0
    expected = 0 if rerun.state is RerunState.UNDONE else part.results
    if taken != expected:
        yield f"{taken} results are kept of what was taken out, expected {expected}"
    faults = select(func.count()).select_from(VoidedFault)
    faults = faults.where(VoidedFault.rerun_id == rerun.id, VoidedFault.event_id == part.event_id)
    told = tx.scalar(select(func.sum(kept.subquery().c.faults))) or 0
    if (stored := tx.scalar(faults) or 0) != told:
        yield f"{stored} faults are kept of what was taken out, expected {told}"
