"""`fudaba bot` as a client of the service: submitting, looking at bots, versions, logs and faults."""

import json
import threading
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from support import arena
from support.callers import MODULE, Caller
from support.shell import Shell

from store import bots
from store.models.bots import BotLog
from workers.services import Services

URL = "https://93.184.215.14/play"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A module file."""
    path = tmp_path / "mine.py"
    path.write_bytes(MODULE)
    return path


def decide(services: Services, bot_id: str, number: int, reason: str | None = None) -> None:
    """Record the qualification of a version: accepted when there is no reason against it."""
    report: dict[str, Any] = {"accepted": reason is None, "reason": reason}
    with services.database.transaction() as tx:
        version = bots.version(tx, UUID(bot_id), number)
        attempt = bots.claim_qualification(tx, version.id, lease_seconds=30, now=arena.NOW)
        assert attempt is not None
        assert bots.record_qualification(tx, version.id, attempt, report, reason is None)


def test_a_file_becomes_a_bot_of_its_name_and_is_listed(ann: Shell, file: Path) -> None:
    sent = ann.json("bot", "submit", file, "--game", "sutda")
    assert (sent["owner"], sent["name"], sent["version"], sent["games"]) == ("ann", "mine", 1, ["sutda"])
    listed = ann.json("bot", "list", "--owner", "ann")["items"]
    assert [row["id"] for row in listed] == [sent["id"]]
    told = ann.run("bot", "list").stdout
    assert "ann/mine" in told and sent["id"] in told


def test_a_submission_is_told_to_people(ann: Shell, file: Path) -> None:
    result = ann.run("bot", "submit", file, "--name", "other")
    assert result.exit_code == 0
    assert "ann/other version 1 (module): qualifying" in result.stdout


def test_what_the_service_refuses_ends_with_1_and_the_reason(ann: Shell, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def act(:\n")
    result = ann.run("bot", "submit", tmp_path / "bad.py")
    assert result.exit_code == 1
    assert "line 1" in result.stderr
    result = ann.run("bot", "submit", tmp_path / "bad.py", "--name", "no/name", "--json")
    assert json.loads(result.stdout)["field"] == "name"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("none.py",), "cannot be read"),
        ((URL,), "--name is missing"),
        ((__file__, "--max-batch", "2"), "for endpoints"),
        ((URL, "--name", "e", "--secret-file", "/nowhere/secret"), "cannot be written"),
    ],
)
def test_what_cannot_be_sent_is_a_mistake_of_usage(
    ann: Shell, arguments: tuple[str, ...], expected: str
) -> None:
    result = ann.run("bot", "submit", *arguments)
    assert result.exit_code == 2
    assert expected in result.stderr
    assert ann.json("bot", "list", "--owner", "ann")["items"] == []


def test_the_secret_of_an_endpoint_is_shown_once(ann: Shell) -> None:
    result = ann.run("bot", "submit", URL, "--name", "e", "--max-batch", "8")
    assert "shown this once" in result.stdout
    again = ann.json("bot", "submit", URL + "/2", "--name", "e")
    assert (again["version"], again["secret"]) == (2, None)
    assert ann.json("bot", "show", "e")["versions"][1]["max_batch"] == 8


def test_the_secret_can_go_to_a_file_for_its_owner_alone(ann: Shell, tmp_path: Path) -> None:
    kept = tmp_path / "secret.txt"
    result = ann.run("bot", "submit", URL, "--name", "e", "--secret-file", kept)
    assert result.exit_code == 0, result.output
    assert len(kept.read_text()) >= 32
    assert kept.read_text() not in result.output
    assert kept.stat().st_mode & 0o777 == 0o600
    before = kept.read_text()
    assert ann.run("bot", "submit", URL + "/2", "--name", "e", "--secret-file", kept).exit_code == 0
    assert kept.read_text() == before


def test_another_secret_is_shown_or_kept(ann: Shell, tmp_path: Path) -> None:
    first = ann.json("bot", "submit", URL, "--name", "e")["secret"]
    second = ann.json("bot", "secret", "e")["secret"]
    assert second != first
    told = ann.run("bot", "secret", "e", "--secret-file", tmp_path / "secret.txt").stdout
    third = (tmp_path / "secret.txt").read_text()
    assert third not in (first, second) and third not in told
    assert ann.run("bot", "secret", "e", "--secret-file", tmp_path / "none" / "s").exit_code == 2


def test_waiting_ends_with_what_the_qualification_found(services: Services, ann: Shell, file: Path) -> None:
    bot_id = ann.json("bot", "submit", file)["id"]
    later = threading.Timer(0.5, decide, (services, bot_id, 1))
    later.start()
    found = ann.json("bot", "submit", file, "--wait")
    later.join()
    assert (found["version"], found["state"], found["qualification"]["report"]["accepted"]) == (
        1,
        "qualified",
        True,
    )


def test_waiting_for_a_refusal_ends_with_1_and_the_reason(services: Services, ann: Shell, file: Path) -> None:
    decide(services, ann.json("bot", "submit", file)["id"], 1, reason="sutda: no legal decision")
    result = ann.run("bot", "submit", file, "--wait")
    assert result.exit_code == 1
    assert "refused: sutda: no legal decision" in result.stdout


def test_a_bot_is_shown_with_its_versions_and_an_older_one_can_play_again(
    services: Services, ann: Shell, file: Path
) -> None:
    bot_id = ann.json("bot", "submit", file)["id"]
    decide(services, bot_id, 1)
    file.write_bytes(MODULE + b"# second\n")
    ann.json("bot", "submit", file)
    decide(services, bot_id, 2)
    assert [row["is_active"] for row in ann.json("bot", "show", "mine")["versions"]] == [True, False]
    assert "version 1 plays" in ann.run("bot", "activate", "mine", "1").stdout
    for name in ("mine", "ann/mine", bot_id):
        assert ann.json("bot", "show", name)["active_version"] == 1
    told = ann.run("bot", "show", "mine").stdout
    assert "ann/mine, module" in told and "version 2: qualified" in told and "accepted" in told


def test_a_version_that_is_not_qualified_cannot_play(ann: Shell, file: Path) -> None:
    ann.json("bot", "submit", file)
    assert ann.run("bot", "activate", "mine", "1").exit_code == 1


def test_a_stranger_sees_the_bot_alone(
    url: str, services: Services, ann: Shell, stranger: Caller, file: Path
) -> None:
    bot_id = ann.json("bot", "submit", file)["id"]
    decide(services, bot_id, 1)
    bea = Shell(url=url, token=stranger.token)
    assert bea.json("bot", "show", "ann/mine")["versions"] == []
    assert "ann/mine" in bea.run("bot", "show", bot_id).stdout
    for command in ("log", "faults"):
        assert bea.run("bot", command, "ann/mine").exit_code == 1
    assert "there is no bot bea/mine" in bea.run("bot", "show", "mine").stderr


def test_the_log_is_shown_without_commands_to_the_terminal(
    services: Services, ann: Shell, file: Path
) -> None:
    bot_id = ann.json("bot", "submit", file)["id"]
    assert "nothing was printed" in ann.run("bot", "log", "mine").stdout
    with services.database.transaction() as tx:
        version = bots.version(tx, UUID(bot_id), 1)
        for text in ("first", "\x1b[2Jsecond [bold]"):
            row = {"first_number": 0, "seat": 1, "text": text, "created_at": arena.NOW}
            tx.add(BotLog(version_id=version.id, **row))
    assert [row["text"] for row in ann.json("bot", "log", "mine", "--limit", "1")["items"]] == [
        "\x1b[2Jsecond [bold]"
    ]
    told = ann.run("bot", "log", "mine").stdout
    assert "first" in told and "second [bold]" in told
    assert "\x1b" not in told


def test_a_bot_without_faults_has_none(ann: Shell, file: Path) -> None:
    ann.json("bot", "submit", file)
    assert "no faults" in ann.run("bot", "faults", "mine").stdout
    assert ann.json("bot", "faults", "mine") == {"items": []}
