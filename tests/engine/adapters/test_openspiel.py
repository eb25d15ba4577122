"""Every game is an OpenSpiel game: OpenSpiel's own suites, and what they do not look at."""

import inspect
import multiprocessing
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import external_sampling_mccfr, generate_playthrough, ismcts, mcts
from open_spiel.python.observation import make_observation
from open_spiel.python.tests import games_sim_test
from support import adapters
from support.adapters import Case, dealt, short

from engine.adapters import openspiel
from engine.adapters.matches import match_seed
from engine.contract import Game
from engine.errors import BadOptions, UnknownGame
from engine.games import all_games, get

CHECKS = [check for name, check in inspect.getmembers(adapters) if name.startswith("check_spiel_")]


def pass_all_suites(game: pyspiel.Game, matches: int) -> None:
    """Run the simulations of OpenSpiel, with and without serialization."""
    for serialize in (False, True):
        pyspiel.random_sim_test(game, num_sims=matches, serialize=serialize, verbose=False)
    for _ in range(matches):
        games_sim_test.GamesSimTest().sim_game(game)


@adapters.every_size
def test_the_suites_of_openspiel_pass(game: Game, seats: int) -> None:
    pass_all_suites(openspiel.load(game.id, seats, short(game, seats)), matches=1)


@pytest.mark.slow
@pytest.mark.timeout(900)
@adapters.every_size
def test_the_suites_of_openspiel_pass_with_whole_matches(game: Game, seats: int) -> None:
    pass_all_suites(openspiel.load(game.id, seats), matches=3)


@adapters.every_size
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_spiel_"))
def test_the_game_keeps_what_no_suite_checks(
    game: Game, seats: int, check: Callable[[pyspiel.Game, Case], None]
) -> None:
    options = short(game, seats)
    loaded = openspiel.load(game.id, seats, options)
    check(loaded, Case(game=game, seats=seats, options=options, seed=2**63 + 11))


@pytest.mark.slow
@pytest.mark.timeout(900)
@adapters.every_size
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_spiel_"))
def test_whole_matches_keep_it_too(
    game: Game, seats: int, check: Callable[[pyspiel.Game, Case], None]
) -> None:
    check(openspiel.load(game.id, seats), Case(game=game, seats=seats, options=game.settle(seats)[1], seed=3))


def test_every_game_is_registered_once_by_its_name() -> None:
    openspiel.register()
    openspiel.register()
    names = [name for name in pyspiel.registered_names() if name.startswith("python_fudaba_")]
    assert {f"python_fudaba_{game.id}" for game in all_games()} <= set(names)
    assert len(names) == len(set(names))


def test_a_game_can_be_loaded_by_openspiel_with_its_options() -> None:
    openspiel.register()
    game = pyspiel.load_game("python_fudaba_hana_awase(combinations=none,rounds=2)")
    assert game.num_players() == 3 and game.max_game_length() == 126
    assert game.setup.options == get("hana_awase").settle(None, {"combinations": "none", "rounds": 2})[1]
    with pytest.raises(BadOptions):
        pyspiel.load_game("python_fudaba_seiten(players=9)")


def test_bad_games_seats_and_options_are_refused() -> None:
    with pytest.raises(UnknownGame):
        openspiel.load("chess")
    with pytest.raises(BadOptions):
        openspiel.load("seiten", 9)
    with pytest.raises(BadOptions):
        openspiel.load("seiten", None, {"powers": 1})


def test_the_deal_follows_from_the_chance_events() -> None:
    state = dealt(openspiel.load("seiten"), 12345)
    match = get("seiten").new_match(seed=match_seed(12345))
    assert state.table is not None
    assert [state.table.match.observation(seat) for seat in range(4)] == [*map(match.observation, range(4))]


def test_a_history_says_all_of_a_match() -> None:
    game = openspiel.load("hachinin_meri", None, {"rounds": 1})
    case = Case(game=get("hachinin_meri"), seats=8, options=short(get("hachinin_meri"), 8), seed=4)
    *_, end = adapters.spiel_steps(game, case)
    again = game.new_initial_state()
    for action in end.history():
        again.apply_action(action)
    assert str(again) == str(end) and again.returns() == end.returns()


def test_nothing_is_seen_before_the_deal() -> None:
    state = openspiel.load("sutda", 2).new_initial_state()
    assert state.is_chance_node() and state.observation_string(0) == state.information_state_string(1) == ""
    assert not any(state.observation_tensor(0))
    assert sum(chance for _, chance in state.chance_outcomes()) == pytest.approx(1.0)


def test_only_the_view_of_one_player_can_be_observed() -> None:
    game, kind = openspiel.load("sutda", 2), pyspiel.IIGObservationType
    everything = kind(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    assert make_observation(game, everything) is None
    assert make_observation(game, kind(public_info=False, perfect_recall=False)) is None
    assert make_observation(game) is not None
    with pytest.raises(ValueError, match="parameters"):
        make_observation(game, params={"size": 3})


def test_a_game_and_a_state_reach_another_process() -> None:
    game = openspiel.load("sakura", 4, {"teams": "pairs"})
    state = dealt(game, 9)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as pool:
        assert pool.submit(str, state).result() == str(state)
        assert pool.submit(str, game).result() == str(game)
    assert str(pickle.loads(pickle.dumps(game))) == str(game)  # noqa: S301


def test_the_interpreter_ends_cleanly_after_a_game_was_registered() -> None:
    code = "from engine.adapters import openspiel; openspiel.load('sutda').new_initial_state()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_playthrough_can_be_written() -> None:
    openspiel.register()
    text = generate_playthrough.playthrough("python_fudaba_sutda(players=2,rounds=1)", None, seed=1)
    assert 'GameType.short_name = "python_fudaba_sutda"' in text and "UtilitySum() = 0" in text


@pytest.mark.parametrize("kind", [ismcts.ISMCTSBot, mcts.MCTSBot])
def test_the_searching_bots_of_openspiel_play(kind: type) -> None:
    game = openspiel.load("hana_awase", None, {"rounds": 1})
    random = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    blind = {"use_observation_string": True} if kind is ismcts.ISMCTSBot else {}
    bot = kind(game, evaluator=evaluator, uct_c=1.4, max_simulations=20, random_state=random, **blind)
    state = dealt(game, 3)
    assert bot.step(state) in state.legal_actions()


def test_counterfactual_regret_finds_the_players_own_information() -> None:
    game = openspiel.load("sutda", 2, {"rounds": 1, "stack": 2})
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    for _ in range(50):
        solver.iteration()
    state = dealt(game, 1)
    policy = solver.average_policy().action_probabilities(state)
    assert sum(policy.values()) == pytest.approx(1.0)
