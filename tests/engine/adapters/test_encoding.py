"""The vector says what the observation says, under names that a bot can rely on."""

import json
from typing import Any

import numpy as np
import pytest
from support.adapters import short

from engine.adapters import layouts
from engine.adapters.encoding import LARGEST, LEFT_OUT, UNNAMED, Encoder
from engine.contract import Game, Observation
from engine.games import all_games, get
from engine.rng import Stream

every_game = pytest.mark.parametrize("game", all_games(), ids=lambda game: game.id)
PACKS = {"seiten": 52, "sakura": 48, "sutda": 20, "hachinin_meri": 75, "hana_awase": 48, "minhwatu": 48}


def encoder_of(game: Game, seats: int | None = None) -> Encoder:
    """The encoder for the shortest match of a game."""
    count, _ = game.settle(seats)
    return layouts.encoder(game.id, count, short(game, count))


def observations(game: Game, matches: int) -> list[Observation]:
    """What the seats to move see in random matches."""
    seen, rng = [], Stream("observations")
    for number in range(matches):
        state = game.new_match(options=short(game, game.default_seats), seed=b"encoding %d" % number)
        while state.to_move is not None:
            seen.append(state.observation(state.to_move))
            state.apply(rng.choice(state.legal_actions()))
        seen.append(state.observation(0))
    return seen


def said(encoder: Encoder, observation: Observation) -> dict[str, float]:
    """The names and values of all elements that are not 0."""
    vector = encoder.encode(observation)
    return {encoder.slots[index]: float(vector[index]) for index in np.flatnonzero(vector)}


TINY: dict[str, Any] = {
    "game": "tiny",
    "legal": ["play:B1"],
    "scores": [3, -4],
    "hand": ["B1", "B2"],
    "leader": 0,
    "held": [None, "B2"],
    "won": {"first": [[1, 0]]},
    "history": [[0, "play:B2+B1"], [1, "bid:7"], [0, "pass"]],
    "done": True,
}
NAMES = (
    *("scores#", "scores.0", "scores.1", "hand#", "hand=B1", "hand=B2", "leader", "leader?"),
    *("held#", "held.0=B2", "held.1=B2", "won.first#", "won.first.0#", "won.first.0.0", "won.first.0.1"),
    *(
        "history#",
        "history/0.play=B2",
        "history/0.play+B1",
        "history/1.bid",
        "history/0=pass",
        "done",
        UNNAMED,
    ),
)


def test_every_kind_of_field_has_its_slots() -> None:
    assert said(Encoder(NAMES, ["held"], ["leader"]), TINY) == pytest.approx(
        {
            **{"scores#": 2, "scores.0": 3, "scores.1": -4, "hand#": 2, "hand=B1": 1, "hand=B2": 1},
            **{"leader?": 1, "held#": 2, "held.1=B2": 1, "won.first#": 1, "won.first.0#": 2},
            **{"won.first.0.0": 1, "history#": 3, "history/0.play=B2": 1 / 3, "history/0.play+B1": 1 / 3},
            **{"history/1.bid": 7, "history/0=pass": 1, "done": 1},
        }
    )


def test_what_has_no_slot_is_counted_and_numbers_are_cut() -> None:
    encoder = Encoder(["pot", UNNAMED], [], [])
    assert said(encoder, {"pot": 10**9, "hand": ["B1", "B2"]}) == {"pot": LARGEST, UNNAMED: 3}
    assert said(encoder, {"pot": -(10**9)}) == {"pot": -LARGEST}


def test_a_vector_is_the_callers_own() -> None:
    encoder = Encoder(NAMES, ["held"], ["leader"])
    first = encoder.encode(TINY)
    first.fill(9)
    assert encoder.encode(TINY)[0] == 2


@every_game
def test_an_encoder_survives_json(game: Game) -> None:
    encoder = encoder_of(game)
    again = Encoder.from_json(json.loads(json.dumps(encoder.to_json())))
    assert again.to_json() == encoder.to_json()
    for observation in observations(game, 1):
        assert (again.encode(observation) == encoder.encode(observation)).all()


@every_game
def test_a_layout_is_the_same_wherever_it_is_made(game: Game) -> None:
    first = encoder_of(game).slots
    layouts._encoder.cache_clear()
    assert encoder_of(game).slots == first


@every_game
@pytest.mark.parametrize("size", [min, max])
def test_every_card_of_the_pack_has_a_slot_in_the_hand(game: Game, size: Any) -> None:
    slots = encoder_of(game, size(game.seats)).slots
    assert sum(name.startswith("hand=") for name in slots) == PACKS[game.id]


@every_game
def test_every_action_of_every_seat_has_a_slot_in_the_history(game: Game) -> None:
    encoder = encoder_of(game)
    seats, options = game.settle(None, short(game, game.default_seats))
    state = game.new_match(seats=seats, options=options, seed=b"")
    for seat in range(seats):
        for action in range(game.actions(seats, options)):
            history = [[seat, state.action_text(action)]]
            assert UNNAMED not in said(encoder, {"history": history}), history


@every_game
def test_hardly_anything_in_a_match_is_without_a_slot(game: Game) -> None:
    encoder = encoder_of(game)
    lost = [UNNAMED in said(encoder, observation) for observation in observations(game, 20)]
    assert sum(lost) <= len(lost) / 50


@every_game
def test_two_observations_that_differ_are_two_vectors(game: Game) -> None:
    encoder, vectors = encoder_of(game), {}
    for observation in observations(game, 10):
        told = {name: value for name, value in observation.items() if name not in LEFT_OUT}
        vector = encoder.encode(observation)
        if not vector[encoder.slots.index(UNNAMED)]:
            assert vectors.setdefault(vector.tobytes(), told) == told


def test_an_encoder_is_made_once() -> None:
    seats, options = get("seiten").settle()
    assert layouts.encoder("seiten", seats, options) is layouts.encoder("seiten", seats, dict(options))
