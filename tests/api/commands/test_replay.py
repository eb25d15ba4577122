"""`fudaba replay`: which files can be read, whose view is shown, and how cards look."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from api.commands import cards, fudaba
from api.commands.replay import fields, read, steps
from engine import games
from engine.match import play, run
from engine.policies import RandomPolicy
from engine.record import Record
from engine.rng import Stream

GAMES = [game.id for game in games.all_games()]


def a_record(game_id: str = "hana_awase", seed: bytes = b"a seed") -> Record:
    game = games.get(game_id)
    rounds = {"rounds": 1} if any(option.name == "rounds" for option in game.options) else {}
    seats, options = game.settle(None, rounds)
    policy = RandomPolicy(game, Stream("replay"))
    return run(play(game, seats=seats, options=options, seed=seed), policy.act).record


def replay(file: Path, *arguments: str) -> Result:
    return CliRunner().invoke(fudaba, ["replay", str(file), *arguments])


def a_file(folder: Path, *lines: bytes) -> Path:
    file = folder / "records.ndjson"
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    return file


def tournament_lines(*records: Record) -> list[bytes]:
    """Return the lines of a tournament record with an event for each of these matches."""
    events = [{"game": r.game, "seats": r.seats, "options": dict(r.options), "deals": 1} for r in records]
    lines: list[dict[str, Any]] = [{"kind": "header", "format": 1, "events": events}]
    lines += [{"kind": "entrant", "number": number} for number in range(3)]
    for event, record in enumerate(records):
        played = {"seed": record.seed.hex(), "actions": list(record.actions)}
        lines.append({"kind": "match", "event": event, "number": 0, "scores": [], **played})
    lines.append({"kind": "end", "lines": len(lines) + 1})
    return [json.dumps(line).encode() for line in lines]


@pytest.mark.parametrize("game_id", GAMES)
def test_every_step_of_every_game_is_shown_to_all_and_to_each_seat(tmp_path: Path, game_id: str) -> None:
    record = a_record(game_id)
    file = a_file(tmp_path, record.to_bytes())
    for arguments in ((), ("--seat", "1")):
        result = replay(file, *arguments)
        assert result.exit_code == 0, result.output
        assert result.stdout.count("\nstep ") == len(record.actions)
        final = record.final()
        ending = [line.split() for line in result.stdout.splitlines()[-record.seats :]]
        assert [[int(word) for word in row] for row in ending] == [
            [seat, final.scores()[seat], final.placements()[seat]] for seat in range(record.seats)
        ]


@pytest.mark.parametrize("game_id", GAMES)
def test_no_card_code_or_action_text_is_left_as_it_is(game_id: str) -> None:
    record = a_record(game_id)
    for step in steps(record, range(record.seats)):
        for text in (step.move, *step.legal, *(text for _, text in step.events)):
            shown = cards.action(text).plain
            assert ":" not in shown
            assert "+" not in shown
        assert all(cards.card(code) for view in step.views.values() for code in view["hand"])


def test_a_single_record_may_span_lines(tmp_path: Path) -> None:
    record = a_record()
    file = tmp_path / "record.json"
    file.write_text(json.dumps(record.to_json(), indent=2))
    assert read(file, 0) == record


def test_the_match_is_chosen_by_its_place_in_the_file(tmp_path: Path) -> None:
    records = [a_record(seed=bytes([number])) for number in range(3)]
    file = a_file(tmp_path, *(record.to_bytes() for record in records))
    assert [read(file, number) for number in range(3)] == records
    result = replay(file, "--match", "3")
    assert result.exit_code == 2
    assert "match 3 is not in it; it has 3" in result.stderr


def test_the_record_of_a_tournament_is_joined_with_its_events(tmp_path: Path) -> None:
    records = [a_record("hana_awase"), a_record("seiten")]
    file = a_file(tmp_path, *tournament_lines(*records))
    assert [read(file, 0), read(file, 1)] == records


def test_a_seat_sees_neither_other_hands_nor_their_choices(tmp_path: Path) -> None:
    record = a_record()
    file = a_file(tmp_path, record.to_bytes())
    steps_of_1 = json.loads(replay(file, "--seat", "1", "--json").stdout)["steps"]
    assert all(list(step["views"]) == ["1"] for step in steps_of_1)
    assert all(not step["legal"] for step in steps_of_1 if step["seat"] != 1)
    assert "hand 0" not in replay(file, "--seat", "1").stdout


def test_what_a_seat_may_not_know_of_a_move_is_not_told() -> None:
    record = a_record("hachinin_meri")
    discard = next(text for text in record.actions if text.startswith("discard:"))
    found = {seat: {step.move for step in steps(record, (seat,))} for seat in range(8)}
    assert sum(discard in moves for moves in found.values()) == 1
    assert sum("discard:?" in moves for moves in found.values()) == 7


def test_what_followed_a_decision_is_shown_with_it() -> None:
    record = a_record()
    told = [text for step in steps(record, (0, 1, 2)) for _, text in step.events]
    assert sum(text.startswith("draw:") for text in told) == 21


def test_what_seats_see_differently_is_shown_by_seat() -> None:
    views = {
        seat: {"hand": [str(seat)], "trump": "K", "robai": "x" if seat == 1 else "y"} for seat in range(3)
    }
    shown = fields(views)
    assert shown == {
        "hand 0": ["0"],
        "hand 1": ["1"],
        "hand 2": ["2"],
        "trump": "K",
        "robai": "y",
        "robai 1": "x",
    }


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "match 0 is not in it; it has 0"),
        (b"not json", "line 1: JSON is malformed"),
        (b'{"game": "hana_awase"}', "a record is an object with the fields"),
        (b'{"kind": "match", "event": 0, "seed": "00", "actions": []}', "a match before the header"),
    ],
)
def test_an_unreadable_file_is_refused_with_the_reason(tmp_path: Path, content: bytes, says: str) -> None:
    result = replay(a_file(tmp_path, content), "--seat", "0")
    assert result.exit_code == 2
    assert says in result.stderr


def test_a_record_that_does_not_replay_is_refused_before_anything_is_shown(tmp_path: Path) -> None:
    data = a_record().to_json()
    data["actions"][5] = "play:1-nothing"
    result = replay(a_file(tmp_path, json.dumps(data).encode()))
    assert result.exit_code == 2
    assert "action 5 ('play:1-nothing') is not legal" in result.stderr
    assert result.stdout == ""


def test_a_seat_that_is_not_there_is_refused(tmp_path: Path) -> None:
    file = a_file(tmp_path, a_record().to_bytes())
    for seat in ("3", "-1", "one"):
        result = replay(file, "--seat", seat)
        assert result.exit_code == 2
        assert "allowed: all, or a seat from 0 to 2" in result.stderr


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("1-crane", "★1 pine crane"),
        ("9-rib", "▬9 chrysanthemum ribbon"),
        ("11-swallow", "●11 willow swallow"),
        ("12-k2", "·12 paulownia junk 2"),
        ("K-Robai", "Koppu Robai"),
        ("P-9", "Pao 9"),
        ("P15", "purple 15"),
        ("K1", "black 1"),
    ],
)
def test_cards_are_named_for_people(code: str, shown: str) -> None:
    found = cards.card(code)
    assert found is not None
    assert found.plain == shown


def test_lines_are_broken_between_cards_only() -> None:
    hand = cards.value("hand", ["1-crane", "9-cup", "12-phoenix"])
    assert [line.plain for line in cards.lines(hand, 40)] == [
        "★1 pine crane  ●9 chrysanthemum cup",
        "★12 paulownia phoenix",
    ]
