"""Every game as an OpenSpiel game: `load("seiten")`, or `python_fudaba_seiten`; needs the extra `openspiel`.

The deal is an explicit chance event, in eight parts of 256 equal outcomes each: together they are an integer
seed of 64 bits, from which the whole match follows as it does in the arena. So a history of actions says all
of a match, states can be copied, pickled and replayed, and there are too many deals for a player to tell the
deal from its hand. (One node with all deals would have to list them whenever it is asked; with sampled chance
the history would not give the deal.)
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from engine import games
from engine.adapters import layouts
from engine.adapters.encoding import Vector
from engine.adapters.matches import rewards
from engine.adapters.tables import Setup, Table
from engine.contract import Action, Game
from engine.options import Options

PREFIX = "python_fudaba_"
DEAL_EVENTS, DEAL_OUTCOMES = 8, 256
_CHANCES = [(outcome, 1 / DEAL_OUTCOMES) for outcome in range(DEAL_OUTCOMES)]
_SAMPLES = 1 << 53  # what a sampled number between 0 and 1 is stretched to


def register() -> None:
    """Register every game as `python_fudaba_<id>`; registering twice changes nothing."""
    known = set(pyspiel.registered_names())
    for game in games.all_games():
        if PREFIX + game.id not in known:
            # A class, for OpenSpiel keeps it for ever: of a mere function it would free the last reference
            # after the interpreter's end, and crash.
            kind = type(f"CardGame_{game.id}", (CardGame,), {"game_id": game.id})
            pyspiel.register_game(_game_type(game), kind)


def load(game_id: str, seats: int | None = None, options: Options | None = None) -> pyspiel.Game:
    """Return a game of OpenSpiel; raises UnknownGame and BadOptions."""
    register()
    count, values = games.get(game_id).settle(seats, options)
    return pyspiel.load_game(PREFIX + game_id, {"players": count, **values})


def _game_type(game: Game) -> pyspiel.GameType:
    """Return what OpenSpiel has to know of a game before it is loaded; its parameters are all options."""
    seats, options = game.settle()
    kind = pyspiel.GameType
    return kind(
        short_name=PREFIX + game.id,
        long_name=game.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=max(game.seats),
        min_num_players=min(game.seats),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"players": seats, **options},
    )


class CardGame(pyspiel.Game):
    """One game with its seats and options; each game of the arena has a subclass, which names it."""

    game_id: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = dict(params or {})
        rules = games.get(self.game_id)
        seats, options = rules.settle(given.pop("players", None), given)
        self.setup = Setup(self.game_id, seats, options)
        self.sides = rules.sides(seats, options)
        info = pyspiel.GameInfo(
            num_distinct_actions=rules.actions(seats, options),
            max_chance_outcomes=DEAL_OUTCOMES,
            num_players=seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=rules.max_decisions(seats, options),
        )
        super().__init__(_game_type(rules), info, dict(params or {}))

    def __reduce__(self) -> tuple[Any, ...]:
        return load, tuple(self.setup)

    def new_initial_state(self) -> "CardState":
        """Return the state before the deal."""
        return CardState(self)

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: dict[str, Any] | None = None
    ) -> "Observer | None":
        """Return an observer; None for all kinds but the whole view of one player, as OpenSpiel asks."""
        if params:
            raise ValueError(f"observation parameters are {params}; the games have none")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        is_private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        return Observer(self.setup, kind.perfect_recall) if kind.public_info and is_private else None


class CardState(pyspiel.State):
    """A match: the chance events that deal, then the decisions of the seats by the arena's action ids."""

    def __init__(self, game: CardGame) -> None:
        super().__init__(game)
        self._setup = game.setup
        self._sides = game.sides
        self._dealt, self._seed = 0, 0
        self.table: Table | None = None  # None before the deal

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (pyspiel.serialize_game_and_state(self.get_game(), self),)

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's id for chance or the end."""
        if self.table is None:
            return int(pyspiel.PlayerId.CHANCE)
        seat = self.table.match.to_move
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def is_terminal(self) -> bool:
        """Return whether the match is over."""
        return self.table is not None and self.table.match.to_move is None

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of a chance event, with their probabilities."""
        return _CHANCES

    def returns(self) -> list[float]:
        """Return the reward of each seat, from -1 to 1; zeros before the end."""
        if self.table is None or not self.is_terminal():
            return [0.0] * self._setup.seats
        return rewards(self.table.match, self._sides)

    def resample_from_infostate(
        self, player_id: int, probability_sampler: Callable[[], float]
    ) -> "CardState":
        """Return this state with everything dealt anew that a player does not know.

        Its history is this one's. The other players do not remember what they saw before (it was other
        cards), so search it by observation strings.
        """
        twin: CardState = self.clone()
        if twin.table is not None:
            twin.table.resample(player_id, int(probability_sampler() * _SAMPLES))
        return twin

    def _legal_actions(self, player: int) -> list[Action]:
        if self.table is None or self.table.match.to_move != player:
            return []
        return list(self.table.match.legal_actions())

    def _apply_action(self, action: Action) -> None:
        if self.table is not None:
            self.table.apply(action)
            return
        self._seed = self._seed * DEAL_OUTCOMES + action
        self._dealt += 1
        if self._dealt == DEAL_EVENTS:
            self.table = Table(self._setup, self._seed)

    def _action_to_string(self, player: int, action: Action) -> str:
        return f"deal:{action}" if self.table is None else self.table.match.action_text(action)

    def __str__(self) -> str:
        if self.table is None:
            return f"deal {self._dealt} of {DEAL_EVENTS}: {self._seed}"
        hands = [" ".join(self.table.match.observation(seat)["hand"]) for seat in range(self._setup.seats)]
        return "\n".join([f"seed {self._seed}", *hands, " ".join(map(str, self.table.script))])


def _restored(text: str) -> CardState:
    """Return a state that was pickled, in a process that may not have registered the games."""
    register()
    state: CardState = pyspiel.deserialize_game_and_state(text)[1]
    return state


class Observer:
    """What one player may see: a string and a vector, or with perfect recall a string alone."""

    def __init__(self, setup: Setup, has_recall: bool) -> None:
        self._has_recall = has_recall
        self.tensor: Vector | None = None
        self.dict: dict[str, Vector] = {}
        if not has_recall:
            self._encoder = layouts.encoder(*setup)
            self.tensor = np.zeros(len(self._encoder.slots), np.float32)
            self.dict["observation"] = self.tensor

    def set_from(self, state: CardState, player: int) -> None:
        """Write what a player may see into `tensor`; zeros before the deal."""
        if self.tensor is None:
            return
        if state.table is None:
            self.tensor.fill(0)
        else:
            self.tensor[:] = self._encoder.encode(state.table.match.observation(player))

    def string_from(self, state: CardState, player: int) -> str:
        """Return what a player may see (or remembers) as text; empty before the deal."""
        if state.table is None:
            return ""
        return state.table.memory_text(player) if self._has_recall else state.table.view_text(player)
