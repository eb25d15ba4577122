"""What the suites of PettingZoo and OpenSpiel do not check; each check here fails by AssertionError."""

import pickle
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyspiel
import pytest
from _pytest.mark.structures import ParameterSet
from numpy.typing import NDArray
from open_spiel.python.observation import INFO_STATE_OBS_TYPE, make_observation

from engine.adapters.matches import match_seed
from engine.adapters.openspiel import DEAL_EVENTS, DEAL_OUTCOMES, CardState
from engine.adapters.pettingzoo import MatchEnv
from engine.contract import Action, Game, State
from engine.games import all_games
from engine.options import OptionValue
from engine.rng import Stream


def _size(game: Game, seats: int) -> ParameterSet:
    marks = [] if seats == game.default_seats else [pytest.mark.slow]
    return pytest.param(game, seats, marks=marks, id=f"{game.id}-{seats}")


# Every game with every number of seats; all but the usual number belong to the slow tests.
every_size = pytest.mark.parametrize(
    ("game", "seats"), [_size(game, seats) for game in all_games() for seats in game.seats]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One match: the rules that it has to follow, and the integer seed of the deal and of the choices."""

    game: Game
    seats: int
    options: dict[str, OptionValue]
    seed: int

    def stream(self, purpose: str) -> Stream:
        """Return the random stream for one purpose within the match."""
        return Stream(f"{self.seed}/{purpose}")

    def start(self) -> State:
        """Return the first state of the match, by the engine alone."""
        return self.game.new_match(seats=self.seats, options=self.options, seed=match_seed(self.seed))

    def bound(self) -> int:
        """Return the promised number of decisions."""
        return self.game.max_decisions(*self.game.settle(self.seats, self.options))


def short(game: Game, seats: int) -> dict[str, OptionValue]:
    """Return all options of a game, the match as short as it can be."""
    rounds = {"rounds": 1} if any(option.name == "rounds" for option in game.options) else {}
    return game.settle(seats, rounds)[1]


def duels(state: State, sides: tuple[int, ...]) -> list[float]:
    """Return the mean result of each seat's side against each other side: 1 won, 0 tied, -1 lost."""
    places = dict(zip(sides, state.placements(), strict=True))
    return [
        sum(
            (places[side] < place) - (places[side] > place)
            for other, place in places.items()
            if other != side
        )
        / (len(places) - 1)
        for side in sides
    ]


def zoo_steps(env: MatchEnv, case: Case) -> Iterator[Action]:
    """Play a match by random choices from the masks, yielding before each decision and once at the end."""
    rng = case.stream("choices")
    env.reset(seed=case.seed)
    for made in range(case.bound() + 1):
        agent = env.agent_selection
        if env.terminations[agent]:
            yield made
            return
        yield made
        env.step(rng.choice(np.flatnonzero(env.infos[agent]["action_mask"]).tolist()))
    raise AssertionError(f"no end after {case.bound()} decisions")


def check_zoo_follows_the_rules(env: MatchEnv, case: Case) -> None:
    """The environment and the engine agree on who moves, what is legal, when it ends, and who has won."""
    state, rng = case.start(), case.stream("choices")
    for _ in zoo_steps(env, case):
        over = state.to_move is None
        assert all(env.terminations[agent] == over for agent in env.agents), "they do not end together"
        for seat, agent in enumerate(env.possible_agents):
            legal = np.flatnonzero(env.infos[agent]["action_mask"]).tolist()
            assert legal == (state.legal_actions() if seat == state.to_move else []), f"wrong mask of {agent}"
        if state.to_move is not None:
            assert env.agent_selection == f"player_{state.to_move}", "another seat is to move"
            state.apply(rng.choice(state.legal_actions()))
    assert state.to_move is None
    sides = case.game.sides(case.seats, case.options)
    told = [env.rewards[agent] for agent in env.possible_agents]
    assert np.allclose(told, duels(state, sides)), f"wrong rewards: {told}"
    results = [(env.infos[agent]["score"], env.infos[agent]["place"]) for agent in env.possible_agents]
    assert results == list(zip(state.scores(), state.placements(), strict=True)), "wrong scores or places"


def check_zoo_hides_cards(env: MatchEnv, case: Case) -> None:
    """What an agent sees is the same in every state that differs only in what its seat does not know."""
    for made in zoo_steps(env, case):
        truth, rng = env._match, case.stream(f"hidden {made}")
        seat = rng.below(case.seats)
        agent = env.possible_agents[seat]
        seen = env.observe(agent)
        env._match = truth.determinize(seat, rng)
        assert (env.observe(agent) == seen).all(), f"{agent} sees what it may not know"
        env._match = truth


def check_zoo_gives_fresh_arrays(env: MatchEnv, case: Case) -> None:
    """No array that was given changes later, and changing it changes nothing else."""
    given: list[tuple[NDArray[np.generic], NDArray[np.generic]]] = []
    for _ in zoo_steps(env, case):
        agent = env.agent_selection
        arrays: list[NDArray[np.generic]] = [env.observe(agent), env.infos[agent]["action_mask"], env.state()]
        given += [(array, array.copy()) for array in arrays]
        spoilt = env.observe(agent)
        spoilt.fill(-1)
        assert (env.observe(agent) == arrays[0]).all(), "an observation is shared"
    assert all((array == copy).all() for array, copy in given), "an array was used again"


def dealt(game: pyspiel.Game, seed: int) -> CardState:
    """Return the first state of OpenSpiel's game in which a player moves, for an integer seed."""
    state: CardState = game.new_initial_state()
    for outcome in (seed % (1 << 64)).to_bytes(DEAL_EVENTS, "big"):
        assert len(state.chance_outcomes()) == DEAL_OUTCOMES
        state.apply_action(outcome)
    return state


def spiel_steps(game: pyspiel.Game, case: Case) -> Iterator[CardState]:
    """Play a match by random legal actions, yielding the state before each decision and at the end."""
    state, rng = dealt(game, case.seed), case.stream("choices")
    for _ in range(case.bound() + 1):
        yield state
        if state.is_terminal():
            return
        state.apply_action(rng.choice(state.legal_actions()))
    raise AssertionError(f"no end after {case.bound()} decisions")


def check_spiel_follows_the_rules(game: pyspiel.Game, case: Case) -> None:
    """OpenSpiel's game and the engine agree on who moves, what is legal, when it ends, and who has won."""
    state, rng = case.start(), case.stream("choices")
    for other in spiel_steps(game, case):
        assert other.is_terminal() == (state.to_move is None), "they do not end together"
        assert other.legal_actions() == state.legal_actions(), "other actions are legal"
        if state.to_move is not None:
            assert other.current_player() == state.to_move, "another seat is to move"
            action = rng.choice(state.legal_actions())
            assert other.action_to_string(action) == state.action_text(action)
            state.apply(action)
    expected = duels(state, case.game.sides(case.seats, case.options))
    assert np.allclose(other.returns(), expected), f"wrong returns: {other.returns()}"


def check_spiel_hides_cards(game: pyspiel.Game, case: Case) -> None:
    """What a player sees and remembers is the same however that is dealt which it does not know."""
    for state in spiel_steps(game, case):
        rng = case.stream(f"hidden {state.move_number()}")
        player = rng.below(case.seats)
        other = state.resample_from_infostate(player, lambda: 0.5)
        assert other.observation_string(player) == state.observation_string(player), "the string differs"
        assert other.observation_tensor(player) == state.observation_tensor(player), "the tensor differs"
        told = other.information_state_string(player), state.information_state_string(player)
        assert told[0] == told[1], "the memory differs"
        if player == state.current_player():
            assert other.legal_actions() == state.legal_actions(), "the player's choices differ"


def check_spiel_recalls_all(game: pyspiel.Game, case: Case) -> None:
    """The information state holds every earlier decision of the player, and what it sees in this moment."""
    observer = make_observation(game, INFO_STATE_OBS_TYPE)
    memories = [""] * case.seats
    rng = case.stream("choices")
    for state in spiel_steps(game, case):
        for player, memory in enumerate(memories):
            told = observer.string_from(state, player)
            assert told == memory + state.observation_string(player), f"player {player} forgets: {told}"
        if not state.is_terminal():
            player = state.current_player()
            action = state.action_to_string(rng.choice(state.legal_actions()))
            later = state.clone()
            later.apply_action(state.string_to_action(action))
            memories[player] = observer.string_from(later, player).rpartition("\n")[0] + "\n"
            assert memories[player].endswith(f" {action}\n"), "the last decision is not remembered"
            assert memories[player].count("\n") == len(_own_moves(later, player)), "decisions are missing"


def _own_moves(state: CardState, player: int) -> list[int]:
    return [item.action for item in state.full_history() if item.player == player]


def check_spiel_copies_are_independent(game: pyspiel.Game, case: Case) -> None:
    """A clone and a pickled copy, of a resampled state too, play on like the state, and apart from it."""
    for state in spiel_steps(game, case):
        if state.is_terminal() or state.move_number() % 7:
            continue
        for origin in (state, state.resample_from_infostate(state.current_player(), lambda: 0.25)):
            before, seen = str(origin), origin.information_state_string(0)
            copies = [origin.clone(), pickle.loads(pickle.dumps(origin))]  # noqa: S301
            assert [str(copy) for copy in copies] == [before] * 2, "a copy differs"
            rng = case.stream("copies")
            while not copies[0].is_terminal():
                action = rng.choice(copies[0].legal_actions())
                for copy in copies:
                    copy.apply_action(action)
                assert copies[0].observation_string(0) == copies[1].observation_string(0), "copies part"
            assert str(copies[0]) == str(copies[1]) and copies[0].returns() == copies[1].returns()
            assert (str(origin), origin.information_state_string(0)) == (before, seen), "they share a part"
