"""`fudaba tournament`: planning, entering, starting, watching, and reading what came of it."""

import hashlib
import json
import socket
import threading
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import click
import pytest
from flask import Flask
from support import arena
from support.callers import NOBODY
from support.served import served
from support.shell import Shell

from api.commands import tournament_plan, tournament_watch
from api.commands.tournament_plan import event
from store import blocks, tournaments
from workers.services import Services

HOUSE = ("--entrant", "house/random", "--entrant", "house/first", "--entrant", "house/greedy")
SHORT = ("--event", "hana_awase,deals=2,rounds=1")


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_watch, "POLL_SECONDS", 0.02)


def play(services: Services, tournament_id: str) -> None:
    """Play a running tournament as the workers would."""
    with services.database.transaction() as tx:
        events = [row.id for row in tournaments.get(tx, UUID(tournament_id)).events]
    for event_id in events:
        with services.database.transaction() as tx:
            blocks.advance(tx, event_id, arena.NOW)
    arena.play_all(services)


def made(shell: Shell, name: str = "cup") -> str:
    """Create a draft and return its id."""
    return str(shell.json("tournament", "create", name, *SHORT, *HOUSE)["id"])


def finished(services: Services, shell: Shell) -> str:
    """Play a short tournament and return its id."""
    tournament_id = made(shell)
    shell.json("tournament", "start", tournament_id)
    play(services, tournament_id)
    return tournament_id


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sutda", {"game": "sutda"}),
        ("sutda,seats=4,deals=20", {"game": "sutda", "seats": 4, "deals": 20}),
        (
            "seiten,schedule=full,powers=true,scoring=classic",
            {"game": "seiten", "schedule": "full", "options": {"powers": True, "scoring": "classic"}},
        ),
    ],
)
def test_an_event_is_written_in_one_text(text: str, expected: dict[str, Any]) -> None:
    assert event(text) == expected


@pytest.mark.parametrize("text", ["sutda,seats", "sutda,=1", "sutda,seats=1,seats=2", "sutda,a=1,a=1"])
def test_an_event_that_is_written_wrong_is_a_mistake_of_usage(text: str) -> None:
    with pytest.raises(click.UsageError, match="--event"):
        event(text)


@pytest.mark.parametrize("texts", [["a"], ["=1"], ["a=1", "a=2"]])
def test_a_limit_that_is_written_wrong_is_a_mistake_of_usage(texts: list[str]) -> None:
    with pytest.raises(click.UsageError, match="--limit"):
        tournament_plan.limits(texts)


def test_a_dry_run_counts_the_matches_and_stores_nothing(shell: Shell) -> None:
    arguments = ("tournament", "create", "cup", *SHORT, *HOUSE, "--dry-run")
    planned = shell.json(*arguments)
    assert (planned["matches"], planned["events"][0]["game"]) == (6, "hana_awase")
    assert "6 matches, about" in shell.run(*arguments).stdout
    assert shell.json("tournament", "list") == {"items": []}


def test_options_become_a_plan(shell: Shell) -> None:
    seed = "0" * 64
    found = shell.json(
        *("tournament", "create", "cup", *SHORT, "--event", "sutda,seats=3", *HOUSE),
        *("--limit", "decision_ms=200", "--secret-seed", seed),
    )
    assert (found["events"][0]["game"], found["events"][0]["deals"]) == ("hana_awase", 2)
    assert found["events"][0]["options"]["rounds"] == 1
    assert found["events"][1]["seats"] == 3
    assert found["limits"]["decision_ms"] == 200
    assert found["commitment"] == hashlib.sha256(bytes(32)).hexdigest()


def test_a_plan_can_come_from_a_file(shell: Shell, tmp_path: Path) -> None:
    plan = {"name": "from file", "events": [{"game": "sutda"}], "entrants": ["house/first"]}
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(plan))
    assert shell.json("tournament", "create", "--file", file)["name"] == "from file"
    assert shell.run("tournament", "create", "again", "--file", file).exit_code == 2
    for text in ("[]", "{", "\xff"):
        file.write_bytes(text.encode("latin-1"))
        assert shell.run("tournament", "create", "--file", file).exit_code == 2
    assert shell.run("tournament", "create", "--file", tmp_path / "none").exit_code == 2
    assert shell.run("tournament", "create").exit_code == 2


def test_a_participant_may_not_create(ann: Shell) -> None:
    result = ann.run("tournament", "create", "cup")
    assert result.exit_code == 1
    assert "organiser" in result.stderr


def test_bots_enter_by_name_and_are_shown(shell: Shell) -> None:
    shell.json("tournament", "create", "cup", *SHORT)
    entrants = shell.json("tournament", "enter", "cup", "house/first", "house/greedy")["items"]
    assert [row["name"] for row in entrants] == ["house/first", "house/greedy"]
    told = shell.run("tournament", "show", "cup").stdout
    assert "cup: draft" in told and "house/first" in told and "rounds=1" in told


def test_a_bot_that_does_not_exist_cannot_enter(shell: Shell) -> None:
    made(shell)
    result = shell.run("tournament", "enter", "cup", "mine")
    assert result.exit_code == 1
    assert "/mine" in result.stderr


