"""Playing a batch: claim it, play its groups side by side, write everything at once."""

import asyncio
import os
import socket
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog
from sqlalchemy.exc import OperationalError

from engine import games
from engine.limits import Limits
from engine.match import PlatformFault
from engine.match import play as play_match
from engine.schedule import Slot
from store import batches, benches, deals, results, schema, seating, sums
from store.batches import Claim
from store.database import Transaction
from store.models.tournaments import Event, Tournament
from store.results import Log, Played
from store.seating import Chair
from workers import advance, contestants, counters, dispatch, drain, presence, stage
from workers.contestants import Contestant
from workers.drain import AskedToStop
from workers.driving import drive
from workers.runtimes.base import Bot, Setting
from workers.services import Services

GROUP_TRIES = 3
_WRITE_AGAIN_SECONDS = 0.5

_log = structlog.get_logger(__name__)


class LeaseLost(Exception):
    """Somebody else plays the batch, or nobody may any more: what was played counts for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A claimed batch with all that it takes to play it."""

    claim: Claim
    event: Event
    tournament: Tournament
    slots: dict[int, Slot]
    seeds: dict[int, bytes]
    contestants: dict[int, Contestant]
    benched: frozenset[int]
    dropped: frozenset[int]

    def groups(self) -> list[range]:
        """Return the match numbers of the batch, a range for each group of the same players."""
        found = seating.groups(self.event, self.claim.block, self.claim.numbers)
        tables = [set(seating.table_of(self.event, self.slots[numbers[0]])) for numbers in found]
        return [
            numbers for numbers, table in zip(found, tables, strict=True) if self.dropped.isdisjoint(table)
        ]


def play(services: Services, batch_id: int) -> None:
    """Play one batch, unless it is done or taken; whatever happens is in the database afterwards."""
    presence.beat(services)
    if drain.has_begun():
        dispatch.batches([batch_id])
        return
    job = claim(services, batch_id)
    if job is None:
        _log.info("batch_not_free", batch=batch_id)
        return
    with structlog.contextvars.bound_contextvars(
        tournament=str(job.tournament.id),
        event_id=str(job.event.id),
        batch=batch_id,
        attempt=job.claim.attempt,
    ):
        began = time.monotonic()
        with services.traces.span("batch", _traced(job)):
            end = _attempt(services, job)
            services.traces.note({"end": end})
        _note(services, end, job.claim.count, time.monotonic() - began)


def _attempt(services: Services, job: Job) -> str:
    """Play a claimed batch and settle it; return how that ended."""
    try:
        played, logs = stage.current(services).run(_Table(services, job).play_all())
    except AskedToStop:
        with services.database.transaction() as tx:
            if batches.hand_back(tx, job.claim, services.clock()):
                tx.after_commit(dispatch.batches, [job.claim.batch_id])
        return "handed_back"
    except Exception as error:  # whatever failed here is ours, not a bot's: it is counted and played again
        if isinstance(error, ExceptionGroup) and error.subgroup(LeaseLost) is not None:
            return "lease_lost"
        _log.exception("batch_raised")
        reason = f"{error}\n{traceback.format_exc(limit=-5)}"
        with services.database.transaction() as tx:
            batches.fail(tx, job.claim, reason, services.clock())
        return "failed"
    with services.traces.span("write_results", {"matches": len(played)}):
        is_written = _write_patiently(services, job, played, logs)
    if not is_written:
        return "lease_lost"
    _count(job.event.game, played)
    return "done"


def _traced(job: Job) -> dict[str, str | int]:
    """Return what a trace says of a batch."""
    return {
        "tournament": str(job.tournament.id),
        "event_id": str(job.event.id),
        "game": job.event.game,
        "batch": job.claim.batch_id,
        "attempt": job.claim.attempt,
        "matches": job.claim.count,
    }


def _note(services: Services, end: str, matches: int, seconds: float) -> None:
    """Log and count how an attempt ended; one that took too long, as a warning."""
    is_slow = seconds > services.settings.slow_batch_seconds
    is_calm = end in ("done", "handed_back") and not is_slow
    write = _log.info if is_calm else _log.warning
    write(f"batch_{end}", matches=matches, used_seconds=round(seconds, 3), is_slow=is_slow)
    counters.add("fudaba_batches_total", end)
    counters.observe("fudaba_batch_seconds", seconds)
    if is_slow:
        counters.add("fudaba_slow_total", "batch")


def _count(game: str, played: Sequence[Played]) -> None:
    """Count the matches whose results were written."""
    counters.add("fudaba_matches_total", game, amount=len(played))
    decisions = sum(len(match.result.record.actions) for match in played)
    counters.add("fudaba_decisions_total", game, amount=decisions)
    counters.add("fudaba_forfeits_total", game, amount=sum(len(match.result.forfeits) for match in played))
    for match in played:
        for fault in match.result.faults:
            counters.add("fudaba_faults_total", fault.fault.code.value)


def claim(services: Services, batch_id: int) -> Job | None:
    """Claim a batch; None when it is done or taken."""
    owner = f"{socket.gethostname()}:{os.getpid()}"
    lease = services.settings.lease_seconds
    with services.database.transaction() as tx:
        schema.require_current(tx)
        claimed = batches.claim(tx, batch_id, owner=owner, now=services.clock(), lease_seconds=lease)
        return None if claimed is None else _job(tx, claimed)


