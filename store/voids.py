"""Results taken out of an event: archived with the re-run that replaces them, put back, or thrown away."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import delete, insert, literal, select, update

from store import sums, totals
from store.database import Transaction
from store.models.matches import Batch, BatchState, FaultRow, Result
from store.models.reruns import VoidedFault, VoidedResult
from store.models.tournaments import Event


def archive(tx: Transaction, event: Event, ranges: Sequence[range], rerun_id: UUID) -> int:
    """Take the results of these matches out, kept with a re-run; return how many there were."""
    for numbers in totals.pages(ranges):
        for kept, of in ((VoidedResult, Result), (VoidedFault, FaultRow)):
            _copy(tx, of.__table__, kept.__table__, event, numbers, rerun_id)
    return discard(tx, event, ranges)


def discard(tx: Transaction, event: Event, ranges: Sequence[range]) -> int:
    """Take the results of these matches out of the tables and all totals; return how many there were."""
    taken = totals.tally(tx, event, ranges, without=sums.dropped(tx, event))
    totals.subtract(tx, event, taken)
    found = 0
    for numbers in totals.pages(ranges):
        tx.change(delete(FaultRow).where(FaultRow.event_id == event.id, FaultRow.number.in_(numbers)))
        found += tx.change(delete(Result).where(Result.event_id == event.id, Result.number.in_(numbers)))
    return found


def put_back(tx: Transaction, event: Event, ranges: Sequence[range], rerun_id: UUID) -> None:
    """Let what was archived of these matches count again; there must be no other results of them."""
    for numbers in totals.pages(ranges):
        for kept, of in ((VoidedResult, Result), (VoidedFault, FaultRow)):
            _copy(tx, kept.__table__, of.__table__, event, numbers, rerun_id)
    for kept in (VoidedFault, VoidedResult):
        tx.change(delete(kept).where(kept.event_id == event.id, kept.rerun_id == rerun_id))
    event.revision += 1
    totals.add(tx, event, totals.tally(tx, event, ranges, without=sums.dropped(tx, event)))


def close_batches(tx: Transaction, event: Event) -> None:
    """Take all open batches away from those who play them: they can write no more."""
    tx.change(
        update(Batch)
        .where(Batch.event_id == event.id, Batch.state == BatchState.OPEN)
        .values(state=BatchState.VOIDED, lease_until=None)
    )


def take_back(tx: Transaction, event: Event, ranges: Sequence[range]) -> list[int]:
    """Let those of these matches that were set aside be played after all; return their batches."""
    query = select(Batch).where(Batch.event_id == event.id, Batch.state == BatchState.SET_ASIDE)
    found = [batch for batch in tx.scalars(query) if any(batch.first in numbers for numbers in ranges)]
    for batch in found:
        batch.state = BatchState.VOIDED
    tx.flush()
    return [batch.id for batch in found]


def _copy(
    tx: Transaction, source: Any, target: Any, event: Event, numbers: Sequence[int], rerun_id: UUID
) -> None:
    """Copy the rows of these matches to a table that has the same columns, with the re-run or without."""
    names = [column.name for column in source.columns if column.name != "rerun_id"]
    columns = [source.c[name] for name in names]
    wanted = [source.c.event_id == event.id, source.c.number.in_(numbers)]
    if "rerun_id" in source.c:
        wanted.append(source.c.rerun_id == rerun_id)
    else:
        names, columns = ["rerun_id", *names], [literal(rerun_id, target.c.rerun_id.type), *columns]
    tx.execute(insert(target).from_select(names, select(*columns).where(*wanted)))
