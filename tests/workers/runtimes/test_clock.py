"""Time: caps, banks, what a bot is told, and whose fault a late event loop is."""

import asyncio
import time

from engine.limits import Limits
from engine.policies import FaultCode
from workers.runtimes.clock import Heartbeat, MatchClock, timeout

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


def test_a_blocked_loop_is_noticed_and_a_free_one_is_not() -> None:
    async def late_after(block_seconds: float) -> tuple[float, float]:
        heartbeat = Heartbeat()
        heartbeat.start()
        began = time.monotonic()
        _block(block_seconds)
        at_once = heartbeat.late_seconds(began)
        await asyncio.sleep(0.06)
        later = heartbeat.late_seconds(began)
        heartbeat.stop()
        return at_once, later

    at_once, later = asyncio.run(late_after(0.4))
    assert 0.3 < at_once < 0.6
    assert 0.3 < later < 0.6
    assert asyncio.run(late_after(0.0))[0] < 0.1


def test_only_the_part_of_a_delay_after_the_moment_counts() -> None:
    async def work() -> float:
        heartbeat = Heartbeat()
        heartbeat.start()
        _block(0.3)
        began = time.monotonic()
        await asyncio.sleep(0.06)
        heartbeat.stop()
        return heartbeat.late_seconds(began)

    assert asyncio.run(work()) < 0.1


def _block(seconds: float) -> None:
    """Keep the loop from running, as work of ours could."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