def _job(tx: Transaction, claimed: Claim) -> Job:
    event = tx.get_one(Event, claimed.event_id)
    tournament = tx.get_one(Tournament, event.tournament_id)
    slots = seating.slots(tx, event, claimed.numbers)
    sitting = {entrant for slot in slots.values() for entrant in seating.table_of(event, slot)}
    return Job(
        claim=claimed,
        event=event,
        tournament=tournament,
        slots=slots,
        seeds=deals.of_slots(tx, tournament, event, slots),
        contestants=contestants.load(tx, tournament.id, sitting),
        benched=frozenset(benches.benched(tx, event, claimed.block)),
        dropped=frozenset(sums.dropped(tx, event)),
    )


def _write_patiently(services: Services, job: Job, played: Sequence[Played], logs: Sequence[Log]) -> bool:
    """Write the results, again and again while the database is away, for as long as a lease lasts."""
    give_up_at = time.monotonic() + services.settings.lease_seconds
    while True:
        try:
            return write(services, job, played, logs)
        except OperationalError as error:
            if time.monotonic() >= give_up_at:
                raise
            _log.warning("results_not_written", error=str(error.orig))
            time.sleep(_WRITE_AGAIN_SECONDS)


def write(services: Services, job: Job, played: Sequence[Played], logs: Sequence[Log]) -> bool:
    """Write the results of a claimed batch, then move its event on; False when the lease was lost."""
    versions = {number: contestant.version_id for number, contestant in job.contestants.items()}
    with services.database.transaction() as tx:
        schema.require_current(tx)
        is_written = results.write(tx, job.claim, played, logs, versions, services.clock())
    if is_written:  # apart, since moving on locks more than the event; the sweep does it after a crash
        advance.after_batch(services, job.event)
    return is_written


class _Table:
    """The play of one job in the event loop of this process."""

    def __init__(self, services: Services, job: Job) -> None:
        self._services = services
        self._job = job
        self._game = games.get(job.event.game)
        self._sides = seating.sides_of(job.event)
        self._limits = Limits.from_json(job.tournament.limits)
        self._renew_at = time.monotonic() + self._renew_seconds

    @property
    def _renew_seconds(self) -> float:
        return min(5.0, self._services.settings.lease_seconds / 3)

    async def play_all(self) -> tuple[list[Played], list[Log]]:
        """Return the results of all groups, in order of number, and what the bots printed."""
        groups = self._job.groups()
        at_once = max(1, self._services.settings.in_flight // max(map(len, groups), default=1))
        gate = asyncio.Semaphore(at_once)
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(self._play_group(numbers, gate)) for numbers in groups]
        done = [task.result() for task in running]
        return [match for played, _ in done for match in played], [log for _, logs in done for log in logs]

    async def _play_group(self, numbers: range, gate: asyncio.Semaphore) -> tuple[list[Played], list[Log]]:
        """Play the matches of one group side by side, again with new processes after a fault of ours."""
        async with gate:
            for left in range(GROUP_TRIES - 1, -1, -1):
                try:
                    return await self._try_group(numbers)
                except* PlatformFault as faults:
                    counters.add("fudaba_platform_faults_total")
                    _log.warning("platform_fault", numbers=str(numbers), error=str(faults.exceptions[0]))
                    if not left:
                        raise
        raise AssertionError("the last try returns or raises")

    async def _try_group(self, numbers: range) -> tuple[list[Played], list[Log]]:
        chairs = seating.chairs_of(self._job.event, self._job.slots[numbers[0]])
        bots = {chair: self._open(chair.entrant) for chair in chairs}
        try:
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(self._play_match(number, bots)) for number in numbers]
            played = [task.result() for task in running]
        finally:
            await asyncio.gather(*(bot.close() for bot in bots.values()))
        return played, [
            Log(
                version_id=self._job.contestants[chair.entrant].version_id,
                first_number=numbers[0],
                seat=seat,
                text=bots[chair].log.decode(errors="replace"),
            )
            for seat, chair in enumerate(chairs)
            if bots[chair].log
        ]

    def _open(self, entrant: int) -> Bot:
        event = self._job.event
        setting = Setting(game=self._game, seats=event.seats, options=event.options, limits=self._limits)
        return contestants.open_bot(self._services, self._job.contestants[entrant], setting, event.index)

    async def _play_match(self, number: int, bots: Mapping[Chair, Bot]) -> Played:
        """Play one match; an entrant sits elsewhere in every deal of a group, in the same processes."""
        job, event = self._job, self._job.event
        chairs = seating.chairs_of(event, job.slots[number])
        match = play_match(
            self._game,
            seats=event.seats,
            options=dict(event.options),
            seed=job.seeds[number],
            max_faults=self._limits.max_faults,
            absent=[seat for seat, chair in enumerate(chairs) if chair.entrant in job.benched],
        )
        players = [
            bots[chair].player(self._name(chair, number, seat), seat) for seat, chair in enumerate(chairs)
        ]
        result = await drive(match, players, self._progress)
        spent_us = {step: used for player in players for step, used in player.spent_us.items()}
        return Played(number=number, result=result, spent_us=spent_us)

    def _name(self, chair: Chair, number: int, seat: int) -> str:
        contestant, secret = self._job.contestants[chair.entrant], self._job.tournament.secret
        return contestants.match_name(contestant, secret, self._job.event.index, number, seat)

    def _progress(self) -> None:
        """Renew the lease when it is time; only play that goes on calls this."""
        now = time.monotonic()
        if now < self._renew_at:
            return
        self._renew_at = now + self._renew_seconds
        services = self._services
        lease = services.settings.lease_seconds
        try:
            with services.database.transaction() as tx:
                held = batches.renew(tx, self._job.claim, now=services.clock(), lease_seconds=lease)
        except OperationalError as error:  # a lease that ends meanwhile shows when the results are written
            _log.warning("lease_not_renewed", error=str(error.orig))
            return
        if not held:
            raise LeaseLost