def test_a_name_that_two_have_names_neither(shell: Shell) -> None:
    ids = {made(shell), made(shell)}
    result = shell.run("tournament", "start", "cup")
    assert result.exit_code == 1
    assert all(tournament_id in result.stderr.replace("\n", "") for tournament_id in ids)
    assert "there is no tournament called 'other'" in shell.run("tournament", "start", "other").stderr


def test_tournaments_are_listed_by_state(shell: Shell) -> None:
    first, second = made(shell, "one"), made(shell, "two")
    shell.json("tournament", "cancel", first)
    assert [row["id"] for row in shell.json("tournament", "list", "--state", "draft")["items"]] == [second]
    assert [row["id"] for row in shell.json("tournament", "list", "--limit", "1")["items"]] == [second]
    assert "one" in shell.run("tournament", "list").stdout


def test_watching_ends_with_the_tournament(services: Services, shell: Shell) -> None:
    tournament_id = made(shell)
    shell.json("tournament", "start", "cup")
    later = threading.Timer(0.3, play, (services, tournament_id))
    later.start()
    result = shell.run("tournament", "watch", "cup")
    later.join()
    assert result.exit_code == 0
    assert "running: 0 of 6 matches" in result.stderr
    assert "finished: 6 of 6 matches" in result.stderr
    assert "cup: finished, 6 of 6 matches played" in result.stdout
    assert shell.json("tournament", "watch", tournament_id)["state"] == "finished"


def test_watching_one_that_is_cancelled_ends_with_1(shell: Shell) -> None:
    made(shell)
    assert "cup: cancelled" in shell.run("tournament", "cancel", "cup").stdout
    assert shell.run("tournament", "watch", "cup").exit_code == 1


def test_watching_can_be_left_and_says_how_to_take_it_up_again(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament_id = made(shell)

    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("api.commands.tournament_watch.time.sleep", interrupted)
    result = shell.run("tournament", "watch", "cup")
    assert result.exit_code == 130
    assert f"fudaba tournament watch {tournament_id}" in result.stderr.replace("\n", " ")


def test_watching_outlasts_a_service_that_starts_again(app: Flask, shell: Shell) -> None:
    shell.json("tournament", "cancel", made(shell))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    is_over = threading.Event()

    def start_late() -> None:
        time.sleep(2.5)  # longer than the client tries by itself
        with served(app, port):
            is_over.wait(30)

    thread = threading.Thread(target=start_late)
    thread.start()
    away = Shell(url=f"http://127.0.0.1:{port}", token=shell.token)
    result = away.run("tournament", "watch", shell.json("tournament", "list")["items"][0]["id"])
    is_over.set()
    thread.join()
    assert "cup: cancelled" in result.stdout


def test_watching_does_not_wait_for_ever_for_a_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_watch, "PATIENCE_SECONDS", 0.0)
    assert Shell(url="http://127.0.0.1:1").run("tournament", "watch", NOBODY).exit_code == 4


def test_a_tournament_is_paused_resumed_and_cloned(shell: Shell) -> None:
    tournament_id = made(shell)
    shell.json("tournament", "start", "cup")
    assert "cup: paused" in shell.run("tournament", "pause", "cup").stdout
    assert "cup: running" in shell.run("tournament", "resume", "cup").stdout
    assert shell.run("tournament", "resume", "cup").exit_code == 1
    cloned = shell.json("tournament", "clone", tournament_id, "--name", "cup 2", "--without-entrants")
    assert (cloned["name"], cloned["state"], cloned["entrants"]) == ("cup 2", "draft", 0)
    assert shell.json("tournament", "clone", tournament_id)["entrants"] == 3


def test_standings_are_told_as_tables_csv_and_json(services: Services, shell: Shell) -> None:
    tournament_id = finished(services, shell)
    told = shell.run("tournament", "standings", "cup").stdout
    assert "hana_awase: 3 seats, 6 matches" in told
    assert "overall" in told and "edition 1" in told
    csv = shell.run("tournament", "standings", tournament_id, "--csv", "--event", "0").stdout
    assert csv.splitlines()[0].startswith("place,entrant,name")
    assert len(csv.splitlines()) == 4
    assert shell.json("tournament", "standings", "cup", "--event", "0")["overall"] is None
    assert shell.run("tournament", "standings", "cup", "--csv", "--json").exit_code == 2
    assert shell.run("tournament", "standings", "cup", "--event", "7").exit_code == 1


def test_matches_are_listed_and_filtered(services: Services, shell: Shell) -> None:
    finished(services, shell)
    rows = shell.json("tournament", "matches", "cup", "--event", "0", "--entrant", "1", "--limit", "2")[
        "items"
    ]
    assert [row["number"] for row in rows] == [0, 1]
    told = shell.run("tournament", "matches", "cup").stdout
    assert all(row["id"] in told for row in rows)


def test_the_record_is_saved_whole_or_not_at_all(services: Services, shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "record.ndjson"
    draft = made(shell, "draft")
    assert shell.run("tournament", "record", draft, file).exit_code == 1
    assert [path.name for path in tmp_path.iterdir() if "record" in path.name] == []
    finished(services, shell)
    saved = shell.json("tournament", "record", "cup", file)
    assert saved["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert shell.run("verify", file).exit_code == 0
    assert shell.run("tournament", "record", "cup", "-").stdout_bytes == file.read_bytes()
    assert shell.run("tournament", "record", "cup", tmp_path / "none" / "r").exit_code == 2
