"""The conformance checks bite: each fault that is planted in a game that keeps the contract is found."""

import itertools
from dataclasses import replace
from typing import Any, Self

import pytest
from support import conformance
from support.conformance import CHECKS, Check, Setup, check_bad_options
from support.toy import CARDS, TEXTS, TOY, ToyState

from engine.contract import Action, Game, Observation, Seat, rank_high_to_low
from engine.errors import IllegalAction
from engine.games import get
from engine.games.seiten import SeitenState
from engine.options import Flag
from engine.rng import Stream

COUNTER = itertools.count()


def matches(game: Game) -> list[Setup]:
    """Return a few matches of every seat count."""
    return [
        Setup(game=game, seats=seats, options={}, seed=bytes([n, seats]), choices=f"{n}")
        for seats in game.seats
        for n in range(8)
    ]


class Lenient(Flag):
    def check(self, value: object) -> bool:
        return bool(value)


class ShowsAHand(ToyState):
    def observation(self, seat: Seat) -> Observation:
        return super().observation(seat) | {"next": list(self.hands[(seat + 1) % self.seats])}


class ShowsTheLegalActionsOfOthers(ToyState):
    def observation(self, seat: Seat) -> Observation:
        seen = super().observation(seat)
        return seen | {"legal": [TEXTS[action] for action in self.legal_actions()]}


class ShowsTheSeed(ToyState):
    def observation(self, seat: Seat) -> Observation:
        return super().observation(seat) | {"note": self.seed.hex()}


class GuessesTheTruth(ToyState):
    def determinize(self, seat: Seat, rng: Stream) -> Self:
        return self.clone()


class LosesACard(ToyState):
    def determinize(self, seat: Seat, rng: Stream) -> Self:
        copy = super().determinize(seat, rng)
        copy.hands[seat - 1] = copy.hands[seat - 1][1:]
        return copy


class DoublesACard(ToyState):
    def determinize(self, seat: Seat, rng: Stream) -> Self:
        copy = super().determinize(seat, rng)
        copy.hands[seat - 1] = copy.hands[seat][: len(copy.hands[seat - 1])]
        return copy


class WrongWinner(ToyState):
    def placements(self) -> list[int]:
        return rank_high_to_low([-score for score in self.scores()])


class TiesSkipNoPlace(ToyState):
    def placements(self) -> list[int]:
        ranks = sorted(set(self.scores()), reverse=True)
        return [ranks.index(score) + (score != ranks[0]) + 1 for score in self.scores()]


class TellsScoresTooEarly(ToyState):
    def scores(self) -> list[int]:
        return list(self.points)


class HidesAnAction(ToyState):
    def legal_actions(self) -> list[Action]:
        return super().legal_actions()[:1]

    def apply(self, action: Action) -> None:
        if self.to_move is None or action not in self.hands[self.to_move]:
            raise IllegalAction(f"action {action} is not open")
        self.hands[self.to_move].remove(action)
        self.hands[self.to_move].insert(0, action)
        super().apply(action)


class OffersTooMuch(ToyState):
    def legal_actions(self) -> list[Action]:
        return sorted({*super().legal_actions(), CARDS - 1}) if self.to_move is not None else []

    def apply(self, action: Action) -> None:
        if action not in super().legal_actions():
            raise IllegalAction(f"action {action} is not open")
        super().apply(action)


class OffersNothing(ToyState):
    def legal_actions(self) -> list[Action]:
        return super().legal_actions()[1:]


class OffersInDisorder(ToyState):
    def legal_actions(self) -> list[Action]:
        return super().legal_actions()[::-1]


class NeverEnds(ToyState):
    def end_round(self) -> None:
        self.deal()


class ChangesBeforeItRefuses(ToyState):
    def apply(self, action: Action) -> None:
        if self.to_move is not None and action not in self.legal_actions():
            self.to_move = (self.to_move + 1) % self.seats
            raise IllegalAction(f"action {action} is not open")
        super().apply(action)


class ReusesABuffer(ToyState):
    def observation(self, seat: Seat) -> Observation:
        return super().observation(seat) | {"history": self.history}


class TellsTuples(ToyState):
    def observation(self, seat: Seat) -> Observation:
        return super().observation(seat) | {"table": tuple(self.trick)}


class ClonesHalf(ToyState):
    def clone(self) -> Self:
        copy = super().clone()
        copy.points = self.points
        return copy


class DealsByTheClock(ToyState):
    def deal(self) -> None:
        self.seed = b"%d" % next(COUNTER)
        super().deal()


