"""Our side of a sandboxed policy module: its matches, batches, restarts and faults."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Mapping
from typing import Final

import msgspec

from engine.contract import Seat
from engine.policies import Answer, Ask, Fault, FaultCode
from store.sources import Style
from store.uploads import Upload
from workers import wire
from workers.runtimes.base import Latencies, LogTail, Setting
from workers.runtimes.clock import Heartbeat, MatchClock
from workers.runtimes.jail import Job
from workers.runtimes.process import BotProcess
from workers.runtimes.requests import Decision, Preparation
from workers.runtimes.sandbox import Sandbox
from workers.runtimes.unpacked import Unpacked

MAX_BATCH = 64
_FIRST_BATCH = 8
# A process that ends so often without one answer in between is not started again.
_MOST_DEATHS = 5
# No more than this is kept of what one process printed, however many matches it played.
_MOST_LOG_BYTES = 1 << 20
# A frame is so short that the batch's deadline stays this many times away from what the bot took before.
_MARGIN = 4


class ModulePlayer:
    """A policy module at one seat of one match."""

    __slots__ = ("_bot", "clock", "number", "opened_in", "seat")

    def __init__(self, bot: "ModuleBot", number: int, seat: Seat, clock: MatchClock) -> None:
        self._bot = bot
        self.number = number
        self.seat = seat
        self.clock = clock
        self.opened_in: BotProcess | None = None

    @property
    def spent_us(self) -> Mapping[int, int]:
        """What each decision took of CPU."""
        return self.clock.spent_us

    def act(self, ask: Ask) -> Awaitable[Answer]:
        """Return what becomes the module's answer, or its fault."""
        self.clock.ask(ask.step)
        observation = ask.observation()
        observation["time"] = self.clock.view()
        return self._bot.decide(self, wire.observation_bytes(observation))

    async def close(self) -> None:
        """Let the process forget the match."""
        self._bot.forget(self)


