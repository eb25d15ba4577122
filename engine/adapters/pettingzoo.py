"""Every game as a PettingZoo environment: `env("seiten")`; needs the extra `pettingzoo`."""

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from engine import games
from engine.adapters import layouts
from engine.adapters.encoding import LARGEST, Encoder, Vector
from engine.adapters.matches import match_seed, rewards
from engine.contract import Observation, State
from engine.options import Options

Info = dict[str, Any]

ILLEGAL_REWARD = -1.0


def env(game_id: str, seats: int | None = None, options: Options | None = None) -> AECEnv:
    """Return the environment in PettingZoo's usual wrappers: an illegal action ends the match with reward -1.

    Raises UnknownGame and BadOptions.
    """
    wrapped = TerminateIllegalWrapper(raw_env(game_id, seats, options), illegal_reward=ILLEGAL_REWARD)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(wrapped))


def raw_env(game_id: str, seats: int | None = None, options: Options | None = None) -> "MatchEnv":
    """Return the bare environment: an illegal action raises IllegalAction and changes nothing.

    Raises UnknownGame and BadOptions.
    """
    return MatchEnv(game_id, seats, options)


class MatchEnv(AECEnv):
    """One match at a time; agent `player_<n>` sits in seat n.

    The observation is the vector of `encoder` for what the seat may see (`view`). The info of an agent holds
    `action_mask` (all 0 when it is not to move), and at the end its `score` and `place` too. Rewards come at
    the end: from -1 to 1, see `engine.adapters.matches.rewards`.
    """

    def __init__(self, game_id: str, seats: int | None = None, options: Options | None = None) -> None:
        super().__init__()
        self.game = games.get(game_id)
        self.seats, self.options = self.game.settle(seats, options)
        self.encoder: Encoder = layouts.encoder(game_id, self.seats, self.options)
        self.metadata = {
            "name": f"fudaba_{game_id}_v0",
            "render_modes": ["ansi"],
            "is_parallelizable": True,  # by turn_based_aec_to_parallel
        }
        self.render_mode = "ansi"
        self.possible_agents = [f"player_{seat}" for seat in range(self.seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._sides = self.game.sides(self.seats, self.options)
        self._actions = self.game.actions(self.seats, self.options)
        size = len(self.encoder.slots)
        self._observation_spaces = {agent: _box(size) for agent in self.possible_agents}
        self._action_spaces = {agent: Discrete(self._actions) for agent in self.possible_agents}
        self.state_space = _box(size * self.seats)
        self._seed: int = np.random.SeedSequence().generate_state(1, np.uint64).item()
        self._number = 0
        self._match: State

    def observation_space(self, agent: str) -> Box:
        """Return the space of an agent's vectors, always the same object."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of action ids, always the same object."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: Info | None = None) -> None:
        """Start a match. A seed gives this match and all that follow; `options` are ignored."""
        if seed is not None:
            self._seed, self._number = seed, 0
        seed_bytes = match_seed(self._seed, self._number)
        self._match = self.game.start(self.seats, dict(self.options), seed_bytes)
        self._number += 1
        self.agents = list(self.possible_agents)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._skip_agent_selection = None
        self._look()

    def step(self, action: int | None) -> None:
        """Play an action for the agent that is selected; None takes an agent out of a match that is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._match.apply(-1 if action is None else int(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._look()
        self._accumulate_rewards()
        self._deads_step_first()

    def _look(self) -> None:
        """Tell the agents where the match stands."""
        self.infos: dict[str, Info] = {
            agent: {"action_mask": np.zeros(self._actions, np.int8)} for agent in self.agents
        }
        seat = self._match.to_move
        if seat is not None:
            self.agent_selection = self.possible_agents[seat]
            self.infos[self.agent_selection]["action_mask"][self._match.legal_actions()] = 1
            return
        self.terminations = dict.fromkeys(self.agents, True)
        self.rewards = dict(zip(self.agents, rewards(self._match, self._sides), strict=True))
        results = zip(self.agents, self._match.scores(), self._match.placements(), strict=True)
        for agent, score, place in results:
            self.infos[agent] |= {"score": score, "place": place}

    def observe(self, agent: str) -> Vector:
        """Return what an agent may see as a new vector."""
        return self.encoder.encode(self.view(agent))

    def view(self, agent: str) -> Observation:
        """Return what an agent may see as a bot of the arena gets it; a fresh object."""
        return self._match.observation(self._seat_of[agent])

    def action_texts(self) -> list[str]:
        """Return the text of every action id, by which a bot of the arena answers."""
        match = self.game.start(self.seats, dict(self.options), b"")
        return [match.action_text(action) for action in range(self._actions)]

    def state(self) -> NDArray[np.float32]:
        """Return the vectors of all seats, one after the other: for training only, no player sees it."""
        return np.concatenate([self.observe(agent) for agent in self.possible_agents])

    def render(self) -> str:
        """Return the view of the agent that is selected, one field a line."""
        return "\n".join(f"{name}: {value}" for name, value in self.view(self.agent_selection).items())

    def close(self) -> None:
        """Do nothing: a match holds no resources."""


def _box(size: int) -> Box:
    return Box(-LARGEST, LARGEST, (size,), np.float32)
