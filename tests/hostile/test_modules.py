"""Every hostile module gets its faults, its opponent plays undisturbed, and nothing is left behind."""

import json
from dataclasses import replace

import pytest
from hostile.modules import ANSWERS, ESCAPES, PROTOCOL, RESOURCES, Hostile
from support.duels import (
    BACK_ENDS,
    HONEST,
    LIMITS,
    actions_of,
    codes,
    matches,
    module,
    run,
    runtimes,
    setting,
)

from engine.match import MatchResult

pytestmark = [pytest.mark.integration]
UNDISTURBED = ["take:3", "take:1", "take:2", "take:3", "take:1", "take:2"]


def play_against_honest(hostile: Hostile, back_end: str) -> MatchResult:
    """Play a match of a hostile module, in the first seat, and an honest one."""
    given = setting(replace(LIMITS, **hostile.limits), rounds=len(UNDISTURBED))

    async def work() -> MatchResult:
        async with runtimes(back_end) as opened:
            bots = [opened.module(module(source), given) for source in (hostile.source, HONEST)]
            (result,) = await matches(bots, given)
            return result

    return run(work)


def check(hostile: Hostile, back_end: str) -> None:
    """Assert the faults of a hostile module and that its opponent is not disturbed."""
    result = play_against_honest(hostile, back_end)
    assert codes(result) == hostile.codes, [recorded.fault for recorded in result.faults]
    assert all(recorded.seat == 0 for recorded in result.faults)
    assert actions_of(result, 1) == UNDISTURBED
    assert result.forfeits == ((0,) if hostile.codes else ())
    for recorded in result.faults:
        assert recorded.fault.detail
        assert len(json.dumps(dict(recorded.fault.evidence))) < 10_000


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("name", RESOURCES)
def test_a_bot_that_takes_too_much_loses_only_its_own_match(name: str, back_end: str) -> None:
    check(RESOURCES[name], back_end)


@pytest.mark.parametrize("back_end", BACK_ENDS)
@pytest.mark.parametrize("name", ESCAPES)
def test_a_bot_that_tries_to_get_out_is_refused_and_plays_on(name: str, back_end: str) -> None:
    check(ESCAPES[name], back_end)


@pytest.mark.parametrize("name", PROTOCOL)
def test_a_bot_that_forges_the_protocol_spoils_only_its_own_answers(name: str) -> None:
    check(PROTOCOL[name], "landlock")


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_of_another_type_is_a_fault(name: str) -> None:
    check(ANSWERS[name], "landlock")
