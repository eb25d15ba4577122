"""A policy module's process as the event loop sees it: frames out, replies in, deadlines, log and end."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.limits import Limits
from engine.policies import Answer, Fault, FaultCode
from workers import counters, wire
from workers.runtimes.base import LogTail
from workers.runtimes.clock import Heartbeat, timeout
from workers.runtimes.jail import Jail, Job
from workers.runtimes.requests import Request
from workers.runtimes.sandbox import Sandbox

_CHUNK_BYTES = 1 << 16
# How long the interpreter may take before any code of the bot runs: the platform's own time.
_BOOT_SECONDS = 30.0
_LEAST_TICK_SECONDS = 0.005
# How long after closing its pipe a process may take to end before it is killed.
_END_SECONDS = 0.5


@dataclass(slots=True)
class _Frame:
    """The requests in flight. Marks are where the first unanswered one began."""

    requests: Sequence[Request]
    finished: asyncio.Future[None]
    sent_at: float
    cpu_at_start: int
    reported_us: int = 0
    answered: int = 0
    mark_at: float = 0.0
    mark_cpu: int = 0
    mark_queued: int = 0


class BotProcess:
    """One process of a bot. When `failure` is set it is over: the first unanswered request is to blame."""

    def __init__(
        self, jail: Jail, *, limits: Limits, log: LogTail, allowed_log_bytes: int, heartbeat: Heartbeat
    ) -> None:
        self.failure: Fault | None = None
        self.allowed_log_bytes = allowed_log_bytes
        self._jail = jail
        self._limits = limits
        self._log = log
        self._heartbeat = heartbeat
        self._loop = asyncio.get_running_loop()
        self._reader = wire.ReplyReader()
        self._frame: _Frame | None = None
        self._first_number = self._next_number = 0
        self._outgoing = b""
        self._timer: asyncio.TimerHandle | None = None
        self._last_cpu = 0

    @classmethod
    async def start(
        cls,
        sandbox: Sandbox,
        job: Job,
        *,
        limits: Limits,
        log: LogTail,
        allowed_log_bytes: int,
        heartbeat: Heartbeat,
        first: Request,
    ) -> "BotProcess":
        """Start a process; `first` is resolved when the bot is imported. It may come back failed."""
        jail = await sandbox.start(job)
        counters.add("fudaba_sandbox_starts_total", sandbox.name)
        process = cls(jail, limits=limits, log=log, allowed_log_bytes=allowed_log_bytes, heartbeat=heartbeat)
        try:
            await process._begin(sandbox.name, first)
        except BaseException:
            process._fail(_platform("the start was given up"))
            jail.close()
            raise
        return process

    async def exchange(self, requests: Sequence[Request], notices: bytes) -> int:
        """Send `notices` and `requests` in one write; return how many were answered.

        Fewer than all are answered only when the process has failed.
        """
        if self.failure is not None:
            return 0
        first = self._next_number
        data = [request.encode(first + index) for index, request in enumerate(requests)]
        return await self._exchange(requests, notices + b"".join(data))

    async def close(self) -> None:
        """Kill the process and wait for its end."""
        self._fail(_platform("the match is over"))
        ended: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(self._jail.ends, _set, ended)
        try:
            await asyncio.wait([ended], timeout=_END_SECONDS)
        finally:
            self._loop.remove_reader(self._jail.ends)
            self._drain_log()
            self._jail.close()

    async def _begin(self, sandbox_name: str, first: Request) -> None:
        """Have the process confined and the bot imported."""
        self._watch(self._jail.pipes.log, self._on_log)
        self._send(self._jail.setup)
        greeting = await self._greeting()
        if greeting != "confined":
            reason = greeting or self._log.tail().decode("utf-8", "replace")[-300:] or "it ended at once"
            self._fail(_platform(f"sandbox {sandbox_name} does not start: {reason}"))
            return
        self._send(self._outgoing + self._jail.go)
        self._last_cpu = self._cpu_us()
        self._watch(self._jail.pipes.replies, self._on_replies)
        self._watch(self._jail.ends, self._on_end)
        await self._exchange([first], b"")

    async def _greeting(self) -> str:
        """Return what the process says once it is confined; empty when it ends or takes too long."""
        arrived: asyncio.Future[str] = self._loop.create_future()

        def read() -> None:
            if not arrived.done():
                arrived.set_result(self._jail.greeted())

        self._loop.add_reader(self._jail.pipes.greeting, read)
        try:
            async with asyncio.timeout(_BOOT_SECONDS):
                return await arrived
        except TimeoutError:
            return f"no sign of life within {_BOOT_SECONDS:.0f} s"
        finally:
            self._loop.remove_reader(self._jail.pipes.greeting)

    async def _exchange(self, requests: Sequence[Request], data: bytes) -> int:
        """Send `data` and wait for the replies to `requests`; return how many came."""
        now = time.monotonic()
        self._frame = frame = _Frame(requests, self._loop.create_future(), now, self._last_cpu)
        self._mark(frame)
        self._first_number, self._next_number = self._next_number, self._next_number + len(requests)
        self._send(data)
        first, batch_us = requests[0], self._limits.batch_wall_ms * 1000
        self._look_in(min(first.limit_us, first.wall_us, batch_us))
        await frame.finished
        if self._timer is not None:
            self._timer.cancel()
        if self.failure is None:
            self._settle(frame)
        return frame.answered

    def _mark(self, frame: _Frame) -> None:
        """Note where the first unanswered request begins."""
        frame.mark_at, frame.mark_cpu = time.monotonic(), self._cpu_us()
        frame.mark_queued = self._jail.queued_us()

    def _settle(self, frame: _Frame) -> None:
        """Share out the CPU time that the kernel counted and the bot's process did not report."""
        self._last_cpu = self._cpu_us()
        missing = self._last_cpu - frame.cpu_at_start - frame.reported_us
        if missing > 0:
            share = missing // len(frame.requests)
            for request in frame.requests:
                request.charge_more(share)

    def _send(self, data: bytes) -> None:
        """Write without blocking; what does not fit now goes out when there is room."""
        try:
            written = os.write(self._jail.pipes.requests, data)
        except BlockingIOError:
            written = 0
        except OSError:
            return  # It closed its end: the end of the process says more.
        self._outgoing = data[written:]
        if self._outgoing:
            self._loop.add_writer(self._jail.pipes.requests, self._on_room)

    def _on_room(self) -> None:
        """Go on writing."""
        self._loop.remove_writer(self._jail.pipes.requests)
        self._send(self._outgoing)

    def _on_replies(self) -> None:
        """Take the replies that are there. What the bot printed before them is counted first."""
        self._drain_log()
        try:
            data = os.read(self._jail.pipes.replies, _CHUNK_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(self._jail.pipes.replies)
            self._timer_at(_END_SECONDS, self._on_silence)
            return
        try:
            for reply in self._reader.feed(data):
                if self.failure is None:
                    self._on_reply(reply)
        except wire.ForgedReply as error:
            self._fail(wire.bad_reply(str(error), data))
        if self._frame is not None and not self._frame.finished.done():
            self._mark(self._frame)

    def _on_reply(self, reply: wire.Reply) -> None:
        """Resolve the first unanswered request; a reply to any other is forged."""
        frame = self._frame
        if frame is None or frame.finished.done():
            self._fail(wire.bad_reply("a reply that nobody asked for", reply.payload))
            return
        expected = self._first_number + frame.answered
        if reply.number != expected:
            detail = f"a reply to request {reply.number}; request {expected} comes first"
            self._fail(wire.bad_reply(detail, reply.payload))
            return
        request = frame.requests[frame.answered]
        frame.answered += 1
        frame.reported_us += reply.cpu_us
        limit_us = request.limit_us
        if reply.cpu_us > limit_us:
            answer: Answer = self._timeout(request, limit_us, reply.cpu_us, "CPU")
        else:
            answer = request.read(reply)
            if isinstance(answer, Fault):
                answer = _in_phase(answer, request.phase)
        request.resolve(answer, reply.cpu_us)
        if frame.answered == len(frame.requests):
            frame.finished.set_result(None)

    def _tick(self) -> None:
        """Look whether the first unanswered request still has time; if so, look again later."""
        frame = self._frame
        if frame is None or frame.finished.done() or self.failure is not None:
            return
        now, cpu = time.monotonic(), self._cpu_us()
        request = frame.requests[frame.answered]
        # Neither our own lateness nor a machine without a free processor is the bot's time.
        late_us = round(self._heartbeat.late_seconds(frame.mark_at) * 1e6)
        late_us += self._jail.queued_us() - frame.mark_queued
        wall_us = round((now - frame.mark_at) * 1e6) - late_us
        all_us = round((now - frame.sent_at) * 1e6) - late_us
        budgets = (
            (request.limit_us, cpu - frame.mark_cpu, "CPU"),
            (request.wall_us, wall_us, "wall"),
            (self._limits.batch_wall_ms * 1000, all_us, "wall of the batch"),
        )
        for limit_us, used_us, clock in budgets:
            if used_us > limit_us:
                self._fail(self._timeout(request, limit_us, used_us, clock))
                return
        self._look_in(min(limit_us - used_us for limit_us, used_us, _ in budgets))

    def _look_in(self, left_us: int) -> None:
        """Look again when the time that is left can have been used."""
        self._timer_at(max(_LEAST_TICK_SECONDS, left_us / 1e6), self._tick)

    def _timeout(self, request: Request, limit_us: int, used_us: int, clock: str) -> Fault:
        """Return the fault of a request that took too long."""
        return timeout(
            request.timeout_code, phase=request.phase, limit_us=limit_us, used_us=used_us, of=clock
        )

    def _cpu_us(self) -> int:
        """Return the CPU time of the bot's process and all its threads, counted by the kernel."""
        clock = self._jail.cpu_clock
        if clock is None:
            return self._last_cpu
        try:
            return time.clock_gettime_ns(clock) // 1000
        except OSError:
            return self._last_cpu  # It has ended.

    def _on_log(self) -> None:
        """Take what the bot printed."""
        if not self._drain_log():
            self._loop.remove_reader(self._jail.pipes.log)

    def _drain_log(self) -> bool:
        """Keep the tail of what the bot printed; return whether there may be more some time."""
        try:
            while data := os.read(self._jail.pipes.log, _CHUNK_BYTES):
                self._log.add(data)
                if self._log.written_bytes > self.allowed_log_bytes and self.failure is None:
                    self._fail(self._flood())
                if self.failure is not None:
                    return False
        except BlockingIOError:
            return True
        return False

    def _flood(self) -> Fault:
        """Return the fault of printing too much."""
        allowed, written = self.allowed_log_bytes, self._log.written_bytes
        return Fault(
            code=FaultCode.LOG_FLOOD,
            detail=f"printed {written} bytes; allowed so far: {allowed}",
            evidence={"limit_bytes": allowed, "used_bytes": written},
        )

    def _on_silence(self) -> None:
        """Kill a process that closed its pipe and goes on."""
        if self._jail.is_over():
            # How it ended is about to be told.
            self._timer_at(_BOOT_SECONDS, self._on_nothing_told)
            return
        self._fail(
            Fault(code=FaultCode.CRASH, detail="closed the pipe of its replies", evidence=self._phase())
        )

    def _on_nothing_told(self) -> None:
        """End a process of which nobody says how it ended."""
        self._fail(_platform("nobody said how the process ended"))

    def _on_end(self) -> None:
        """Take the last replies, then say how the process ended."""
        self._loop.remove_reader(self._jail.ends)
        for _ in range(2):
            self._on_replies()
        ended = self._jail.exit()
        if ended is None:
            self._fail(_platform("the process was lost together with what started it"))
            return
        printed = self._log.tail()[-2000:].decode("utf-8", "replace")
        fence = self._jail.fence
        if "MemoryError" in printed or (fence is not None and fence.was_out_of_memory()):
            self._fail(Fault(code=FaultCode.MEMORY, detail="out of memory", evidence=self._phase()))
            return
        evidence = {**self._phase(), "printed": printed, "signal": ended.signal, "exit_code": ended.code}
        self._fail(Fault(code=FaultCode.CRASH, detail=f"the process ended: {ended}", evidence=evidence))

    def _phase(self) -> dict[str, object]:
        """Return what the bot was doing, as evidence."""
        frame = self._frame
        if frame is None or frame.finished.done():
            return {"phase": "between decisions"}
        return {"phase": frame.requests[frame.answered].phase}

    def _fail(self, fault: Fault) -> None:
        """End: nothing is read any more and the process is killed."""
        if self.failure is not None:
            return
        self.failure = fault
        for file in (
            self._jail.pipes.replies,
            self._jail.pipes.log,
            self._jail.ends,
            self._jail.pipes.greeting.fileno(),
        ):
            self._loop.remove_reader(file)
        self._loop.remove_writer(self._jail.pipes.requests)
        if self._timer is not None:
            self._timer.cancel()
        self._jail.kill()
        if self._frame is not None and not self._frame.finished.done():
            self._frame.finished.set_result(None)

    def _watch(self, file: int, callback: Callable[[], None]) -> None:
        """Call back when there is something to read."""
        self._loop.add_reader(file, callback)

    def _timer_at(self, seconds: float, callback: Callable[[], None]) -> None:
        """Replace the timer."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, callback)


def _in_phase(fault: Fault, phase: str) -> Fault:
    """Return a fault with the phase in which it happened."""
    return replace(fault, evidence={"phase": phase, **fault.evidence})


def _set(event: asyncio.Future[None]) -> None:
    """Let something happen, unless it has."""
    if not event.done():
        event.set_result(None)


def _platform(detail: str) -> Fault:
    """Return a fault of ours."""
    return Fault(code=FaultCode.PLATFORM, detail=detail)
