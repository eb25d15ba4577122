"""Time: what a bot may still use in a match, and how late this process's own event loop runs."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from engine.limits import Limits
from engine.policies import Fault, FaultCode

BEAT_SECONDS = 0.05
# A beat is always a little late; below this the loop counts as punctual.
_TOLERANCE_SECONDS = 0.02
_BEATS_KEPT = 4096
# However late the loop is, nobody is waited for longer than so many times his limit.
_MOST_PATIENCE = 4


class MatchClock:
    """The clock of one seat in one match: a cap for each decision and a bank for all of them.

    Times are microseconds of the bot's own clock: CPU of a module's process, wall of an endpoint. `bank_us`
    is what is left for all decisions so far, never negative; `spent_us` is what every decision took, by its
    step of the match.
    """

    __slots__ = (
        "_cap_us",
        "_per_decision_us",
        "_step",
        "bank_us",
        "last_us",
        "spent_us",
    )

    def __init__(self, limits: Limits, cap_ms: int) -> None:
        self._cap_us = cap_ms * 1000
        self._per_decision_us = limits.bank_per_decision_ms * 1000
        self._step = 0
        self.bank_us = limits.bank_base_ms * 1000
        self.last_us = 0
        self.spent_us: dict[int, int] = {}

    def ask(self, step: int) -> None:
        """Count a decision that is asked for, which fills the bank."""
        self.bank_us += self._per_decision_us
        self._step = step

    @property
    def allowed_us(self) -> int:
        """Return what the present decision may use: the cap, or the bank when there is less in it."""
        return min(self._cap_us, self.bank_us)

    def charge(self, used_us: int) -> None:
        """Take the time of a decision from the bank, as far as there is any."""
        self.last_us = self.spent_us[self._step] = used_us
        self.charge_more(used_us)

    def charge_more(self, used_us: int) -> None:
        """Take time from the bank that turned out only after the decision was charged."""
        self.bank_us = max(0, self.bank_us - used_us)

    def view(self) -> Mapping[str, int]:
        """Return what the bot is told, in milliseconds."""
        return {
            "bank_ms": self.bank_us // 1000,
            "cap_ms": self._cap_us // 1000,
            "last_ms": self.last_us // 1000,
        }


def timeout(
    code: FaultCode, *, phase: str, limit_us: int, used_us: int, of: str, **evidence: object
) -> Fault:
    """Return the fault of a deadline that was missed; `of` says what is counted ("CPU", "wall")."""
    limit_ms, used_ms = limit_us // 1000, used_us // 1000
    return Fault(
        code=code,
        detail=f"{phase} took {used_ms} ms ({of}); allowed: {limit_ms} ms",
        evidence={"phase": phase, "limit_ms": limit_ms, "used_ms": used_ms, "clock": of, **evidence},
    )


class Heartbeat:
    """Notices when the event loop runs late, so that no bot is blamed for it."""

    def __init__(self) -> None:
        self._late: deque[tuple[float, float]] = deque(maxlen=_BEATS_KEPT)
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to beat in the running loop. Starting twice changes nothing."""
        if self._timer is None:
            self._schedule()

    def stop(self) -> None:
        """End."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def late_seconds(self, since: float) -> float:
        """Return for how long in all the loop was late since a moment of time.monotonic()."""
        pending = 0.0 if self._timer is None else time.monotonic() - self._due
        late = pending if pending > _TOLERANCE_SECONDS else 0.0
        for moment, seconds in reversed(self._late):
            if moment < since:
                break
            late += min(seconds, moment - since)
        return late

    def _schedule(self) -> None:
        """Set the next beat."""
        self._due = time.monotonic() + BEAT_SECONDS
        self._timer = asyncio.get_running_loop().call_later(BEAT_SECONDS, self._beat)

    def _beat(self) -> None:
        """Note how late this beat is."""
        now = time.monotonic()
        if now - self._due > _TOLERANCE_SECONDS:
            self._late.append((now, now - self._due))
        self._schedule()


class Stopwatch:
    """Measures seconds of the wall clock, with and without what our own event loop was late by."""

    def __init__(self, heartbeat: Heartbeat) -> None:
        self._heartbeat = heartbeat
        self._began = time.monotonic()
        self.is_used_up = False

    @property
    def seconds(self) -> float:
        """Return how long it has been."""
        return time.monotonic() - self._began

    @property
    def used_seconds(self) -> float:
        """Return how long it has been, less the time that the loop was late by."""
        return max(0.0, self.seconds - self._heartbeat.late_seconds(self._began))

    @asynccontextmanager
    async def limit(self, allowed_seconds: float) -> AsyncIterator[None]:
        """End the block with TimeoutError once so much is used; what the loop is late by is given back.

        `is_used_up` says so then. A loop that is late all the time ends it too, with less used than allowed.
        """
        loop = asyncio.get_running_loop()

        def look() -> None:
            left = allowed_seconds - self.used_seconds
            # Told here and not once the block has ended, which a late loop lets take long.
            self.is_used_up = left <= 0
            if self.is_used_up or self.seconds >= _MOST_PATIENCE * allowed_seconds:
                end.reschedule(loop.time())
            else:
                self._timer = loop.call_later(left, look)

        async with asyncio.timeout(None) as end:
            self._timer = loop.call_later(allowed_seconds, look)
            try:
                yield
            finally:
                self._timer.cancel()
