"""The house bot search: what it may look at, what it compares, and that it is worth its time."""

from typing import Self

import pytest

from engine import search
from engine.contract import Action, Game, Observation, Seat, State
from engine.games import all_games, get
from engine.match import points
from engine.rng import Stream

GAMES = [game.id for game in all_games()]


def position(game_id: str, seed: str, decisions: int = 30) -> State:
    """Return a state with a choice to make, after about that many random decisions."""
    state, rng = get(game_id).new_match(seed=seed.encode()), Stream(seed)
    made = 0
    while made < decisions or len(state.legal_actions()) < 2:
        if state.to_move is None:
            return position(game_id, f"{seed}+", decisions // 2)
        state.apply(rng.choice(state.legal_actions()))
        made += 1
    return state


class Blinkered:
    """A state of which nothing can be used but the view of the seat to move and guesses of the rest."""

    def __init__(self, state: State) -> None:
        self.to_move = state.to_move
        self.legal_actions = state.legal_actions
        self.action_text = state.action_text
        self.parse_action = state.parse_action
        self.determinize = state.determinize
        self._observation = state.observation

    def observation(self, seat: Seat) -> Observation:
        """Return the view of the seat to move; no other."""
        assert seat == self.to_move
        return self._observation(seat)


@pytest.mark.parametrize("game_id", GAMES)
def test_the_choice_is_reproducible_and_needs_only_what_the_seat_knows(game_id: str) -> None:
    game, state = get(game_id), position(game_id, "same")
    seat = state.to_move
    assert seat is not None
    before = [state.observation(other) for other in range(state.observation(0)["seats"])]
    first = search.choose(game, state, seat, Stream("x"), playouts=4)
    assert first in state.legal_actions()
    blinkered: State = Blinkered(state)  # type: ignore[assignment]
    assert search.choose(game, blinkered, seat, Stream("x"), playouts=4) == first
    assert [state.observation(other) for other in range(len(before))] == before


def test_all_actions_are_compared_when_they_are_few() -> None:
    assert search.candidates([3, 5, 9], 5) == [3, 5, 9]


@pytest.mark.parametrize("count", [11, 12, 40, 1000])
def test_many_actions_are_thinned_with_both_ends_and_the_favourite(count: int) -> None:
    legal = list(range(100, 100 + count))
    favourite = 100 + count * 2 // 3
    picked = search.candidates(legal, favourite)
    assert picked == sorted(set(picked))
    assert len(picked) <= search.CANDIDATES
    assert {legal[0], legal[1], legal[-1], favourite} <= set(picked)


class Wager:
    """Seat 0 may bet that the hidden card, 0 to 9, is not below `floor`; it wins or loses a point."""

    def __init__(self, card: int, floor: int) -> None:
        self.card, self.floor = card, floor
        self.to_move: Seat | None = 0
        self.won = 0

    def legal_actions(self) -> list[Action]:
        return [] if self.to_move is None else [0, 1]

    def apply(self, action: Action) -> None:
        self.won = action * (1 if self.card >= self.floor else -1)
        self.to_move = None

    def observation(self, seat: Seat) -> Observation:
        return {"round": 0, "rounds": 1, "seats": 2, "options": {}, "scores": [0, 0], "legal": ["0", "1"]}

    def action_text(self, action: Action) -> str:
        return str(action)

    def parse_action(self, text: str) -> Action:
        return int(text)

    def scores(self) -> list[int]:
        return [self.won, -self.won]

    def placements(self) -> list[int]:
        return [1, 2] if self.won > 0 else [2, 1]

    def clone(self) -> Self:
        return type(self)(self.card, self.floor)

    def determinize(self, seat: Seat, rng: Stream) -> Self:
        return type(self)(rng.below(10), self.floor)


def wager(favourite: str) -> Game:
    return Game(
        id="wager",
        title="Wager",
        summary="",
        seats=(2,),
        default_seats=2,
        options=(),
        notation=(),
        start=lambda seats, options, seed: Wager(0, 0),
        greedy=lambda view: favourite,
        actions=lambda seats, options: 2,
        max_decisions=lambda seats, options: 1,
    )


@pytest.mark.parametrize("card", [0, 9])
@pytest.mark.parametrize("favourite", ["0", "1"])
def test_the_odds_decide_and_not_the_hidden_card(card: int, favourite: str) -> None:
    game = wager(favourite)
    assert search.choose(game, Wager(card, 2), 0, Stream("good odds"), playouts=100) == 1
    assert search.choose(game, Wager(card, 8), 0, Stream("bad odds"), playouts=100) == 0


def test_what_may_be_chance_leaves_the_heuristic_its_way() -> None:
    even = [search.choose(wager("0"), Wager(0, 5), 0, Stream(f"even {i}"), playouts=40) for i in range(40)]
    assert even.count(0) > 25


@pytest.mark.slow
def test_search_beats_greedy_at_seiten() -> None:
    game, total = get("seiten"), 0
    sides = tuple(range(4))
    for deal in range(3):
        for seat_of_search in range(4):
            state, rng = game.new_match(seed=f"{deal}".encode()), Stream(f"{deal}/{seat_of_search}")
            while (seat := state.to_move) is not None:
                if seat == seat_of_search and len(state.legal_actions()) > 1:
                    state.apply(search.choose(game, state, seat, rng))
                else:
                    state.apply(state.parse_action(game.greedy(state.observation(seat))))
            total += points(state.placements(), sides, ())[seat_of_search]
    assert total / (3 * 4 * 6) > 0.6
