"""Every game is a PettingZoo environment: PettingZoo's own suites, and what they do not look at."""

import inspect
from collections.abc import Callable

import numpy as np
import pytest
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test, state_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from support import adapters
from support.adapters import Case, short

from engine.adapters import pettingzoo
from engine.adapters.matches import match_seed
from engine.contract import Game
from engine.errors import BadOptions, IllegalAction, UnknownGame
from engine.games import get

CHECKS = [check for name, check in inspect.getmembers(adapters) if name.startswith("check_zoo_")]


def pass_all_suites(make: Callable[[], AECEnv], make_raw: Callable[[], AECEnv], cycles: int) -> None:
    """Run every suite of PettingZoo that applies; a warning is an error."""

    def parallel() -> ParallelEnv:
        return turn_based_aec_to_parallel(make())

    for constructor in (make, make_raw):
        api_test(constructor(), num_cycles=cycles)
        seed_test(constructor, num_cycles=cycles)
    parallel_api_test(parallel(), num_cycles=cycles)
    parallel_seed_test(parallel, num_cycles=cycles)
    state_test(make(), parallel(), num_cycles=cycles)


@adapters.every_size
def test_the_suites_of_pettingzoo_pass(game: Game, seats: int) -> None:
    options = short(game, seats)
    pass_all_suites(
        lambda: pettingzoo.env(game.id, seats, options),
        lambda: pettingzoo.raw_env(game.id, seats, options),
        cycles=60,
    )


@pytest.mark.slow
@pytest.mark.timeout(600)
@adapters.every_size
def test_the_suites_of_pettingzoo_pass_with_whole_matches(game: Game, seats: int) -> None:
    pass_all_suites(
        lambda: pettingzoo.env(game.id, seats), lambda: pettingzoo.raw_env(game.id, seats), cycles=1000
    )


@adapters.every_size
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_zoo_"))
def test_the_environment_keeps_what_no_suite_checks(
    game: Game, seats: int, check: Callable[[pettingzoo.MatchEnv, Case], None]
) -> None:
    options = short(game, seats)
    check(pettingzoo.raw_env(game.id, seats, options), Case(game=game, seats=seats, options=options, seed=7))


@pytest.mark.slow
@pytest.mark.timeout(600)
@adapters.every_size
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_zoo_"))
def test_whole_matches_keep_it_too(
    game: Game, seats: int, check: Callable[[pettingzoo.MatchEnv, Case], None]
) -> None:
    options = game.settle(seats)[1]
    env = pettingzoo.raw_env(game.id, seats)
    for seed in range(5):
        check(env, Case(game=game, seats=seats, options=options, seed=seed))


def test_teams_share_their_reward() -> None:
    env = pettingzoo.raw_env("sakura", 4, {"teams": "pairs", "rounds": 1})
    for seed in range(5):
        list(adapters.zoo_steps(env, Case(game=get("sakura"), seats=4, options=env.options, seed=seed)))
        first, second, third, fourth = (env.rewards[agent] for agent in env.possible_agents)
        assert (first, second) == (third, fourth) and first == -second


def test_a_view_is_what_the_arena_shows() -> None:
    env = pettingzoo.env("seiten", 3)
    env.reset(seed=5)
    state = get("seiten").new_match(seats=3, seed=match_seed(5))
    for seat, agent in enumerate(env.possible_agents):
        assert env.unwrapped.view(agent) == state.observation(seat)
        assert (env.observe(agent) == env.unwrapped.encoder.encode(state.observation(seat))).all()


def test_a_seed_gives_the_matches_that_follow() -> None:
    def three_deals(env: AECEnv) -> list[list[str]]:
        hands = []
        for seed in (3, None, None):
            env.reset(seed=seed)
            hands.append(env.unwrapped.view("player_0")["hand"])
        return hands

    first = three_deals(pettingzoo.env("seiten"))
    assert three_deals(pettingzoo.env("seiten")) == first
    assert first[0] != first[1] != first[2]


def test_without_a_seed_matches_differ() -> None:
    hands = []
    for _ in range(2):
        env = pettingzoo.env("seiten")
        env.reset()
        hands.append(env.unwrapped.view("player_0")["hand"])
    assert hands[0] != hands[1]


def test_an_illegal_action_raises_in_the_bare_environment_and_changes_nothing() -> None:
    env = pettingzoo.raw_env("hana_awase")
    env.reset(seed=1)
    seen, agent = env.state(), env.agent_selection
    for action in (int(np.flatnonzero(env.infos[agent]["action_mask"] == 0)[0]), 10**6, -1, None):
        with pytest.raises(IllegalAction):
            env.step(action)
    assert (env.state() == seen).all() and env.agent_selection == agent


def test_an_illegal_action_ends_a_match_in_the_wrapped_environment() -> None:
    env = pettingzoo.env("hana_awase")
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(int(np.flatnonzero(env.infos[agent]["action_mask"] == 0)[0]))
    assert all(env.terminations.values())
    assert env.rewards == {one: -1.0 if one == agent else 0 for one in env.agents}


def test_legal_play_goes_through_the_parallel_environment() -> None:
    env = turn_based_aec_to_parallel(pettingzoo.env("minhwatu", None, {"rounds": 1}))
    _, infos = env.reset(seed=2)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        actions = {agent: int(np.argmax(infos[agent]["action_mask"])) for agent in env.agents}
        _, rewards, _, _, infos = env.step(actions)
    assert sum(rewards.values()) == pytest.approx(0.0)
    assert {infos[agent]["place"] for agent in env.possible_agents} <= {1, 2, 3}


def test_render_shows_the_view_of_the_selected_agent() -> None:
    env = pettingzoo.env("sutda", 2)
    env.reset(seed=1)
    assert "hand: " in env.render() and "pot: 2" in env.render()
    env.close()


def test_bad_games_seats_and_options_are_refused() -> None:
    with pytest.raises(UnknownGame):
        pettingzoo.env("chess")
    with pytest.raises(BadOptions):
        pettingzoo.env("seiten", 9)
    with pytest.raises(BadOptions):
        pettingzoo.raw_env("seiten", None, {"powers": 1})
