"""Endpoints that fill whole teams: kept out where that is ruled out, marked where it is not."""

import csv
import io
import json

import pytest
from sqlalchemy import update
from support import arena
from support.browsing import browser_of
from support.callers import Caller, assert_problem
from support.ledgers import a_record, chained

from engine import verify
from engine.ledger import WrongLine
from store.models.bots import Bot, BotKind
from workers.services import Services

TEAMS = {"game": "hachinin_meri", "options": {"rounds": 1}, "deals": 1}
ALONE = {"game": "hana_awase", "options": {"rounds": 1}, "deals": 1}


@pytest.fixture
def remote(services: Services) -> str:
    """A bot that counts as an endpoint; what it plays is played in house."""
    (name,) = arena.crowd(services.database, 1)
    return name


def make_endpoint(services: Services) -> None:
    with services.database.transaction() as tx:
        tx.change(
            update(Bot)
            .where(Bot.name == "greedy", Bot.owner.has(name="owner0"))
            .values(kind=BotKind.ENDPOINT)
        )


@pytest.mark.parametrize("is_dry", [False, True])
def test_where_it_is_ruled_out_no_endpoint_enters_an_event_in_teams(
    services: Services, organiser: Caller, remote: str, is_dry: bool
) -> None:
    make_endpoint(services)
    plan = {
        "name": "cup",
        "events": [ALONE, TEAMS],
        "entrants": ["house/first", remote],
        "endpoint_teams": False,
    }
    query = "?dry_run=true" if is_dry else ""
    assert_problem(organiser.post(f"/tournaments{query}", plan), 422, "bad_request", "entrants.1")
    fine = {**plan, "events": [ALONE]}
    assert organiser.post(f"/tournaments{query}", fine).status_code == (200 if is_dry else 201)
    draft = organiser.post("/tournaments", {**plan, "entrants": []}).json["id"]
    entered = organiser.post(f"/tournaments/{draft}/entrants", {"bots": [remote]})
    assert_problem(entered, 422, "bad_request", "entrants.0")


def test_elsewhere_its_row_is_marked(services: Services, organiser: Caller, remote: str) -> None:
    entrants = ("house/first", "house/random", remote)
    tournament = arena.finished(services, ALONE, TEAMS, entrants=entrants)
    make_endpoint(services)
    path = f"/tournaments/{tournament.id}"
    alone, teams = organiser.get(f"{path}/standings").json["events"]
    assert not any(row["is_endpoint_team"] for row in alone["rows"])
    assert {row["name"] for row in teams["rows"] if row["is_endpoint_team"]} == {remote}
    text = organiser.get(f"{path}/standings?event=1&format=csv").text
    marks = {row["name"]: row["is_endpoint_team"] for row in csv.DictReader(io.StringIO(text))}
    assert marks == {name: str(name == remote) for name in entrants}
    assert browser_of(organiser).get(f"{path}/events/1").text.count(">endpoint team<") == 1


def test_a_record_with_one_where_it_was_ruled_out_is_refused() -> None:
    lines = [json.loads(line) for line in a_record()]
    lines[0]["endpoint_teams"] = False
    with pytest.raises(WrongLine, match="line 1: endpoint_teams is false; entrant 3"):
        verify.check(chained(lines))
