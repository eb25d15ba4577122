"""Entity tags: a read that changed nothing is not sent again."""

import pytest
from support import arena
from support.callers import Caller

from workers.services import Services


@pytest.mark.parametrize("path", ["/games", "/games/seiten", "/bots", "/tournaments", "/openapi.json"])
def test_a_read_that_changed_nothing_is_answered_304(organiser: Caller, path: str) -> None:
    first = organiser.get(path)
    tag = first.headers["ETag"]
    assert first.headers["Cache-Control"] == "private, no-cache"
    for sent in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = organiser.get(path, headers={"If-None-Match": sent})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
    assert organiser.get(path, headers={"If-None-Match": '"other"'}).data == first.data
    assert organiser.send("HEAD", path).headers["ETag"] == tag


def test_a_change_changes_the_tag(services: Services, organiser: Caller) -> None:
    tournament = arena.started(services.database)
    path = f"/tournaments/{tournament.id}/standings"
    tag = organiser.get(path).headers["ETag"]
    arena.play_all(services)
    after = organiser.get(path, headers={"If-None-Match": tag})
    assert after.status_code == 200
    assert after.headers["ETag"] != tag


def test_forms_of_one_thing_have_tags_of_their_own(services: Services, organiser: Caller) -> None:
    path = f"/tournaments/{arena.draft(services.database).id}/standings"
    json, csv = organiser.get(path), organiser.get(path, headers={"Accept": "text/csv"})
    assert json.headers["ETag"] != csv.headers["ETag"]
    assert "Accept" in json.headers["Vary"]


def test_problems_and_what_acts_have_no_tag_and_are_not_kept(organiser: Caller) -> None:
    for answer in (organiser.get("/games/go"), organiser.post("/tokens")):
        assert "ETag" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"
