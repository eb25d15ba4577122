"""Shares of the workers: how many batches each event may have open, by the weights of what is played."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import ceil
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, ScalarSelect, case, func, or_, select

from store import seating
from store.database import Transaction
from store.models.ladders import Season
from store.models.matches import Batch, BatchState
from store.models.reruns import Gap
from store.models.tournaments import Event, EventState, Tournament, TournamentState

OPEN_AT_LEAST = 12  # batches over all that is played: that many workers find work before they were seen
BATCHES_OF_WORKER = 1.5  # the one that it plays, and what is on the way to it
MOST_WEIGHT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What an event has to play at present, in batches; `host` is its tournament, or a ladder's season.

    A ladder whose season closes while the next one is played has two hosts, which share its weight.
    """

    event_id: UUID
    host: UUID
    ladder_id: UUID | None
    weight: int
    open: int
    waiting: int

    @property
    def most(self) -> int:
        """How many batches it can have open."""
        return self.open + self.waiting


def rooms(tx: Transaction, host: UUID, workers: int) -> dict[UUID, int]:
    """Return how many more batches each event of a tournament or season may open now, where that is any.

    All that is played shares what so many worker processes need by its weight, at least one batch each;
    nobody gets more than it has to play, and what is left goes to those that lag behind their share. So one
    that starts waits for a batch or so of a worker, not for all of another one.
    """
    hosts: dict[UUID, list[Work]] = {}
    for work in _works(tx):
        if work.most:
            hosts.setdefault(work.host, []).append(work)
    if host not in hosts:
        return {}
    wishes = {one: (_weight(works, hosts), sum(work.most for work in works)) for one, works in hosts.items()}
    total = max(OPEN_AT_LEAST, ceil(BATCHES_OF_WORKER * workers))
    shares = dict(zip(wishes, share_out(total, list(wishes.values()), least=1), strict=True))
    return _rooms_of_events(hosts[host], shares[host])


def _rooms_of_events(works: Sequence[Work], share: int) -> dict[UUID, int]:
    """Return what each event may open of the share of its host, which all of them have alike."""
    free = share - sum(work.open for work in works)
    found: dict[UUID, int] = {}
    for work, given in zip(works, share_out(share, [(1, work.most) for work in works], least=0), strict=True):
        room = min(free, given - work.open)
        if room > 0:
            found[work.event_id] = room
            free -= room
    return found


def share_out(total: int, wishes: Sequence[tuple[float, int]], *, least: int) -> list[int]:
    """Hand `total` units out among wishes of (weight, most): each gets at least `least`, if it wants so much.

    The next unit goes to who has the least for its weight, among equals to the first in the order given.
    """
    given = [min(least, most) for _, most in wishes]
    lagging = [
        (units / weight, index)
        for index, (units, (weight, most)) in enumerate(zip(given, wishes, strict=True))
        if units < most
    ]
    heapify(lagging)
    left = total - sum(given)
    while lagging and left > 0:
        _, index = heappop(lagging)
        given[index] += 1
        left -= 1
        weight, most = wishes[index]
        if given[index] < most:
            heappush(lagging, (given[index] / weight, index))
    return given


def _weight(events: Sequence[Work], hosts: dict[UUID, list[Work]]) -> float:
    """Return the weight of a host: that of its tournament, or its part of its ladder's."""
    first = events[0]
    parts = sum(first.ladder_id is not None and one[0].ladder_id == first.ladder_id for one in hosts.values())
    return first.weight / max(1, parts)


def _works(tx: Transaction) -> list[Work]:
    """Return what the running events have to play, the longest running first."""
    query = (
        select(
            Event.id,
            Event.tournament_id,
            Event.schedule,
            Event.sides,
            Event.deals,
            Event.block_deals,
            (Event.batch_groups * _group()).label("step"),
            Event.block,
            Event.next_number,
            Event.matches,
            Tournament.weight,
            Season.ladder_id,
            _open().label("open"),
            _gaps().label("gaps"),
        )
        .join(Tournament, Tournament.id == Event.tournament_id)
        .outerjoin(Season, or_(Season.tournament_id == Tournament.id, Season.closing_id == Tournament.id))
        .where(Tournament.state == TournamentState.RUNNING, Event.state == EventState.RUNNING)
        .order_by(Tournament.started_at, Tournament.id, Event.index)
    )
    return [
        Work(
            event_id=row.id,
            host=row.tournament_id,
            ladder_id=row.ladder_id,
            weight=row.weight,
            open=row.open,
            waiting=int(row.gaps) + _to_come(row),
        )
        for row in tx.execute(query)
    ]


def _open() -> ScalarSelect[int]:
    is_open = (Batch.event_id == Event.id, Batch.state == BatchState.OPEN)
    return select(func.count()).select_from(Batch).where(*is_open).scalar_subquery()


def _gaps() -> ScalarSelect[int]:
    """Select how many batches the gaps of an event's present block make."""
    step = Event.batch_groups * _group()
    batches = func.coalesce(func.sum((Gap.count + step - 1) // step), 0)
    return select(batches).where(Gap.event_id == Event.id, Gap.block == Event.block).scalar_subquery()


def _group() -> ColumnElement[int]:
    """Select how many matches a group of an event's present block has: the deals that are played in it."""
    left = Event.deals - Event.block * Event.block_deals  # the last block may have fewer than the others
    of_round, of_last = Event.schedule == seating.LADDER, left < Event.block_deals
    return case((of_round, Event.deals), (of_last, left), else_=Event.block_deals)


def _to_come(event: Row[*tuple[Any, ...]]) -> int:
    """Return how many batches the rest of an event's present block makes, or of a ladder's round."""
    if event.schedule == seating.LADDER:
        end = event.matches
    else:
        end = event.matches // event.deals * min(event.deals, event.block_deals * (event.block + 1))
    left: int = max(0, end - event.next_number)
    step: int = event.step
    return ceil(left / step)
