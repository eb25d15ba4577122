"""The layout of the vectors of a game, found by playing it: which fields and words its observations have."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from engine import games
from engine.adapters.encoding import LEFT_OUT, UNNAMED, Encoder, is_bag, is_events, marks
from engine.contract import Observation
from engine.options import OptionValue
from engine.rng import Stream

# What is looked at: so many matches and decisions at least, one decision of so many; and so many deals.
_MATCHES, _DECISIONS, _SHARE, _DEALS = 16, 4000, 6, 200
_SEAT = re.compile(r"/\d+")
_PLACE = re.compile(r"\.\d+(?=[.=+]|$)")


def encoder(game_id: str, seats: int, options: dict[str, OptionValue]) -> Encoder:
    """Return the encoder for a game with these seats and all of these options; it is always the same one."""
    return _encoder(game_id, seats, tuple(options.items()))


@lru_cache(maxsize=64)
def _encoder(game_id: str, seats: int, options: tuple[tuple[str, OptionValue], ...]) -> Encoder:
    seen = list(_observations(game_id, seats, dict(options)))
    survey = _Survey(seats)
    for observation in seen:
        survey.find_kinds(observation)
    for observation in seen:
        survey.find_marks(observation)
    state = games.get(game_id).new_match(seats=seats, options=dict(options), seed=b"")
    for action in range(games.get(game_id).actions(seats, dict(options))):
        survey.add_action(state.action_text(action))
    return Encoder(survey.slots(), sorted(survey.by_place), sorted(survey.nullable))


def _observations(game_id: str, seats: int, options: dict[str, OptionValue]) -> Iterator[Observation]:
    """Yield observations from random matches, and what the seats see of many deals."""
    game, rng = games.get(game_id), Stream(f"layout of {game_id}")
    made = number = 0
    while made < _DECISIONS or number < _MATCHES:
        state = game.new_match(seats=seats, options=options, seed=b"layout/%d" % number)
        while state.to_move is not None:
            if rng.below(_SHARE) == 0:
                yield state.observation(state.to_move)
            state.apply(rng.choice(state.legal_actions()))
            made += 1
        number += 1
        yield state.observation(rng.below(seats))
    for number in range(_DEALS):
        state = game.new_match(seats=seats, options=options, seed=b"deal/%d" % number)
        for seat in range(seats):
            yield state.observation(seat)


class _Survey:
    """What is found in the observations of one game."""

    def __init__(self, seats: int) -> None:
        self.by_place: set[str] = set()
        self.nullable: set[str] = set()
        self._seats = seats
        self._cards: set[str] = set()
        self._names: set[str] = {UNNAMED}
        self._event_paths = {"history"}
        self._noted: set[tuple[str, str]] = set()
        self._words: dict[str, set[str]] = defaultdict(set)  # by stem and the sign before the word

    def find_kinds(self, observation: Observation) -> None:
        """Note the cards in the hand, the fields that are null, and the lists of words that have gaps."""
        self._cards.update(observation["hand"])
        for name, value in observation.items():
            if name not in LEFT_OUT:
                self._find_kind(name, value)

    def _find_kind(self, path: str, value: Any) -> None:
        if value is None:
            self.nullable.add(path)
        elif isinstance(value, dict):
            for name, part in value.items():
                self._find_kind(f"{path}.{name}", part)
        elif isinstance(value, list) and not is_events(value):
            if None in value:
                self.by_place.add(path)
            for place, part in enumerate(value):
                if not isinstance(part, str):
                    self._find_kind(f"{path}.{place}", part)

    def find_marks(self, observation: Observation) -> None:
        """Note the names of all marks of an observation."""
        for name, value in observation.items():
            if name not in LEFT_OUT:
                self._find_mark(name, value)

    def _find_mark(self, path: str, value: Any) -> None:
        if path in self.nullable:
            self._names.add(path + "?")
        if isinstance(value, str):
            self._add_text(path, value)
        elif isinstance(value, dict):
            for name, part in value.items():
                self._find_mark(f"{path}.{name}", part)
        elif isinstance(value, list):
            self._find_list(path, value)
        elif value is not None:
            self._names.add(path)

    def _find_list(self, path: str, value: list[Any]) -> None:
        self._names.add(path + "#")
        if is_events(value):
            self._event_paths.add(path)
            for seat, text in value:
                self._add_text(f"{path}/{seat}", text)
        elif is_bag(value) and path not in self.by_place:
            for word in value:
                self._add_text(path, word)
        else:
            for place, part in enumerate(value):
                self._find_mark(f"{path}.{place}", part)

    def add_action(self, text: str) -> None:
        """Note what the text of an action says, wherever the like was seen."""
        for path in self._event_paths:
            self._add_text(f"{path}/0", text)

    def _add_text(self, path: str, text: str) -> None:
        """Note what a text says; what one seat has said any seat may say."""
        if (path, text) in self._noted:
            return
        self._noted.add((path, text))
        for mark in marks(path, text):
            for seat in range(self._seats) if "/" in mark.stem else (0,):
                stem = _SEAT.sub(f"/{seat}", mark.stem)
                if mark.word:
                    self._words[stem + mark.word[0]].add(mark.word[1:])
                else:
                    self._names.add(stem)

    def slots(self) -> list[str]:
        """Return the names of all slots, sorted.

        Where one card was seen, any card may be; what was seen at one place of a list may be at any.
        """
        shared: dict[str, set[str]] = defaultdict(set)
        for stem, words in self._words.items():
            shared[_PLACE.sub(".*", stem)] |= words
        names = set(self._names)
        for stem in self._words:
            words = shared[_PLACE.sub(".*", stem)]
            if words & self._cards:
                words = words | self._cards
            names.update(stem + word for word in words)
        return sorted(names)