class ModuleBot:
    """A policy module for one seat of one group: one process at a time, in the sandbox."""

    def __init__(
        self, upload: Upload, setting: Setting, *, sandbox: Sandbox, scratch: str, heartbeat: Heartbeat
    ) -> None:
        self.latencies: Final = Latencies()
        self._upload = upload
        self._setting = setting
        self._sandbox = sandbox
        self._heartbeat = heartbeat
        self._scratch = scratch
        self._unpacked = Unpacked(upload, scratch)
        self._log = LogTail(_MOST_LOG_BYTES)
        self._players: dict[int, ModulePlayer] = {}
        self._matches = 0
        self._waiting: deque[Decision] = deque()
        self._in_flight: list[Decision] = []
        self._notices: list[bytes] = []
        self._pump: asyncio.Task[None] | None = None
        self._process: BotProcess | None = None
        self._broken: Fault | None = None
        self._deaths = 0
        self._batch = _FIRST_BATCH

    @property
    def log(self) -> bytes:
        """The tail of what the bot printed."""
        return self._log.tail()

    def player(self, match_id: str, seat: Seat) -> ModulePlayer:
        """Return the player of a match that begins."""
        self._matches += 1
        if self._process is not None:
            self._process.allowed_log_bytes = self._allowed_log_bytes
        limits = self._setting.limits
        clock = MatchClock(limits, limits.decision_ms)
        self._players[self._matches] = player = ModulePlayer(self, self._matches, seat, clock)
        return player

    async def start(self) -> Fault | None:
        """Start the process and import the bot; return the fault that keeps it from playing, if any."""
        if self._process is None and self._broken is None:
            await self._start_process()
        return self._broken

    def decide(self, player: ModulePlayer, observation: bytes) -> Awaitable[Answer]:
        """Return what becomes the module's answer to one observation, or its fault."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Answer] = loop.create_future()
        if self._broken is not None:
            answer.set_result(self._broken)
            return answer
        self._waiting.append(
            Decision(
                match=player.number,
                clock=player.clock,
                latencies=self.latencies,
                observation=observation,
                wall_us=self._setting.limits.module_wall_ms * 1000,
                answer=answer,
            )
        )
        if self._pump is None or self._pump.done():
            self._pump = loop.create_task(self._pump_all())
        return answer

    def forget(self, player: ModulePlayer) -> None:
        """Tell the process with the next batch that a match is over."""
        if player.opened_in is not None and player.opened_in is self._process:
            self._notices.append(wire.message(wire.Kind.CLOSE, 0, player.number))
        player.opened_in = None
        self._players.pop(player.number, None)

    async def close(self) -> None:
        """End the process and remove its files; decisions that still wait get a platform fault."""
        self._broken = self._broken or Fault(code=FaultCode.PLATFORM, detail="the bot was closed")
        if self._pump is not None and not self._pump.done():
            self._pump.cancel()
            await asyncio.wait([self._pump])
        # A task that is cancelled before it began has not answered anybody.
        self._answer_all(self._broken)
        await self._end_process()
        self._unpacked.remove()

    @property
    def _allowed_log_bytes(self) -> int:
        return max(1, self._matches) * (self._setting.limits.log_kb << 10)

    async def _pump_all(self) -> None:
        """Serve; whatever ends it, nobody is left waiting."""
        try:
            await self._serve()
        except OSError as error:
            self._broken = Fault(code=FaultCode.PLATFORM, detail=f"no process can be started: {error}")
        finally:
            closed = Fault(code=FaultCode.PLATFORM, detail="the bot was closed")
            self._answer_all(self._broken or closed)

    async def _serve(self) -> None:
        """Send what waits, batch by batch, until nothing waits."""
        while self._waiting:
            # Everything that is asked in this turn of the loop shares a frame.
            await asyncio.sleep(0)
            if await self.start() is not None:
                return
            batch = [self._waiting.popleft() for _ in range(min(self._batch, len(self._waiting)))]
            self._in_flight = batch
            if self._upload.style is Style.CLASS:
                batch = await self._open(batch)
            if batch:
                await self._decide(batch)

    async def _start_process(self) -> None:
        """Start a process; when the bot cannot be imported, its fault answers every decision from here on."""
        job = Job(
            source=self._upload.source,
            folder=self._unpacked.folder(),
            scratch=self._scratch,
            memory_mb=self._setting.limits.memory_mb,
        )
        first = Preparation(phase="the import of bot.py", limit_us=self._setting.limits.start_ms * 1000)
        self._process = process = await BotProcess.start(
            self._sandbox,
            job,
            limits=self._setting.limits,
            log=self._log,
            allowed_log_bytes=self._allowed_log_bytes,
            heartbeat=self._heartbeat,
            first=first,
        )
        # What the bot said comes first: having said it, its process ends.
        self._broken = first.answer if isinstance(first.answer, Fault) else process.failure
        if self._broken is not None:
            await self._end_process()

    async def _open(self, batch: list[Decision]) -> list[Decision]:
        """Construct the bot's objects for matches that are new to the process; return what can be decided."""
        process = self._process
        assert process is not None
        players = [self._players[decision.match] for decision in batch if decision.match in self._players]
        openings = {p.number: self._opening(p) for p in players if p.opened_in is not process}
        if not openings:
            return batch
        answered = await process.exchange(list(openings.values()), self._take_notices())
        for number, opening in openings.items():
            if opening.answer is not None and not isinstance(opening.answer, Fault):
                self._players[number].opened_in = process
        if process.failure is not None and answered < len(openings):
            list(openings.values())[answered].answer = process.failure
            await self._bury(process.failure)
        return self._after_opening(batch, openings)

    def _opening(self, player: ModulePlayer) -> Preparation:
        """Return the request to construct the bot's object for a match."""
        setting = self._setting
        given = msgspec.json.encode(
            {
                "game": setting.game.id,
                "seat": player.seat,
                "seats": setting.seats,
                "options": dict(setting.options),
            }
        )
        return Preparation(
            phase="the construction of Bot",
            limit_us=setting.limits.start_ms * 1000,
            match=player.number,
            given=given,
        )

    def _after_opening(self, batch: list[Decision], openings: dict[int, Preparation]) -> list[Decision]:
        """Answer decisions of matches without an object; return those that can go on, if the process
        lives."""
        left = []
        for decision in batch:
            opening = openings.get(decision.match)
            if opening is not None and isinstance(opening.answer, Fault):
                decision.resolve(opening.answer, 0)
            else:
                left.append(decision)
        if self._process is None:
            self._waiting.extendleft(reversed(left))
            return []
        return left

    async def _decide(self, batch: list[Decision]) -> None:
        """Have a batch decided; when the process fails, the first unanswered decision is to blame."""
        process = self._process
        assert process is not None
        began = time.monotonic()
        answered = await process.exchange(batch, self._take_notices())
        if answered:
            self._deaths = 0
            self._adapt(time.monotonic() - began, answered)
        # A process that failed after all its answers stays as it is: the next decision is to blame.
        if process.failure is not None and answered < len(batch):
            fault, blamed = process.failure, batch[answered]
            self._waiting.extendleft(reversed(batch[answered + 1 :]))
            await self._bury(fault)
            blamed.resolve(fault, _used_us(fault))

    async def _bury(self, fault: Fault) -> None:
        """Count a death of the process; after too many in a row its fault is the answer to everything."""
        await self._end_process()
        self._deaths += 1
        if self._deaths >= _MOST_DEATHS:
            self._broken = Fault(
                code=fault.code,
                detail=f"not started again after {self._deaths} ends in a row; the last: {fault.detail}",
                evidence=fault.evidence,
            )

    async def _end_process(self) -> None:
        """End the process, if there is one."""
        process, self._process = self._process, None
        self._notices.clear()
        if process is not None:
            await process.close()

    def _adapt(self, seconds: float, answered: int) -> None:
        """Set the size of the next batch so that its deadline stays far from what the bot took."""
        deadline = self._setting.limits.batch_wall_ms / 1000
        fitting = int(deadline / _MARGIN * answered / max(seconds, 1e-9))
        self._batch = max(1, min(MAX_BATCH, 2 * self._batch, fitting))

    def _take_notices(self) -> bytes:
        """Return the notices that wait, and forget them."""
        data = b"".join(self._notices)
        self._notices.clear()
        return data

    def _answer_all(self, fault: Fault) -> None:
        """Answer everything that waits or is in flight with a fault."""
        for decision in (*self._in_flight, *self._waiting):
            if not decision.answer.done():
                decision.resolve(fault, 0)
        self._waiting.clear()


def _used_us(fault: Fault) -> int:
    """Return the time that a fault says was used, none when it says nothing."""
    used = fault.evidence.get("used_ms", 0)
    return used * 1000 if isinstance(used, int) else 0
