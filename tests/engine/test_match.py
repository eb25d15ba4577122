"""The play of one match: asks, answers, faults and forfeits."""

import pickle
from typing import Any

import pytest

from engine import games
from engine.match import MatchResult, PlatformFault, outcome, play, points, run
from engine.policies import Answer, Ask, Fault, FaultCode, house_policy, house_stream
from engine.rng import Stream

GAME = games.get("hana_awase")
TEAMS = games.get("hachinin_meri")
SEED = bytes(range(32))
BROKEN = Fault(code=FaultCode.EXCEPTION, detail="it raised")


def start(game: Any = GAME, **changes: Any) -> Any:
    seats, options = game.settle(None, {"rounds": 1})
    return play(game, **{"seats": seats, "options": options, "seed": SEED, **changes})


def first(_: Ask) -> Answer:
    return 0


def test_only_real_choices_are_asked_and_all_decisions_are_recorded() -> None:
    asked: list[int] = []

    def answer(ask: Ask) -> Answer:
        assert len(ask.legal) > 1
        asked.append(ask.step)
        return 0

    result = run(start(), answer)
    assert asked == sorted(set(asked))
    assert len(asked) < len(result.record.actions)
    assert result.record.final().scores() == list(result.scores)


def test_a_text_and_its_index_are_the_same_answer() -> None:
    by_text = run(start(), lambda ask: ask.state.action_text(ask.legal[-1]))
    by_index = run(start(), lambda ask: len(ask.legal) - 1)
    assert by_text == by_index


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("nonsense", FaultCode.ILLEGAL), ("", FaultCode.ILLEGAL), ("play:1-crane ", FaultCode.ILLEGAL),
        (-1, FaultCode.ILLEGAL), (10**30, FaultCode.ILLEGAL), (True, FaultCode.BAD_REPLY),
        (1.0, FaultCode.BAD_REPLY), (None, FaultCode.BAD_REPLY), (["play"], FaultCode.BAD_REPLY),
        (BROKEN, FaultCode.EXCEPTION),
    ],
)  # fmt: skip
def test_what_is_not_a_legal_action_is_a_fault_answered_by_the_lowest(answer: Any, code: FaultCode) -> None:
    once = iter([answer])
    result = run(start(), lambda ask: next(once, 0))
    assert [(fault.step, fault.fault.code) for fault in result.faults] == [(0, code)]
    assert result.record == run(start(), first).record
    assert result.forfeits == ()


def test_the_third_fault_forfeits_and_the_house_plays_on_unasked() -> None:
    asked = []

    def answer(ask: Ask) -> Answer:
        asked.append(ask.seat)
        return BROKEN if ask.seat == 1 else 0

    result = run(start(), answer)
    assert asked.count(1) == 3
    assert len(result.faults) == 3
    assert result.forfeits == (1,)
    assert result.record == run(start(), first).record
    assert result.places[1] == 3
    assert result.scores[1] <= min(result.scores[0], result.scores[2])


def test_a_team_counts_its_faults_together_and_forfeits_whole() -> None:
    result = run(start(TEAMS), lambda ask: BROKEN if ask.seat % 2 else 0)
    assert len(result.faults) == 3
    assert result.forfeits == (1, 3, 5, 7)
    assert set(result.places[0::2]) == {1}
    assert set(result.places[1::2]) == {2}


def test_when_all_forfeit_nobody_gets_points() -> None:
    result = run(start(), lambda ask: BROKEN)
    assert result.forfeits == (0, 1, 2)
    assert result.places == (1, 1, 1)
    assert points(result.places, (0, 1, 2), result.forfeits) == (0, 0, 0)


def test_absent_seats_forfeit_without_being_asked() -> None:
    asked: set[int] = set()

    def answer(ask: Ask) -> Answer:
        asked.add(ask.seat)
        return 0

    result = run(start(absent=[2]), answer)
    assert asked == {0, 1}
    assert result.forfeits == (2,)
    assert result.faults == ()


def test_a_fault_of_the_platform_is_no_result() -> None:
    platform = Fault(code=FaultCode.PLATFORM, detail="the loop was late")
    with pytest.raises(PlatformFault, match="the loop was late"):
        run(start(), lambda ask: platform)


