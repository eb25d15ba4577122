"""Time: caps, banks, what a bot is told, and whose fault a late event loop is."""

import asyncio
import time

import pytest

from engine.limits import Limits
from engine.policies import FaultCode
from workers.runtimes.clock import BEAT_SECONDS, Heartbeat, MatchClock, timeout

LIMITS = Limits(decision_ms=1_000, bank_base_ms=2_000, bank_per_decision_ms=100)


def test_the_bank_is_filled_by_each_decision_and_emptied_by_its_time() -> None:
    clock = MatchClock(LIMITS, LIMITS.decision_ms)
    assert clock.view() == {"bank_ms": 2_000, "cap_ms": 1_000, "last_ms": 0}
    clock.ask(0)
    clock.charge(350_000)
    assert clock.view() == {"bank_ms": 1_750, "cap_ms": 1_000, "last_ms": 350}


def test_a_decision_may_use_the_cap_or_what_is_left_in_the_bank() -> None:
    clock = MatchClock(LIMITS, LIMITS.decision_ms)
    clock.ask(0)
    assert clock.allowed_us == 1_000_000
    clock.charge(1_000_000)
    clock.charge(900_000)
    assert clock.allowed_us == 200_000


def test_the_bank_never_falls_below_nothing() -> None:
    clock = MatchClock(LIMITS, LIMITS.decision_ms)
    clock.charge(60_000_000)
    assert clock.bank_us == 0
    clock.ask(0)
    assert clock.allowed_us == 100_000
    clock.charge_more(500_000)
    assert clock.bank_us == 0


def test_a_timeout_says_the_phase_the_limit_and_the_time_used() -> None:
    fault = timeout(FaultCode.TIMEOUT, phase="the decision", limit_us=200_000, used_us=317_500, of="CPU")
    assert fault.detail == "the decision took 317 ms (CPU); allowed: 200 ms"
    assert fault.evidence == {"phase": "the decision", "limit_ms": 200, "used_ms": 317, "clock": "CPU"}


@pytest.mark.parametrize("block_seconds", [0.4, 0.0])
def test_a_blocked_loop_is_noticed_and_a_free_one_is_not(block_seconds: float) -> None:
    """A busy machine takes longer than it is asked to: the bounds are what was measured around it."""

    async def work() -> None:
        heartbeat = Heartbeat()
        began = time.monotonic()
        heartbeat.start()
        blocked = _block(block_seconds)
        at_once = heartbeat.late_seconds(began)
        assert blocked - BEAT_SECONDS <= at_once <= _late_at_most(began)
        await asyncio.sleep(0.06)
        later = heartbeat.late_seconds(began)
        assert at_once <= later <= _late_at_most(began)
        heartbeat.stop()

    asyncio.run(work())


def test_only_the_part_of_a_delay_after_the_moment_counts() -> None:
    async def work() -> None:
        heartbeat = Heartbeat()
        heartbeat.start()
        _block(0.3)
        began = time.monotonic()
        await asyncio.sleep(0.06)
        heartbeat.stop()
        assert heartbeat.late_seconds(began) <= time.monotonic() - began

    asyncio.run(work())


def _late_at_most(began: float) -> float:
    """Return for how long a loop can have been late since its first beat was set."""
    return max(0.0, time.monotonic() - began - BEAT_SECONDS)


def _block(seconds: float) -> float:
    """Keep the loop from running, as work of ours could; return for how long."""
    began = time.monotonic()
    while time.monotonic() < began + seconds:
        pass
    return time.monotonic() - began
