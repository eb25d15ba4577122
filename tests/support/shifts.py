"""Workers in simulated time that take open batches in the order in which they were made, as from a queue.

Claims, results, blocks and rounds are those of the product; only play takes no time, and no broker is there.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import select
from support.simulation import Clock, Fleet

from store.models.matches import Batch, BatchState
from store.models.tournaments import Event
from workers import batch
from workers.batch import Job
from workers.services import Services

SECONDS = 1.0  # that a batch takes


@dataclass(slots=True)
class Shift:
    """So many workers; `done` counts the batches that they have played of each tournament or season."""

    services: Services
    workers: int
    clock: Clock = field(default_factory=Clock)
    done: dict[UUID, int] = field(default_factory=dict)
    _playing: list[tuple[float, int, Job]] = field(default_factory=list)
    _fleet: Fleet = field(init=False)

    def __post_init__(self) -> None:
        self._fleet = Fleet(self.services, self.clock, self.workers, SECONDS)

    def work_until(self, is_enough: Callable[[], bool]) -> None:
        """Play batch after batch; fails when nothing is left to play before it is enough."""
        while not is_enough():
            self._take()
            assert self._playing, "nothing is left to play"
            self.clock.seconds, _, job = heapq.heappop(self._playing)
            assert batch.write(self.services, job, self._fleet.played(job), [])
            self.done[job.tournament.id] = self.done.get(job.tournament.id, 0) + 1

    def _take(self) -> None:
        """Give the next batch to every worker that is free."""
        free = self.workers - len(self._playing)
        with self.services.database.reading() as tx:
            waiting = select(Batch.id).where(Batch.state == BatchState.OPEN, Batch.lease_until.is_(None))
            next_ones = list(tx.scalars(waiting.order_by(Batch.id).limit(free)))
        for batch_id in next_ones:
            job = batch.claim(self.services, batch_id)
            assert job is not None
            heapq.heappush(self._playing, (self.clock.seconds + SECONDS, batch_id, job))


def batches_of_groups(services: Services, tournament_id: UUID) -> int:
    """Let every group of a tournament be a batch of its own; return how many that makes."""
    with services.database.transaction() as tx:
        events = tx.scalars(select(Event).where(Event.tournament_id == tournament_id)).all()
        for event in events:
            event.batch_groups = 1
        return sum(event.matches // min(event.deals, event.block_deals) for event in events)
