"""Every error is answered with problem details, and every class of error has a status."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import arena
from support.callers import Caller, assert_problem

from api.app import create_app
from api.errors import STATUS, status_of
from engine.errors import FudabaError
from store.database import Database
from store.errors import NotFound
from workers.services import Services

ROOT = Path(__file__).parents[2]
FIND_UNLISTED = """
import api.app, json
from api.errors import STATUS
from engine.errors import FudabaError

def below(kind):
    return {kind}.union(*map(below, kind.__subclasses__()))

kinds = below(FudabaError) - {FudabaError}
print(json.dumps([str(kind) for kind in kinds if not STATUS.keys() & set(kind.__mro__)]))
"""


def test_every_error_that_a_request_can_raise_is_in_the_table() -> None:
    found = subprocess.run(
        [sys.executable, "-c", FIND_UNLISTED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(found.stdout) == []


def test_codes_are_stable_words_and_differ() -> None:
    codes = [kind.code for kind in STATUS]
    assert len(codes) == len(set(codes))
    assert all(code.islower() and code.replace("_", "").isalpha() for code in codes)


def test_a_class_below_a_known_one_is_answered_like_it() -> None:
    class NoSuchThing(NotFound):
        """A new error that nobody has put into the table."""

    class Odd(FudabaError):
        """An error of no known kind."""

    assert (status_of(NoSuchThing), status_of(Odd)) == (404, 500)


@pytest.mark.parametrize("path", ["/api", "/api/v1/", "/api/v1/nothing", "/api/v1//games", "/x.php", "/%ff"])
def test_an_unknown_path_is_not_found(anybody: Caller, path: str) -> None:
    assert_problem(anybody.client.get(path), 404, "not_found")


def test_a_wrong_method_names_the_right_ones(anybody: Caller) -> None:
    answer = anybody.send("PUT", "/games")
    assert_problem(answer, 405, "method_not_allowed")
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}


@pytest.mark.parametrize("body", ["{", "{'name': 'ann'}", "", '{"name": Infinity}', "[" * 100_000, "1e999"])
def test_broken_json_is_malformed(organiser: Caller, body: str) -> None:
    answer = organiser.post("/accounts", data=body, content_type="application/json")
    assert_problem(answer, 400, "malformed")


def test_a_body_that_is_not_utf8_is_malformed(organiser: Caller) -> None:
    answer = organiser.post("/accounts", data=b'{"name": "\xff"}', content_type="application/json")
    assert_problem(answer, 400, "malformed")


def test_a_body_of_another_type_is_not_taken(organiser: Caller) -> None:
    answer = organiser.post("/accounts", data='{"name": "ann"}', content_type="text/plain")
    assert_problem(answer, 415, "unsupported_media_type")


def test_a_body_too_large_is_not_read(organiser: Caller) -> None:
    answer = organiser.post("/accounts", data=b" " * (2 << 20), content_type="application/json")
    assert_problem(answer, 413, "too_large")


def test_all_fields_that_cannot_be_used_are_listed(organiser: Caller) -> None:
    answer = organiser.post("/accounts", {"name": "", "role": "king", "x": 1})
    assert answer.json is not None
    assert {row["field"] for row in answer.json["errors"]} == {"name", "role", "x"}


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "é",
        "!!!!",
        "bnVsbA",  # null
        "W10",  # []
        "WzEsMl0",  # [1,2]
        # A time without a zone, and one that is in the year 10000 in UTC.
        "WyIyMDI2LTExLTMwVDEyOjAwOjAwIiwiMDAwMDAwMDAtMDAwMC0wMDAwLTAwMDAtMDAwMDAwMDAwMDAwIl0",
        "WyI5OTk5LTEyLTMxVDIzOjU5OjU5LTIzOjU5IiwiMDAwMDAwMDAtMDAwMC0wMDAwLTAwMDAtMDAwMDAwMDAwMDAwIl0",
        "W" * 600,
    ],
)
def test_a_cursor_that_no_list_gave_out_is_refused(organiser: Caller, cursor: str) -> None:
    for path in ("/bots", "/tournaments"):
        answer = organiser.get(path, query_string={"cursor": cursor})
        assert answer.status_code == 422
        assert answer.json is not None
        assert answer.json["field"] == "cursor"


@pytest.mark.parametrize("cursor", ["WzFd", "Wy0xXQ", "Wzk5OTk5OTk5OTk5OTk5OTk5OTk5XQ", "WyJ4Il0"])
def test_a_number_in_a_cursor_is_checked(organiser: Caller, cursor: str) -> None:
    bot_id = organiser.submit({"name": "b"}).json["id"]
    for path in (f"/bots/{bot_id}/versions", f"/bots/{bot_id}/logs", f"/bots/{bot_id}/faults"):
        status = organiser.get(f"{path}?cursor={cursor}").status_code
        assert status == (200 if cursor == "WzFd" and not path.endswith("faults") else 422)


def test_a_bug_is_answered_with_the_id_under_which_it_is_logged(
    anybody: Caller, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> Any:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("engine.games.all_games", broken)
    answer = anybody.get("/games")
    assert_problem(answer, 500, "internal")
    assert "a bug" not in answer.text
    log = capsys.readouterr()
    assert answer.headers["X-Request-Id"] in log.out + log.err
    assert "ZeroDivisionError: a bug" in log.out + log.err


def test_a_database_that_is_away_is_unavailable(services: Services, tmp_path: Path) -> None:
    gone = Database(f"sqlite:///{tmp_path}/here/fudaba.db")
    (tmp_path / "here").rmdir()
    caller = Caller(create_app(replace(services, database=gone)).test_client(), arena.TOKEN)
    answer = caller.get("/tournaments")
    assert_problem(answer, 503, "unavailable")
    assert int(answer.headers["Retry-After"]) > 0
    gone.dispose()


@pytest.mark.parametrize(
    ("sent", "is_kept"),
    [("abc-1.2_Z", True), ("", False), ("x" * 65, False), ("a b", False), ("\xe9", False)],
)
def test_a_request_id_of_the_caller_is_kept_when_it_is_plain(
    anybody: Caller, sent: str, is_kept: bool
) -> None:
    answered = anybody.get("/games", headers={"X-Request-Id": sent}).headers["X-Request-Id"]
    assert (answered == sent) is is_kept
    assert answered


def test_two_requests_have_two_ids(anybody: Caller) -> None:
    assert len({anybody.get("/games").headers["X-Request-Id"] for _ in range(5)}) == 5
