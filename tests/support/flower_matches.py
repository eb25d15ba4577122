"""Set positions, matches beside their slow twin, counted trees and duels of Hana-awase and Minhwatu."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from support.twins_hanafuda import PACK, Hand, codes, slow_hand, slow_match

from engine.cards.capture import CaptureState
from engine.contract import Game, Observation
from engine.options import OptionValue
from engine.rng import Stream

PAGES = Path(__file__).parents[2] / "docs" / "games"
EXAMPLE_SEED = bytes([0, 1])

# The piles of the worked examples that the pages call A, B and C.
A = codes(
    "1-crane 1-k1 2-nightingale 2-k1 3-curtain 3-k1 4-k1 4-k2 8-moon 8-geese 9-cup 9-k1 11-rainman 11-swallow"
)
B = codes(
    "1-rib 1-k2 2-rib 2-k2 3-rib 3-k2 5-rib 5-k2 6-butterflies 6-k1 7-k1 7-k2 10-deer 10-k1 11-rib 11-gaji "
    "12-k1 12-k2"
)
C = [card for card in PACK if card not in A + B]


def rest(*piles: Sequence[str]) -> list[str]:
    """Return the cards of the pack that are in none of the piles."""
    return [card for card in PACK if not any(card in pile for pile in piles)]


def start(game: Game, seed: bytes = EXAMPLE_SEED, /, **options: OptionValue) -> CaptureState:
    """Return the first state of a match."""
    state = game.new_match(options=options, seed=seed)
    assert isinstance(state, CaptureState)
    return state


def result(
    game: Game, piles: Sequence[Sequence[str]], eldest: int = 0, **options: OptionValue
) -> tuple[list[int], int]:
    """Return the scores of a hand that was played out with these piles, and the next eldest."""
    state = start(game, rounds=2, **options).laid_out(hands=[[], [], []], captured=piles, leader=eldest)
    return outcome(state)


def outcome(state: CaptureState) -> tuple[list[int], int]:
    """Return the scores of the hand that has just ended, and the next eldest."""
    observation = state.observation(0)
    return observation["last_round"]["scores"], observation["eldest"]


def play(state: CaptureState, *texts: str) -> CaptureState:
    """Play action texts, one after the other; return the state."""
    for text in texts:
        state.apply(state.parse_action(text))
    return state


def legal(state: CaptureState) -> list[str]:
    """Return the legal action texts."""
    return [state.action_text(action) for action in state.legal_actions()]


def positions(state: CaptureState, rng: Stream) -> Iterator[CaptureState]:
    """Yield the state before each decision of a random playout, and at the end."""
    while state.to_move is not None:
        yield state
        state.apply(rng.choice(state.legal_actions()))
    yield state


def check_against_twin(game: Game, seed: bytes, **options: OptionValue) -> None:
    """Play a random match in step with the slow twin: decisions, table, piles and totals must agree."""
    state = start(game, seed, **options)
    twin = slow_match(game.id, game.settle(3, options)[1], seed)
    rng = Stream(seed)
    step = next(twin)
    while True:
        seat, texts, table, piles = step
        observation = state.observation(seat)
        assert state.to_move == seat
        assert set(observation["legal"]) == texts
        assert set(observation["table"]) == table
        assert observation["captured"] == piles
        text = rng.choice(observation["legal"])
        state.apply(state.parse_action(text))
        try:
            step = twin.send(text)
        except StopIteration as end:
            assert state.to_move is None
            assert state.scores() == end.value
            return


def tree(state: CaptureState, depth: int) -> list[int]:
    """Return the number of positions of the first round at each depth from 0 to `depth`, by cloning."""
    level, counts = [state], [1]
    for _ in range(depth):
        level = [_after(state, action) for state in level for action in state.legal_actions()]
        counts.append(len(level))
        level = [state for state in level if state.to_move is not None]
    return counts


def _after(state: CaptureState, action: int) -> CaptureState:
    state = state.clone()
    state.apply(action)
    return state


def twin_tree(make_hand: Callable[[], Hand], depth: int) -> list[int]:
    """Return the same numbers for the slow twin, which plays each line of play from the start."""
    lines: list[list[str]] = [[]]
    counts = [1]
    for _ in range(depth):
        lines = [[*line, text] for line in lines for text in _choices(make_hand(), line)]
        counts.append(len(lines))
    return counts


def _choices(hand: Hand, line: list[str]) -> list[str]:
    play = slow_hand(hand, 0)
    try:
        step = next(play)
        for text in line:
            step = play.send(text)
    except StopIteration:
        return []
    return sorted(step[1])


def lead_over_random(game: Game, deals: range, **options: OptionValue) -> list[float]:
    """Return, per deal, the mean score of `greedy` in each of the three seats against two random players."""
    return [sum(_duel(game, deal, seat, options) for seat in range(3)) / 3 for deal in deals]


def _duel(game: Game, deal: int, seat: int, options: dict[str, OptionValue]) -> int:
    state = start(game, b"deal %d" % deal, **options)
    rng = Stream(f"random {deal} {seat}")
    while state.to_move is not None:
        if state.to_move == seat:
            play(state, game.greedy(state.observation(seat)))
        else:
            state.apply(rng.choice(state.legal_actions()))
    return state.scores()[seat]


def page_examples(game: Game) -> list[Observation]:
    """Return the observations shown on the rules page of a game."""
    text = (PAGES / f"{game.id}.md").read_text()
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL)]


def first_in_phase(game: Game, phase: str, options: dict[str, Any]) -> Observation:
    """Return what the seat to move (seat 0 at the end) sees first in `phase` when all play what is first."""
    state = start(game, **options)
    while state.observation(0)["phase"] != phase:
        state.apply(state.legal_actions()[0])
    return state.observation(state.to_move or 0)


def check_knowledge(state: CaptureState, rng: Stream) -> None:
    """Play a random match: a seat sees the same when the cards that are hidden from it are dealt anew."""
    for position in positions(state, rng):
        for seat in range(3):
            other = position.determinize(seat, rng)
            seen = position.observation(seat)
            assert other.observation(seat) == seen
            if other.to_move is not None:
                assert other.legal_actions() == sorted(other.legal_actions())
                other.apply(other.legal_actions()[-1])
            assert position.observation(seat) == seen
