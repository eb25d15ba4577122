"""Withdrawals over the API: who may, what is answered, and what the log and the progress say."""

from typing import Any

import pytest
from support import arena
from support.callers import Caller, assert_problem
from support.owners import qualify

from store import bots
from store.models.tournaments import Tournament
from workers.services import Services

SHORT = {"game": "hana_awase", "options": {"rounds": 1}, "deals": 13}


@pytest.fixture
def running(services: Services) -> Tournament:
    entrants = (*arena.HOUSE, *arena.crowd(services.database, 1))
    return arena.started(services.database, SHORT, entrants=entrants)


def test_an_owner_takes_a_bot_out_of_a_draft(
    services: Services, participant: Caller, stranger: Caller, organiser: Caller
) -> None:
    participant.submit({"name": "b"})
    with services.database.transaction() as tx:
        qualify(tx, bots.version(tx, bots.by_reference(tx, "ann/b").id, 1).id)
    draft = organiser.post("/tournaments", {"name": "cup", "entrants": ["house/first"]}).json["id"]
    path = f"/tournaments/{draft}"
    assert participant.post(f"{path}/entrants", {"bots": ["ann/b"]}).status_code == 201
    assert_problem(stranger.post(f"{path}/withdrawals", {"entrant": 1}), 403, "forbidden")
    left = participant.post(f"{path}/withdrawals", {"entrant": 1})
    assert left.status_code == 201
    assert (left.json["name"], left.json["rule"], left.json["from_blocks"]) == ("ann/b", None, {})
    assert [row["name"] for row in organiser.get(f"{path}/entrants").json["items"]] == ["house/first"]
    assert organiser.get(f"{path}/withdrawals").json["items"] == []
    assert organiser.get(f"{path}/audit").json["items"][0]["action"] == "entrants.withdraw"


@pytest.mark.parametrize("rule", ["forfeit", "drop"])
def test_an_organiser_chooses_what_becomes_of_the_matches(
    services: Services, organiser: Caller, participant: Caller, running: Tournament, rule: str
) -> None:
    path = f"/tournaments/{running.id}"
    body = {"entrant": 1, "rule": rule}
    assert_problem(participant.post(f"{path}/withdrawals", body), 403, "forbidden")
    left = organiser.post(f"{path}/withdrawals", body)
    assert (left.status_code, left.json["rule"], left.json["from_blocks"]) == (201, rule, {})
    assert_problem(organiser.post(f"{path}/withdrawals", body), 409, "conflict")
    arena.play_all(services)
    (row,) = organiser.get(f"{path}/withdrawals").json["items"]
    assert row == {**left.json, "from_blocks": {"0": 1}}
    shown = organiser.get(path).json
    assert shown["state"] == "finished"
    assert shown["played"] + shown["dropped"] == shown["matches"]
    assert shown["dropped"] == shown["events"][0]["dropped"] == (9 if rule == "drop" else 0)
    standings = organiser.get(f"{path}/standings").json["overall"]
    assert (1 in {one["entrant"] for one in standings}) is (rule == "forfeit")
    assert_problem(organiser.post(f"{path}/withdrawals", {"entrant": 0}), 409, "conflict")


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "invalid", "entrant"),
        ({"entrant": -1}, "invalid", "entrant"),
        ({"entrant": "1"}, "invalid", "entrant"),
        ({"entrant": 9}, "bad_request", "entrant"),
        ({"entrant": 1, "rule": "vanish"}, "invalid", "rule"),
        ({"entrant": 1, "why": "tired"}, "invalid", "why"),
    ],
)
def test_a_bad_withdrawal_is_refused(
    organiser: Caller, running: Tournament, body: dict[str, Any], code: str, field: str
) -> None:
    refused = organiser.post(f"/tournaments/{running.id}/withdrawals", body)
    assert_problem(refused, 422, code, field)
