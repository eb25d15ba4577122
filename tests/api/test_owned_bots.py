"""What owners do with their bots over the API: hide, switch off, delete, fetch the source."""

from typing import Any
from uuid import UUID

import pytest
from support.callers import MODULE, Caller, assert_problem
from support.owners import qualify

from store import bots
from workers.services import Services


@pytest.fixture
def bot(services: Services, participant: Caller) -> str:
    """The id of a qualified bot of the participant's."""
    bot_id: str = participant.submit({"name": "b"}).json["id"]
    with services.database.transaction() as tx:
        qualify(tx, bots.version(tx, UUID(bot_id), 1).id)
    return bot_id


def listed(caller: Caller) -> list[str]:
    return [row["id"] for row in caller.get("/bots?owner=ann").json["items"]]


def test_a_private_bot_is_known_to_its_owner_and_organisers_alone(
    bot: str, participant: Caller, stranger: Caller, organiser: Caller
) -> None:
    assert stranger.get(f"/bots/{bot}").json["visibility"] == "public"
    changed = participant.send("PATCH", f"/bots/{bot}", json={"visibility": "private"})
    assert (changed.status_code, changed.json["visibility"], changed.json["is_off"]) == (
        200,
        "private",
        False,
    )
    assert (listed(participant), listed(stranger), listed(organiser)) == ([bot], [], [bot])
    for below in ("", "/versions", "/versions/1", "/versions/1/source", "/faults", "/logs"):
        assert_problem(stranger.get(f"/bots/{bot}{below}"), 404, "not_found")
        assert organiser.get(f"/bots/{bot}{below}").status_code == 200


def test_a_bot_is_switched_off_and_on(bot: str, participant: Caller, organiser: Caller) -> None:
    plan = {"name": "cup", "entrants": ["ann/b"]}
    for is_off, status in ((True, 422), (False, 201)):
        assert participant.send("PATCH", f"/bots/{bot}", json={"is_off": is_off}).json["is_off"] is is_off
        assert organiser.post("/tournaments", plan).status_code == status


@pytest.mark.parametrize(
    ("body", "field"),
    [({"visibility": "secret"}, "visibility"), ({"is_off": 1}, "is_off"), ({"name": "c"}, "name")],
)
def test_a_bad_change_is_refused(bot: str, participant: Caller, body: dict[str, Any], field: str) -> None:
    assert_problem(participant.send("PATCH", f"/bots/{bot}", json=body), 422, "invalid", field)


def test_only_the_owner_changes_and_deletes(bot: str, stranger: Caller, organiser: Caller) -> None:
    for caller in (stranger, organiser):
        assert_problem(caller.send("PATCH", f"/bots/{bot}", json={"is_off": True}), 403, "forbidden")
        assert_problem(caller.send("DELETE", f"/bots/{bot}"), 403, "forbidden")


def test_a_change_is_refused_when_somebody_was_faster(bot: str, participant: Caller) -> None:
    path = f"/bots/{bot}"
    tag = participant.get(path).headers["ETag"]
    first = participant.send("PATCH", path, json={"is_off": True}, headers={"If-Match": tag})
    assert first.status_code == 200
    for method, more in (("PATCH", {"json": {"is_off": False}}), ("DELETE", {})):
        for sent in (tag, f"W/{first.headers.get('ETag', tag)}"):
            assert_problem(participant.send(method, path, headers={"If-Match": sent}, **more), 412, "changed")
    assert participant.get(path).json["is_off"] is True
    current = participant.get(path).headers["ETag"]
    for sent in (f'"other", {current}', "*"):
        changed = participant.send("PATCH", path, json={}, headers={"If-Match": sent})
        assert changed.status_code == 200


def test_a_deleted_bot_is_gone_and_its_name_is_not_given_out_again(bot: str, participant: Caller) -> None:
    assert participant.send("DELETE", f"/bots/{bot}").status_code == 204
    assert listed(participant) == []
    for method in ("GET", "PATCH", "DELETE"):
        assert_problem(participant.send(method, f"/bots/{bot}", json={}), 404, "not_found")
    assert_problem(participant.submit({"name": "b"}), 409, "conflict")


def test_a_bot_that_plays_is_not_deleted(bot: str, participant: Caller, organiser: Caller) -> None:
    plan = {"name": "cup", "entrants": ["ann/b"]}
    tournament = organiser.post("/tournaments", plan).json["id"]
    organiser.post(f"/tournaments/{tournament}/start")
    assert_problem(participant.send("DELETE", f"/bots/{bot}"), 409, "conflict")


def test_the_source_is_the_owners_and_organisers(
    bot: str, participant: Caller, stranger: Caller, organiser: Caller
) -> None:
    path = f"/bots/{bot}/versions/1/source"
    for caller in (participant, organiser):
        answer = caller.get(path)
        assert (answer.status_code, answer.data) == (200, MODULE)
        assert answer.headers["Content-Disposition"] == 'attachment; filename="b.py"'
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert_problem(stranger.get(path), 403, "forbidden")
    assert_problem(participant.get(f"/bots/{bot}/versions/2/source"), 404, "not_found")
    house = organiser.get("/bots?owner=house").json["items"][0]["id"]
    assert_problem(organiser.get(f"/bots/{house}/versions/1/source"), 409, "conflict")