class TextsAreAmbiguous(ToyState):
    def action_text(self, action: Action) -> str:
        return TEXTS[action // 2]


class NamesAnything(ToyState):
    def action_text(self, action: Action) -> str:
        return TEXTS[action] if 0 <= action < len(TEXTS) else f"play:{action}"


class CountsSeatsFromTheEnd(ToyState):
    def observation(self, seat: Seat) -> Observation:
        return super().observation(seat % self.seats if isinstance(seat, int) else seat)


class ReadsAnything(ToyState):
    def parse_action(self, text: str) -> Action:
        return TEXTS.index(text) if text in TEXTS else 0


class KeepsTheOldHistory(ToyState):
    def deal(self) -> None:
        kept = getattr(self, "history", [])
        super().deal()
        self.history = kept


class ForgetsADecision(ToyState):
    def apply(self, action: Action) -> None:
        super().apply(action)
        if action == 0:
            self.history = self.history[:-1]


class TellsItTwice(ToyState):
    def apply(self, action: Action) -> None:
        super().apply(action)
        self.history = [*self.history, *self.history[-1:]]


class LacksAField(ToyState):
    def observation(self, seat: Seat) -> Observation:
        return {name: value for name, value in super().observation(seat).items() if name != "phase"}


class SeitenShowsTheDeal(SeitenState):
    def observation(self, seat: Seat) -> Observation:
        return super().observation(seat) | {"next": super().observation((seat + 1) % self._seats)["hand"]}


class SeitenLosesCards(SeitenState):
    def determinize(self, seat: Seat, rng: Stream) -> Self:
        copy = super().determinize(seat, rng)
        copy._hands = [hand[:-1] if other != seat else hand for other, hand in enumerate(copy._hands)]
        return copy


FAULTS: list[tuple[Any, Check]] = [
    (ShowsAHand, conformance.check_hidden_cards),
    (ShowsTheLegalActionsOfOthers, conformance.check_common_fields),
    (GuessesTheTruth, conformance.check_hidden_cards),
    (LosesACard, conformance.check_hidden_cards),
    (DoublesACard, conformance.check_hidden_cards),
    (WrongWinner, conformance.check_results),
    (TiesSkipNoPlace, conformance.check_results),
    (TellsScoresTooEarly, conformance.check_results),
    (HidesAnAction, conformance.check_illegal_actions),
    (OffersTooMuch, conformance.check_legal_actions_apply),
    (OffersNothing, conformance.check_play_ends),
    (OffersInDisorder, conformance.check_play_ends),
    (NeverEnds, conformance.check_play_ends),
    (ChangesBeforeItRefuses, conformance.check_illegal_actions),
    (ReusesABuffer, conformance.check_observation_is_fresh),
    (TellsTuples, conformance.check_observation_is_fresh),
    (ClonesHalf, conformance.check_clone),
    (DealsByTheClock, conformance.check_replay),
    (TextsAreAmbiguous, conformance.check_texts),
    (NamesAnything, conformance.check_texts),
    (ReadsAnything, conformance.check_texts),
    (CountsSeatsFromTheEnd, conformance.check_seats),
    (KeepsTheOldHistory, conformance.check_history),
    (ForgetsADecision, conformance.check_history),
    (TellsItTwice, conformance.check_history),
    (LacksAField, conformance.check_common_fields),
]


@pytest.mark.parametrize("check", CHECKS)
def test_the_sound_toy_passes(check: Check) -> None:
    for setup in matches(TOY):
        check(setup)


@pytest.mark.parametrize(("broken", "check"), FAULTS, ids=lambda value: value.__name__)
def test_a_planted_fault_is_found(broken: Any, check: Check) -> None:
    with pytest.raises(AssertionError):
        for setup in matches(replace(TOY, start=broken)):
            check(setup)


def test_a_shown_seed_is_found() -> None:
    setup = Setup(game=replace(TOY, start=ShowsTheSeed), seats=2, options={}, seed=bytes(32), choices="x")
    with pytest.raises(AssertionError, match="the seed is shown"):
        conformance.check_common_fields(setup)


@pytest.mark.parametrize("broken", [SeitenShowsTheDeal, SeitenLosesCards])
def test_a_fault_planted_in_a_real_game_is_found(broken: type[SeitenState]) -> None:
    with pytest.raises(AssertionError):
        for setup in matches(replace(get("seiten"), start=broken.start)):
            conformance.check_hidden_cards(setup)


def test_a_greedy_that_answers_what_is_not_legal_is_found() -> None:
    with pytest.raises(AssertionError, match="greedy answers"):
        conformance.check_greedy(matches(replace(TOY, greedy=lambda observation: "play:C0"))[0])


def test_options_that_are_not_checked_are_found() -> None:
    check_bad_options(TOY)
    with pytest.raises(AssertionError, match="is accepted"):
        check_bad_options(replace(TOY, options=(TOY.options[0], Lenient("lowest", False, "checks nothing"))))
