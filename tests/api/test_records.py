"""Editions and records over the API: what is final, and what anybody can verify it by."""

import json
from uuid import uuid4

import pytest
from sqlalchemy import update
from support import arena
from support.callers import Caller, assert_problem

from engine import ledger, verify
from store.models.tournaments import EntrantTotals, Tournament
from workers.services import Services

EVENTS = ({"game": "hana_awase", "options": {"rounds": 1}, "deals": 4}, {"game": "hachinin_meri", "deals": 1})


@pytest.fixture
def tournament(services: Services) -> Tournament:
    return arena.started(services.database, *EVENTS)


@pytest.fixture
def path(services: Services, tournament: Tournament) -> str:
    arena.play_all(services)
    return f"/tournaments/{tournament.id}"


def test_a_record_verifies_and_agrees_with_standings_matches_and_edition(anybody: Caller, path: str) -> None:
    answer = anybody.get(f"{path}/record")
    assert (answer.status_code, answer.content_type) == (200, "application/x-ndjson")
    assert answer.headers["Content-Disposition"].endswith('.ndjson"')
    record = answer.data.splitlines(keepends=True)
    summary = verify.check(record)
    matches = anybody.get(f"{path}/matches?limit=200").json["items"]
    assert summary.matches == len(matches)
    shown = anybody.get(f"{path}/standings").json
    assert shown["edition"] == {"number": 1, "sha256": summary.standings_sha256}
    lines = [line for line in map(json.loads, record) if line["kind"] == "match"]
    names = ("event", "number", "deal", "rotation", "entrants", "forfeits", "scores", "places", "points")
    assert [[line[name] for name in names] for line in lines] == [
        [match[name] for name in names] for match in matches
    ]


def test_the_tables_of_an_edition_are_those_of_the_standings(anybody: Caller, path: str) -> None:
    shown = anybody.get(f"{path}/standings").json
    listed = anybody.get(f"{path}/editions").json
    (item,) = listed["items"]
    edition = anybody.get(f"{path}/editions/1").json
    assert {name: edition[name] for name in item} == item
    assert ledger.digest(edition["standings"]) == item["sha256"] == shown["edition"]["sha256"]
    *events, overall = edition["standings"]
    exact = [(row["entrant"], row["place"], row["points_exact"], row["reason"]) for row in shown["overall"]]
    assert [(r["entrant"], r["place"], r["points"], r["reason"]) for r in overall["rows"]] == exact
    for table, event in zip(events, shown["events"], strict=True):
        assert table["event"] == event["index"]
        assert [(r["entrant"], r["points"], r["mean_score"]) for r in table["rows"]] == [
            (row["entrant"], row["points_exact"], row["mean_score_exact"]) for row in event["rows"]
        ]


def test_final_standings_never_move(services: Services, anybody: Caller, path: str) -> None:
    queries = ("", "?event=0", "?event=1", "?format=csv", "?event=0&format=csv")
    before = [anybody.get(f"{path}/standings{query}").text for query in queries]
    with services.database.transaction() as tx:
        tx.change(update(EntrantTotals).values(points=0, wins=0, faults=7))
    assert [anybody.get(f"{path}/standings{query}").text for query in queries] == before


def test_nothing_is_final_before_the_end(anybody: Caller, tournament: Tournament) -> None:
    path = f"/tournaments/{tournament.id}"
    assert_problem(anybody.get(f"{path}/record"), 409, "conflict")
    assert anybody.get(f"{path}/editions").json == {"items": [], "next_cursor": None}
    assert anybody.get(f"{path}/standings").json["edition"] is None
    assert anybody.get(f"{path}/standings?event=0").json["edition"] is None
    assert_problem(anybody.get(f"{path}/editions/1"), 404, "not_found")


def test_a_draft_and_a_cancelled_tournament_have_no_record(services: Services, organiser: Caller) -> None:
    path = f"/tournaments/{arena.draft(services.database).id}"
    assert_problem(organiser.get(f"{path}/record"), 409, "conflict")
    organiser.post(f"{path}/cancel")
    assert_problem(organiser.get(f"{path}/record"), 409, "conflict")


@pytest.mark.parametrize("below", ["record", "editions", "editions/1"])
def test_an_unknown_tournament_is_not_found(anybody: Caller, below: str) -> None:
    assert_problem(anybody.get(f"/tournaments/{uuid4()}/{below}"), 404, "not_found")
