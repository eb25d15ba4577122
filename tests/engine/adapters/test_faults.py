"""The checks of the adapters bite: each fault that is planted in an adapter or in a game is found.

The suites of PettingZoo and OpenSpiel do not find them; a test shows it for each fault that it holds for.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pyspiel
import pytest
from open_spiel.python.tests import games_sim_test
from pettingzoo.test import api_test
from support import adapters
from support.adapters import Case
from support.toy import TOY, ToyState

from engine import games
from engine.adapters import layouts, openspiel
from engine.adapters.encoding import Vector
from engine.adapters.openspiel import CardState, Observer
from engine.adapters.pettingzoo import MatchEnv
from engine.adapters.tables import Resampling, Table
from engine.contract import Action, Observation, Seat, State, rank_high_to_low
from engine.errors import IllegalAction

SEATS = 3


def cases() -> list[Case]:
    return [Case(game=TOY, seats=SEATS, options=TOY.settle(SEATS)[1], seed=seed) for seed in range(6)]


# Faults of a game.


class WrongWinner(ToyState):
    def placements(self) -> list[int]:
        return rank_high_to_low([-score for score in self.scores()])


class HidesAnAction(ToyState):
    def legal_actions(self) -> list[Action]:
        return super().legal_actions()[:1]


class NeverEnds(ToyState):
    def end_round(self) -> None:
        self.deal()


class ShowsAHand(ToyState):
    def observation(self, seat: Seat) -> Observation:
        return super().observation(seat) | {
            "next": [f"{card}" for card in self.hands[(seat + 1) % self.seats]]
        }


GAMES: list[tuple[type[ToyState], str]] = [
    (WrongWinner, "follows_the_rules"),
    (HidesAnAction, "follows_the_rules"),
    (NeverEnds, "follows_the_rules"),
    (ShowsAHand, "hides_cards"),
]


# Faults of the PettingZoo adapter.


class SeesTheNextHand(MatchEnv):
    def observe(self, agent: str) -> Vector:
        seat = self._seat_of[agent]
        after = self.possible_agents[(seat + 1) % self.seats]
        return self.encoder.encode(self.view(agent) | {"hand": self.view(after)["hand"]})


class ShowsTheMaskToAll(MatchEnv):
    def _look(self) -> None:
        super()._look()
        mask = sum(info["action_mask"] for info in self.infos.values())
        for info in self.infos.values():
            info["action_mask"] = mask.copy()


class MasksAnAction(MatchEnv):
    def _look(self) -> None:
        super()._look()
        if len(legal := self._match.legal_actions()) > 1:
            self.infos[self.agent_selection]["action_mask"][legal[-1]] = 0


class RewardsTheLast(MatchEnv):
    def _look(self) -> None:
        super()._look()
        self.rewards = {agent: -reward for agent, reward in self.rewards.items()}


class PlaysForEver(MatchEnv):
    def _look(self) -> None:
        if self._match.to_move is None:
            self._match = self.game.start(self.seats, self.options, b"again")
        super()._look()


class ReusesAVector(MatchEnv):
    def observe(self, agent: str) -> Vector:
        vector = super().observe(agent)
        self._buffer = getattr(self, "_buffer", vector)
        self._buffer[:] = vector
        return self._buffer


class ReusesAMask(MatchEnv):
    def _look(self) -> None:
        super()._look()
        for agent, info in self.infos.items():
            kept = self.__dict__.setdefault(f"_mask_{agent}", info["action_mask"])
            kept[:] = info["action_mask"]
            info["action_mask"] = kept


class IgnoresTheSeed(MatchEnv):
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        super().reset(None, options)


ENVIRONMENTS: list[tuple[type[MatchEnv], str]] = [
    (SeesTheNextHand, "hides_cards"),
    (ShowsTheMaskToAll, "follows_the_rules"),
    (MasksAnAction, "follows_the_rules"),
    (RewardsTheLast, "follows_the_rules"),
    (PlaysForEver, "follows_the_rules"),
    (ReusesAVector, "gives_fresh_arrays"),
    (ReusesAMask, "gives_fresh_arrays"),
    (IgnoresTheSeed, "follows_the_rules"),
]


# Faults of the OpenSpiel adapter: an attribute of a class, and what it is replaced by.


def text_of_the_next(self: Observer, state: CardState, player: int) -> str:
    return "" if state.table is None else state.table.view_text((player + 1) % SEATS)


def vector_of_the_next(self: Observer, state: CardState, player: int) -> None:
    if self.tensor is not None and state.table is not None:
        self.tensor[:] = self._encoder.encode(state.table.match.observation((player + 1) % SEATS))


def all_but_the_last(self: CardState, player: int) -> list[Action]:
    legal = self.table.match.legal_actions() if self.table is not None else []
    return legal[:-1] or legal


def lose_all(state: State, sides: tuple[int, ...]) -> list[float]:
    return [-reward for reward in rewards_of(state, sides)]


rewards_of = openspiel.rewards


def restart(self: Table, action: Action) -> None:
    self.match.apply(action)
    if self.match.to_move is None:
        self.match = TOY.new_match(seats=SEATS, seed=b"again")


def forget(self: Table, seat: Seat) -> str:
    return self.view_text(seat)


def share(self: Table, memo: dict[int, Any]) -> Table:
    twin = object.__new__(Table)
    twin.__dict__.update(self.__dict__)
    return twin


def reduce_without_resampling(self: Table) -> tuple[Any, ...]:
    script = tuple(step for step in self.script if not isinstance(step, Resampling))
    return openspiel_replayed, (Table, self.setup, self.seed, script)


def openspiel_replayed(*given: Any) -> Table:
    table = Table(*given[1:3])
    for action in given[3]:
        try:
            table.apply(action)
        except IllegalAction:
            break
    return table


SPIELS: list[tuple[Any, str, Callable[..., Any], str]] = [
    (Observer, "string_from", text_of_the_next, "hides_cards"),
    (Observer, "set_from", vector_of_the_next, "hides_cards"),
    (CardState, "_legal_actions", all_but_the_last, "follows_the_rules"),
    (openspiel, "rewards", lose_all, "follows_the_rules"),
    (Table, "apply", restart, "follows_the_rules"),
    (Table, "memory_text", forget, "recalls_all"),
    (Table, "__deepcopy__", share, "copies_are_independent"),
    (Table, "__reduce__", reduce_without_resampling, "copies_are_independent"),
]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[type[ToyState]], None]]:
    """Put the toy, or a broken variant of it, into the registry of games for the time of a test."""

    def put(start: type[ToyState]) -> None:
        monkeypatch.setitem(games._GAMES, "toy", replace(TOY, start=start))
        layouts._encoder.cache_clear()
        if start is NeverEnds:  # a layout cannot be found by playing it
            monkeypatch.setattr(layouts, "encoder", lambda *_: sound)

    put(ToyState)
    sound = layouts.encoder("toy", *TOY.settle(SEATS))
    yield put
    layouts._encoder.cache_clear()


def name_of(value: Any) -> str:
    return str(getattr(value, "__name__", value))


def find(check: Callable[..., None], subject: Any) -> None:
    """Run a check on all cases; it has to fail."""
    with pytest.raises(AssertionError):
        for case in cases():
            check(subject, case)


@pytest.mark.parametrize("library", ["zoo", "spiel"])
def test_the_sound_toy_passes(library: str, plant: Callable[[type[ToyState]], None]) -> None:
    subject = MatchEnv("toy", SEATS) if library == "zoo" else openspiel.load("toy", SEATS)
    found = [check for name, check in inspect.getmembers(adapters) if name.startswith(f"check_{library}_")]
    assert len(found) >= 3
    for check in found:
        for case in cases():
            check(subject, case)


@pytest.mark.parametrize(("broken", "check"), GAMES, ids=name_of)
@pytest.mark.parametrize("library", ["zoo", "spiel"])
def test_a_fault_of_a_game_is_found(
    library: str, broken: type[ToyState], check: str, plant: Callable[[type[ToyState]], None]
) -> None:
    plant(broken)
    subject = MatchEnv("toy", SEATS) if library == "zoo" else openspiel.load("toy", SEATS)
    find(getattr(adapters, f"check_{library}_{check}"), subject)


@pytest.mark.parametrize(
    ("broken", "check"), ENVIRONMENTS, ids=lambda value: getattr(value, "__name__", value)
)
def test_a_fault_of_the_environment_is_found(
    broken: type[MatchEnv], check: str, plant: Callable[[type[ToyState]], None]
) -> None:
    find(getattr(adapters, f"check_zoo_{check}"), broken("toy", SEATS))


@pytest.mark.parametrize("broken", [fault for fault, _ in ENVIRONMENTS if fault is not IgnoresTheSeed])
def test_pettingzoo_does_not_find_it(broken: type[MatchEnv], plant: Callable[[type[ToyState]], None]) -> None:
    api_test(broken("toy", SEATS), num_cycles=60)


@pytest.mark.parametrize(("owner", "name", "fault", "check"), SPIELS, ids=name_of)
def test_a_fault_of_the_spiel_is_found(
    owner: Any,
    name: str,
    fault: Callable[..., Any],
    check: str,
    plant: Callable[[type[ToyState]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(owner, name, fault)
    find(getattr(adapters, f"check_spiel_{check}"), openspiel.load("toy", SEATS))


@pytest.mark.parametrize(
    ("owner", "name", "fault"),
    [fault[:3] for fault in SPIELS if fault[2] not in (restart, share)],
    ids=name_of,
)
def test_openspiel_does_not_find_it(
    owner: Any,
    name: str,
    fault: Callable[..., Any],
    plant: Callable[[type[ToyState]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(owner, name, fault)
    game = openspiel.load("toy", SEATS)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    games_sim_test.GamesSimTest().sim_game(game)
