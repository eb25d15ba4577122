"""Records: to bytes and back, and everything that is refused."""

from typing import Any

import pytest

from engine import games
from engine.errors import BadRecord
from engine.match import play, run
from engine.record import Record, canonical


def a_record(game_id: str = "hana_awase") -> Record:
    game = games.get(game_id)
    seats, options = game.settle()
    return run(play(game, seats=seats, options=options, seed=bytes(32)), lambda ask: 0).record


@pytest.mark.parametrize("game", games.all_games(), ids=lambda game: game.id)
def test_a_record_survives_its_bytes_and_replays(game: Any) -> None:
    record = a_record(game.id)
    again = Record.from_bytes(record.to_bytes())
    assert again == record
    assert again.to_bytes() == record.to_bytes()
    assert again.final().to_move is None


def test_canonical_json_has_sorted_keys_and_no_spaces() -> None:
    assert canonical({"b": [1, "ä"], "a": None}) == '{"a":null,"b":[1,"ä"]}'.encode()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"game": "whist"}, "whist"),
        ({"seats": 9}, "seats is 9"),
        ({"seats": True}, "seats is True"),
        ({"options": {"rounds": 99}}, "rounds is 99"),
        ({"options": []}, "an object"),
        ({"seed": "xyz"}, "cannot be played"),
        ({"seed": "AB"}, "lower-case hex"),
        ({"seed": 5}, "lower-case hex"),
        ({"actions": "play:1-crane"}, "list of texts"),
        ({"actions": [1]}, "list of texts"),
        ({"more": 1}, "fields"),
    ],
)
def test_a_record_that_cannot_be_is_refused_with_the_reason(change: dict[str, Any], says: str) -> None:
    with pytest.raises(BadRecord, match=says):
        Record.from_json({**a_record().to_json(), **change})


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b'"x"', b"\xff", b"1"])
def test_bytes_that_are_no_record_are_refused(data: bytes) -> None:
    with pytest.raises(BadRecord):
        Record.from_bytes(data)


def test_an_action_that_is_not_legal_is_named_with_its_step() -> None:
    data = a_record().to_json()
    data["actions"][3] = "play:nothing"
    with pytest.raises(BadRecord, match=r"action 3 \('play:nothing'\)"):
        Record.from_json(data).final()


def test_a_record_that_ends_too_soon_or_too_late_is_refused() -> None:
    data = a_record().to_json()
    short = Record.from_json({**data, "actions": data["actions"][:-1]})
    with pytest.raises(BadRecord, match="not over"):
        short.final()
    long = Record.from_json({**data, "actions": [*data["actions"], data["actions"][-1]]})
    with pytest.raises(BadRecord, match="after the end"):
        long.final()