@pytest.mark.parametrize(
    ("scores", "places", "forfeited", "expected_scores", "expected_places"),
    [
        ([5, 3, 1], [1, 2, 3], set(), (5, 3, 1), (1, 2, 3)),
        ([5, 3, 1], [1, 2, 3], {0}, (1, 3, 1), (3, 1, 2)),
        ([5, 3, 1], [1, 2, 3], {0, 1}, (1, 1, 1), (2, 2, 1)),
        ([5, 5, 1], [1, 1, 3], {2}, (5, 5, 1), (1, 1, 3)),
        ([5, 5, 1], [1, 1, 3], {1}, (5, 1, 1), (1, 3, 2)),
        ([5, 3, 1], [1, 2, 3], {0, 1, 2}, (5, 3, 1), (1, 1, 1)),
    ],
)
def test_forfeiting_sides_come_after_all_others(
    scores: list[int],
    places: list[int],
    forfeited: set[int],
    expected_scores: tuple[int, ...],
    expected_places: tuple[int, ...],
) -> None:
    class Over:
        def scores(self) -> list[int]:
            return scores

        def placements(self) -> list[int]:
            return places

    assert outcome(Over(), (0, 1, 2), forfeited) == (expected_scores, expected_places)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("places", "half_wins"),
    [
        ((1, 2, 3, 4), (6, 4, 2, 0)),
        ((1, 1, 3, 4), (5, 5, 2, 0)),
        ((1, 1, 1, 1), (3, 3, 3, 3)),
        ((2, 1), (0, 2)),
        ((1, 1), (1, 1)),
    ],
)
def test_points_are_sides_beaten_and_half_of_those_tied(
    places: tuple[int, ...], half_wins: tuple[int, ...]
) -> None:
    assert points(places, range(len(places)), ()) == half_wins


def test_team_mates_share_the_points_of_their_side() -> None:
    assert points((1, 2) * 4, (0, 1) * 4, ()) == (2, 0) * 4


@pytest.mark.parametrize("game", games.all_games(), ids=lambda game: game.id)
def test_a_fault_in_the_very_last_decision_pays_the_right_side(game: Any) -> None:
    """Played twice: as it is, and with a forfeit by the one who is asked last (case 18)."""
    seats, options = game.settle()
    asks: list[Ask] = []

    def last_answer(ask: Ask) -> Answer:
        asks.append(ask)
        return 0

    calm = run(play(game, seats=seats, options=options, seed=SEED), last_answer)
    end, culprit = asks[-1].step, asks[-1].seat
    match = play(game, seats=seats, options=options, seed=SEED, max_faults=1)
    result = run(match, lambda ask: BROKEN if ask.step == end else 0)
    assert [(one.step, one.seat) for one in result.faults] == [(end, culprit)]
    assert result.record == calm.record
    sides = game.sides(seats, options)
    mates = [seat for seat in range(seats) if sides[seat] == sides[culprit]]
    assert list(result.forfeits) == mates
    half_wins = points(result.places, sides, result.forfeits)
    before = points(calm.places, sides, ())
    for seat in range(seats):
        if seat in mates:
            assert (result.places[seat], half_wins[seat]) == (len(set(sides)), 0)
            assert result.scores[seat] <= min(result.scores)
        else:
            assert half_wins[seat] >= before[seat]
            assert result.scores[seat] == calm.scores[seat]


@pytest.mark.parametrize("game", games.all_games(), ids=lambda game: game.id)
def test_the_same_seed_and_house_bots_give_the_same_match(game: Any) -> None:
    def once() -> MatchResult:
        seats, options = game.settle()
        names = ["random", "greedy", "first"]
        bots = [house_policy(names[seat % 3], game, house_stream(0, 7, seat)) for seat in range(seats)]
        match = play(game, seats=seats, options=options, seed=SEED)
        return run(match, lambda ask: bots[ask.seat].act(ask))

    assert once() == once()


@pytest.mark.parametrize("game", games.all_games(), ids=lambda game: game.id)
def test_a_state_can_be_sent_to_another_process(game: Any) -> None:
    state = game.new_match(seed=SEED)
    for _ in range(5):
        state.apply(state.legal_actions()[0])
    copy = pickle.loads(pickle.dumps(state))  # noqa: S301 (our own bytes)
    for other in (copy, copy.determinize(0, Stream("pickle"))):
        assert pickle.loads(pickle.dumps(other)).observation(0) == state.observation(0)  # noqa: S301
