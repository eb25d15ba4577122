"""What organisers do to tournaments over the API, the log of it, and the cross-table."""

from fractions import Fraction
from typing import Any

import pytest
from support import arena
from support.callers import Caller, assert_problem

from store.models.tournaments import Tournament
from workers.services import Services

PLAN = {"name": "cup", "entrants": list(arena.HOUSE)}


@pytest.fixture
def draft(organiser: Caller) -> str:
    """The path of a draft."""
    return f"/tournaments/{organiser.post('/tournaments', PLAN).json['id']}"


@pytest.fixture
def running(services: Services) -> Tournament:
    return arena.started(services.database)


def log(caller: Caller, path: str) -> list[tuple[str, str]]:
    return [(row["by"], row["action"]) for row in caller.get(f"{path}/audit").json["items"]]


def test_a_tournament_pauses_and_resumes(services: Services, organiser: Caller, running: Tournament) -> None:
    path = f"/tournaments/{running.id}"
    paused = organiser.post(f"{path}/pause")
    assert (paused.status_code, paused.json["state"]) == (200, "paused")
    assert arena.play_all(services) == 0
    assert organiser.get("/tournaments?state=paused").json["items"][0]["id"] == str(running.id)
    assert_problem(organiser.post(f"{path}/pause"), 409, "conflict")
    resumed = organiser.post(f"{path}/resume")
    assert (resumed.status_code, resumed.json["state"]) == (202, "running")
    arena.play_all(services)
    assert organiser.get(path).json["state"] == "finished"
    assert log(organiser, path) == [("organiser", "tournament.resume"), ("organiser", "tournament.pause")]


def test_a_draft_is_changed_if_nobody_was_faster(organiser: Caller, draft: str) -> None:
    tag = organiser.get(draft).headers["ETag"]
    change = {"name": "open cup", "entries_close_at": "2026-12-24T19:00:00+01:00"}
    changed = organiser.send("PATCH", draft, json=change, headers={"If-Match": tag})
    assert changed.status_code == 200
    assert (changed.json["name"], changed.json["entries_close_at"]) == (
        "open cup",
        "2026-12-24T18:00:00.000000Z",
    )
    late = organiser.send("PATCH", draft, json={"name": "late"}, headers={"If-Match": tag})
    assert_problem(late, 412, "changed")
    cleared = organiser.send("PATCH", draft, json={"entries_close_at": None}).json
    assert (cleared["name"], cleared["entries_close_at"]) == ("open cup", None)
    assert organiser.get(draft).json == cleared


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": None}, "name"),
        ({"entries_close_at": "2026-12-24T18:00:00"}, "entries_close_at"),
        ({"entries_close_at": "0001-01-01T00:00:00+01:00"}, "entries_close_at"),
        ({"entries_close_at": "soon"}, "entries_close_at"),
        ({"entries_close_at": 7}, "entries_close_at"),
        ({"entries_per_owner": 0}, "entries_per_owner"),
        ({"weight": 0}, "weight"),
        ({"weight": 101}, "weight"),
        ({"weight": True}, "weight"),
        ({"state": "running"}, "state"),
    ],
)
def test_a_bad_change_is_refused(organiser: Caller, draft: str, change: dict[str, Any], field: str) -> None:
    assert_problem(organiser.send("PATCH", draft, json=change), 422, "invalid", field)
    if field != "state":
        assert_problem(organiser.post("/tournaments", {**PLAN, **change}), 422, "invalid", field)


def test_what_runs_is_not_changed(organiser: Caller, running: Tournament) -> None:
    changed = organiser.send("PATCH", f"/tournaments/{running.id}", json={"name": "x"})
    assert_problem(changed, 409, "conflict")
    heavier = organiser.send("PATCH", f"/tournaments/{running.id}", json={"weight": 3})
    assert (heavier.status_code, heavier.json["weight"]) == (200, 3)


def test_a_clone_is_a_draft_of_ones_own(organiser: Caller, running: Tournament) -> None:
    made = organiser.post(f"/tournaments/{running.id}/clone", {"name": "next season"})
    assert (made.status_code, made.json["name"], made.json["state"]) == (201, "next season", "draft")
    assert (made.json["entrants"], made.json["matches"]) == (3, 0)
    bare = organiser.post(f"/tournaments/{running.id}/clone", {"with_entrants": False}).json
    assert (bare["name"], bare["entrants"]) == ("cup", 0)


def test_everything_that_is_done_is_logged(organiser: Caller, draft: str) -> None:
    organiser.post(f"{draft}/entrants", {"bots": ["house/search"]})
    organiser.send("PATCH", draft, json={"name": "new"})
    organiser.post(f"{draft}/start")
    organiser.post(f"{draft}/start")  # refused, so not done
    organiser.post(f"{draft}/cancel")
    actions = ["cancel", "start", "change", "create"]
    found = organiser.get(f"{draft}/audit").json["items"]
    assert [row["action"] for row in found if row["action"] != "entrants.enter"] == [
        f"tournament.{action}" for action in actions
    ]
    assert all(row["by"] == "organiser" and row["at"].endswith("Z") for row in found)
    assert found[2]["detail"] == {"wanted": {"name": "new"}}
    assert found == organiser.get("/audit").json["items"]


def test_the_log_is_paged_the_newest_first(organiser: Caller) -> None:
    for number in range(5):
        organiser.post("/tournaments", {**PLAN, "name": str(number)})
    seen, cursor = [], ""
    while True:
        page = organiser.get(f"/audit?limit=2{cursor}").json
        seen += [row["detail"]["name"] for row in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == ["4", "3", "2", "1", "0"]


def test_the_crosstable_shows_each_pair_from_both_sides(
    services: Services, organiser: Caller, running: Tournament
) -> None:
    path = f"/tournaments/{running.id}/crosstable"
    assert organiser.get(path).json["meetings"] == []
    arena.play_all(services)
    table = organiser.get(f"{path}?event=0").json
    standings = organiser.get(f"/tournaments/{running.id}/standings?event=0").json["events"][0]["rows"]
    assert [row["entrant"] for row in table["rows"]] == [row["entrant"] for row in standings]
    shares = {(row["entrant"], row["opponent"]): row for row in table["meetings"]}
    assert len(shares) == 6
    for (entrant, opponent), row in shares.items():
        assert row["matches"] == 6
        other = shares[opponent, entrant]
        assert Fraction(row["share_exact"]) + Fraction(other["share_exact"]) == 1
    assert_problem(organiser.get(f"{path}?event=1"), 404, "not_found", "event")
    assert_problem(organiser.get(f"{path}?event=x"), 422, "invalid", "event")
