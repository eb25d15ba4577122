"""`fudaba play`: who can play, what is told of it, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.endpoints import FirstLegal, first_legal

from api.commands import fudaba
from engine.record import Record

SHORT = ("--deals", "2", "--option", "rounds=1")
RAISES = """
def act(observation):
    if len(observation["hand"]) == 3:
        raise ValueError("three cards left")
    return observation["legal"][0]
"""


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(fudaba, ["play", *map(str, arguments)])


def played(*arguments: str | Path, seed: str | None = "spring") -> dict[str, Any]:
    result = run(*arguments, "--json", *(() if seed is None else ("--seed", seed)))
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_standings_rank_every_bot_over_all_rotations_of_every_deal() -> None:
    found = played("hana_awase", "greedy", "random", "first", "random", *SHORT)
    tables, rotations, deals = 4, 3, 2
    assert found["matches"] == tables * rotations * deals
    assert sorted(row["bot"] for row in found["standings"]) == ["first", "greedy", "random", "random#2"]
    assert [row["place"] for row in found["standings"]] == [1, 2, 3, 4]
    assert all(row["matches"] == 3 * rotations * deals for row in found["standings"])
    for row in found["standings"]:
        low, high = row["interval"]
        assert 0 <= low <= row["points"] <= high <= 1


def test_the_same_seed_gives_the_same_result_and_another_one_another() -> None:
    arguments = ("sutda", "random", "random", "greedy", "--seats", "3", "--deals", "6")
    once = played(*arguments)
    assert played(*arguments) == once
    assert played(*arguments, seed="autumn")["standings"] != once["standings"]


def test_without_a_seed_a_new_one_is_taken_and_told() -> None:
    first, second = (played("seiten", "first", "--deals", "1", seed=None) for _ in range(2))
    assert first["seed"] != second["seed"]
    assert played("seiten", "first", "--deals", "1", seed=first["seed"]) == first


def test_records_are_written_in_order_and_replay(tmp_path: Path) -> None:
    file = tmp_path / "records.ndjson"
    played("minhwatu", "greedy", "random", "first", *SHORT, "--record", file)
    lines = file.read_bytes().splitlines()
    records = [Record.from_bytes(line) for line in lines]
    assert len(records) == 6
    assert [record.to_bytes() for record in records] == lines
    assert all(record.final().to_move is None for record in records)
    assert [records[0].seed, records[1].seed] * 3 == [record.seed for record in records]


def test_fillers_play_and_are_not_ranked() -> None:
    found = played("seiten", "random", "first", "--deals", "1")
    ranked, fillers = found["standings"][:2], found["standings"][2:]
    assert [row["place"] for row in ranked] == [1, 2]
    assert sorted(row["bot"] for row in fillers) == ["house/greedy", "house/greedy#2"]
    assert all(row["filler"] and row["place"] is None for row in fillers)


def test_a_team_is_one_bot_on_all_its_seats() -> None:
    found = played("hachinin_meri", "greedy", "random", "--option", "rounds=1", "--deals", "3")
    assert found["matches"] == 6
    assert sum(row["points"] for row in found["standings"]) == pytest.approx(1)
    assert [row["bot"] for row in found["standings"]] == ["greedy", "random"]


def test_people_get_a_table_with_settings_places_and_reasons() -> None:
    result = run("hana_awase", "greedy", "random", "first", *SHORT, "--seed", "text")
    assert result.exit_code == 0
    assert "seed text" in result.stdout
    assert "rounds=1" in result.stdout
    assert "ahead by points" in result.stdout
    assert all(name in result.stdout for name in ("greedy", "random", "first"))


def test_faults_are_counted_for_their_bot_alone_with_the_first_ones_traceback(tmp_path: Path) -> None:
    (tmp_path / "three.py").write_text(RAISES)
    arguments = ("hana_awase", "random", tmp_path / "three.py", "first", "--deals", "4", "--unsafe")
    found = played(*arguments, "--option", "rounds=1")
    (faults,) = found["faults"]
    assert found["sandbox"] == "none"
    assert faults["bot"] == "three.py"
    assert faults["codes"] == {"exception": faults["count"]}
    assert {row["bot"]: row["faults"] for row in found["standings"]} == {
        "random": 0,
        "first": 0,
        "three.py": faults["count"],
    }
    assert 'raise ValueError("three cards left")' in faults["first"]["evidence"]["traceback"]
    assert faults["first"]["match"] == 0


def test_people_see_the_first_fault_of_a_bot(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def act(observation):\n    return 'nothing'\n")
    result = run("hana_awase", tmp_path / "bad.py", *SHORT, "--unsafe", "--seed", "7")
    assert result.exit_code == 0
    assert "18 illegal" in result.stdout
    assert "the first: match 0" in result.stdout
    assert "'nothing' is not legal here" in result.stdout


@pytest.mark.needs("bubblewrap")
def test_a_module_plays_in_a_sandbox(tmp_path: Path) -> None:
    (tmp_path / "last.py").write_text("def act(observation):\n    return observation['legal'][-1]\n")
    found = played("hana_awase", tmp_path / "last.py", "random", *SHORT)
    assert found["sandbox"].partition("+")[0] in ("bwrap", "landlock")
    assert found["faults"] == []


def test_an_endpoint_on_this_machine_plays_and_gets_signed_requests() -> None:
    FirstLegal.signatures.clear()
    with first_legal() as url:
        found = played("seiten", url, "first", "--deals", "1", "--secret", "hush")
    assert found["faults"] == []
    assert {row["bot"] for row in found["standings"]} >= {url, "first"}
    assert FirstLegal.signatures
    assert all(signature.startswith("v1=") for signature in FirstLegal.signatures)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("chess", "random"), "game 'chess' is unknown"),
        (("hana_awase",), "BOT"),
        (("hana_awase", "nobody"), "bot 'nobody' is unknown; allowed: random, first, greedy"),
        (("hana_awase", "no.py"), "bot 'no.py' cannot be read: No such file"),
        (("hana_awase", "http://u@localhost/"), "user information"),
        (("hana_awase", "http://127.0.0.1:1/"), "bot 'http://127.0.0.1:1/' cannot play"),
        (("hana_awase", "random", "--seats", "4"), "seats is 4; allowed for hana_awase: 3"),
        (
            ("hana_awase", "random", "--option", "rounds=1.5"),
            "option rounds is '1.5'; allowed: a whole number",
        ),
        (("hana_awase", "random", "--option", "rounds=13"), "option rounds is 13; allowed"),
        (("hana_awase", "random", "--option", "scale=90"), "option scale is 90; allowed: 80, 88"),
        (("hana_awase", "random", "--option", "redeal_hand_four=1"), "is '1'; allowed: true, false"),
        (
            ("hana_awase", "random", "--option", "combinations=x"),
            "option combinations is 'x'; allowed: classic",
        ),
        (("hana_awase", "random", "--option", "colour=red"), "option 'colour' (value 'red') is unknown"),
        (("hana_awase", "random", "--option", "rounds"), "expected NAME=VALUE"),
        (("hana_awase", "random", "--option", "rounds=1", "--option", "rounds=2"), "given twice"),
        (("hana_awase", "random", "--deals", "0"), "0 is not in the range"),
        (("hana_awase", "random", "--record", "/no/such/folder/x"), "cannot be written: No such file"),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_sentence(arguments: tuple[str, ...], says: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert says in result.stderr


def test_a_file_that_is_no_bot_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("def play(observation):\n    return 0\n")
    (tmp_path / "bot.zip").write_bytes(b"PK not really")
    for name, says in (("bot.py", "neither a function act"), ("bot.zip", "not a zip archive")):
        result = run("hana_awase", tmp_path / name)
        assert result.exit_code == 2
        assert says in result.stderr


def test_a_refused_call_leaves_an_older_record_alone(tmp_path: Path) -> None:
    file = tmp_path / "old.ndjson"
    file.write_text("precious")
    assert run("hana_awase", "nobody", "--record", file).exit_code == 2
    assert file.read_text() == "precious"
