"""Re-runs over the API and on the pages: the preview, who may, what is answered, and that tables agree."""

import csv
import io
import json
from typing import Any

import pytest
from support import arena
from support.browsing import browser_of, post, sign_in
from support.callers import Caller, assert_problem

from store.models.tournaments import Tournament
from workers.services import Services

CHOICE = {"event": 0, "numbers": [0], "reason": "the network was down"}


@pytest.fixture
def finished(services: Services) -> Tournament:
    return arena.finished(services)


def test_matches_are_played_again(services: Services, organiser: Caller, finished: Tournament) -> None:
    path = f"/tournaments/{finished.id}"
    first = organiser.get(f"{path}/standings").json
    preview = organiser.post(f"{path}/reruns?dry_run=true", {**CHOICE, "reason": ""})
    assert preview.status_code == 200
    assert (preview.json["matches"], preview.json["events"][0]["ranges"]) == (2, [{"first": 0, "count": 2}])
    assert {row["matches_without"] for row in preview.json["overall"]} == {4}
    assert organiser.get(f"{path}/reruns").json["items"] == []
    applied = organiser.post(f"{path}/reruns", CHOICE)
    assert applied.status_code == 202
    assert (applied.json["number"], applied.json["state"], applied.json["results"]) == (1, "playing", 2)
    assert organiser.get(path).json["state"] == "running"
    meanwhile = organiser.get(f"{path}/standings").json
    assert (meanwhile["edition"], {row["matches"] for row in meanwhile["overall"]}) == (None, {4})
    assert organiser.get(f"{path}/editions/1").status_code == 200
    assert_problem(organiser.get(f"{path}/record"), 409, "conflict")
    assert_problem(organiser.post(f"{path}/reruns", CHOICE), 409, "conflict")
    arena.move_on(services, finished)
    arena.play_all(services)
    last = organiser.get(f"{path}/standings").json
    assert (last["edition"]["number"], last["overall"]) == (2, first["overall"])
    assert organiser.get(f"{path}/reruns/1").json["state"] == "done"
    log = organiser.get(f"{path}/audit").json["items"]
    assert log[0]["action"] == "reruns.apply"
    assert log[0]["detail"] == {"number": 1, "matches": 2, "reason": "the network was down"}


def test_a_re_run_is_undone(services: Services, organiser: Caller, finished: Tournament) -> None:
    path = f"/tournaments/{finished.id}"
    assert organiser.post(f"{path}/reruns", CHOICE).status_code == 202
    undone = organiser.post(f"{path}/reruns/1/undo")
    assert (undone.status_code, undone.json["state"]) == (202, "undone")
    arena.move_on(services, finished)
    assert organiser.get(path).json["state"] == "finished"
    assert organiser.get(f"{path}/standings").json["edition"]["number"] == 2
    assert_problem(organiser.post(f"{path}/reruns/1/undo"), 409, "conflict")
    assert_problem(organiser.post(f"{path}/reruns/2/undo"), 404, "not_found")
    assert [row["action"] for row in organiser.get(f"{path}/audit").json["items"]] == [
        "reruns.undo",
        "reruns.apply",
    ]


@pytest.mark.parametrize(
    ("choice", "code", "field"),
    [
        ({"event": 0}, "bad_request", "reason"),
        ({"event": 0, "reason": " "}, "bad_request", "reason"),
        ({"event": 0, "reason": "a\u0000b"}, "invalid", "reason"),
        ({"reason": "x"}, "bad_request", None),
        ({"event": 9, "reason": "x"}, "bad_request", "event"),
        ({"event": True, "reason": "x"}, "invalid", "event"),
        ({"event": 0, "numbers": [-1], "reason": "x"}, "invalid", "numbers.0"),
        ({"event": 0, "numbers": [1 << 62], "reason": "x"}, "bad_request", "numbers"),
        ({"entrant": 100000, "reason": "x"}, "invalid", "entrant"),
        ({"fault": "sneeze", "reason": "x"}, "invalid", "fault"),
        ({"set_aside": 1, "reason": "x"}, "invalid", "set_aside"),
        ({"match": 1, "reason": "x"}, "invalid", "match"),
    ],
)
def test_a_bad_choice_is_refused(
    organiser: Caller, finished: Tournament, choice: dict[str, Any], code: str, field: str | None
) -> None:
    answer = organiser.post(f"/tournaments/{finished.id}/reruns", choice)
    assert_problem(answer, 422, code, field)


def test_all_tables_agree_while_matches_are_played_again(
    services: Services, organiser: Caller, finished: Tournament
) -> None:
    path = f"/tournaments/{finished.id}"
    organiser.post(f"{path}/reruns", CHOICE)
    found = organiser.get(f"{path}/standings").json["overall"]
    rows = csv.DictReader(io.StringIO(organiser.get(f"{path}/standings?format=csv").text))
    assert [(row["name"], row["points_exact"]) for row in rows] == [
        (row["name"], row["points_exact"]) for row in found
    ]
    page = browser_of(organiser).get(path.replace("/api/v1", "")).text
    assert "(final)" not in page
    places = [page.index(f">{row['name']}<") for row in found]
    assert places == sorted(places)
    assert json.dumps(found).count("null") > 0  # no rating before it is worked out again


def test_organisers_ask_for_it_on_the_page(services: Services, anybody: Caller, finished: Tournament) -> None:
    path = f"/tournaments/{finished.id}/reruns"
    boss = sign_in(browser_of(anybody), arena.TOKEN)
    form = {"event": "0", "numbers": "0, 1", "reason": "a power cut", "entrant": "", "table": "", "fault": ""}
    shown = post(boss, path, {**form, "dry_run": "1"})
    assert shown.status_code == 200
    assert "2 matches; 2 results would go" in shown.text
    assert 'value="a power cut"' in shown.text
    bad = post(boss, path, {**form, "table": "x"})
    assert (bad.status_code, "table is &#39;x&#39;" in bad.text) == (422, True)
    assert post(boss, path, form).status_code == 303
    assert "a power cut" in anybody.client.get(path).text
    assert post(boss, f"{path}/1/undo", {}, form=path).status_code == 303
    assert "undone" in boss.get(path).text


def test_others_read_of_it_and_cannot_ask(
    services: Services, participant: Caller, finished: Tournament
) -> None:
    path = f"/tournaments/{finished.id}/reruns"
    ann = sign_in(browser_of(participant), participant.token)
    assert "Nothing has been played again" in ann.get(path).text
    assert "Play them again" not in ann.get(path).text
    assert post(ann, path, {"event": "0", "reason": "x"}, form="/sign-in").status_code == 403
