"""Matches and replays over the API."""

from typing import Any

import pytest
from support import arena, ladders
from support.callers import NOBODY, Caller, assert_problem

from engine.record import Record
from store.models.matches import FaultRow
from store.models.tournaments import Tournament
from workers.services import Services

HEX = NOBODY.replace("-", "")
EVENTS = (
    {"game": "hana_awase", "options": {"rounds": 1}, "deals": 4},
    {"game": "hana_awase", "options": {"rounds": 1}, "deals": 1},
)


@pytest.fixture
def tournament(services: Services) -> Tournament:
    return arena.started(services.database, *EVENTS)


@pytest.fixture
def path(services: Services, tournament: Tournament) -> str:
    arena.play_all(services)
    return f"/tournaments/{tournament.id}/matches"


def walk(caller: Caller, path: str, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = caller.get(f"{path}?limit=2{query}{cursor}").json
        assert len(page["items"]) <= 2
        found += page["items"]
        if page["next_cursor"] is None:
            return found
        cursor = f"&cursor={page['next_cursor']}"


def test_pages_show_every_match_once_in_order(anybody: Caller, path: str) -> None:
    found = walk(anybody, path)
    assert [(row["event"], row["number"]) for row in found] == [
        *((0, number) for number in range(12)),
        *((1, number) for number in range(3)),
    ]
    assert anybody.get(path).json == {"items": found, "next_cursor": None}


def test_matches_are_listed_by_event_and_entrant(anybody: Caller, path: str) -> None:
    assert [row["event"] for row in walk(anybody, path, "&event=1")] == [1, 1, 1]
    assert len(walk(anybody, path, "&event=0&entrant=2")) == 12
    assert walk(anybody, path, "&event=7") == walk(anybody, path, "&entrant=7") == []


def test_a_match_is_shown_as_in_the_list(anybody: Caller, path: str) -> None:
    for row in anybody.get(path).json["items"]:
        assert anybody.get(f"/matches/{row['id']}").json == row
        assert sorted(row["table"]) == sorted(row["entrants"]) == [0, 1, 2]
        assert len(row["scores"]) == len(row["places"]) == len(row["points"]) == 3


@pytest.mark.parametrize("query", ["event=-1", "entrant=x", "limit=0", "limit=201", "limit=x", "page=2"])
def test_a_bad_query_is_refused_naming_the_field(anybody: Caller, tournament: Tournament, query: str) -> None:
    path = f"/tournaments/{tournament.id}/matches"
    assert_problem(anybody.get(f"{path}?{query}"), 422, "invalid", query.partition("=")[0])


def test_a_replay_shows_every_step_of_the_record(anybody: Caller, path: str) -> None:
    match = anybody.get(path).json["items"][5]
    replay = anybody.get(f"/matches/{match['id']}/replay").json
    assert replay["match"] == match
    record = Record.from_json(replay["record"])
    assert list(record.final().scores()) == match["scores"]
    assert [step["action"] for step in replay["steps"]] == [*record.actions, None]
    for step in replay["steps"][:-1]:
        assert step["action"] in step["legal"]
        assert step["observations"][str(step["seat"])]["legal"] == step["legal"]
        assert set(step["observations"]) == {"0", "1", "2"}


def test_a_replay_through_the_eyes_of_one_seat_shows_no_other(anybody: Caller, path: str) -> None:
    match_id = anybody.get(path).json["items"][0]["id"]
    whole = anybody.get(f"/matches/{match_id}/replay").json
    for seat in range(3):
        own = anybody.get(f"/matches/{match_id}/replay?seat={seat}").json
        for step, all_eyes in zip(own["steps"], whole["steps"], strict=True):
            assert step["observations"] == {str(seat): all_eyes["observations"][str(seat)]}
    assert_problem(anybody.get(f"/matches/{match_id}/replay?seat=3"), 404, "not_found", "seat")
    assert_problem(anybody.get(f"/matches/{match_id}/replay?seat=x"), 422, "invalid", "seat")


def test_cards_stay_hidden_while_the_event_runs(
    services: Services, anybody: Caller, organiser: Caller, tournament: Tournament
) -> None:
    arena.play_all(services, most=1)
    match = anybody.get(f"/tournaments/{tournament.id}/matches").json["items"][0]
    for caller in (anybody, organiser):
        assert_problem(caller.get(f"/matches/{match['id']}/replay"), 409, "conflict")


def test_faults_are_counted_for_all_and_shown_to_the_owner(
    services: Services, anybody: Caller, organiser: Caller, tournament: Tournament
) -> None:
    arena.play_all(services)
    event, version = tournament.events[0], tournament.entrants[0].version
    with services.database.transaction() as tx:
        for number in range(5):
            where = {"event_id": event.id, "number": number, "step": 3, "seat": 1}
            who = {"bot_id": version.bot_id, "version_id": version.id}
            what = {"code": "illegal", "detail": f"it was {number}", "evidence": {"reply": "x"}}
            tx.add(FaultRow(**where, **who, **what, created_at=arena.NOW))
    found = walk(organiser, f"/bots/{version.bot_id}/faults")
    assert [row["detail"] for row in found] == [f"it was {number}" for number in range(5)]
    first = found[0]
    assert first["match_id"] == f"{event.id.hex}-0"
    assert (first["game"], first["event"], first["step"], first["seat"]) == ("hana_awase", 0, 3, 1)
    assert (first["version"], first["code"], first["evidence"]) == (1, "illegal", {"reply": "x"})
    assert anybody.get(f"/matches/{first['match_id']}/replay").json["faults"] == [[3, 1, "illegal"]]


@pytest.mark.parametrize(
    "match_id",
    [
        "x",
        "-",
        f"{HEX}-0",
        NOBODY,
        f"{HEX}--1",
        f"{HEX}-{'9' * 30}",
        "%00",
        "é-1",
    ],
)
def test_an_unknown_match_is_not_found(anybody: Caller, tournament: Tournament, match_id: str) -> None:
    assert_problem(anybody.get(f"/matches/{match_id}"), 404, "not_found")
    assert_problem(anybody.get(f"/matches/{match_id}/replay"), 404, "not_found")


def test_a_match_that_was_not_played_is_not_found(anybody: Caller, tournament: Tournament) -> None:
    assert_problem(anybody.get(f"/matches/{tournament.events[0].id.hex}-0"), 404, "not_found")


def test_the_matches_of_one_entrant_are_those_that_it_sat_in(services: Services, anybody: Caller) -> None:
    events = [{"game": "hana_awase", "seats": 3, "options": {"rounds": 1}, "deals": 1}] * 2
    more = arena.crowd(services.database, 2)
    cup = arena.started(services.database, *events, entrants=(*arena.HOUSE, *more)).id
    arena.play_all(services)
    ladder = ladders.made(services.database, arena.HOUSE, events=(ladders.TWO,))
    ladders.play_rounds(services, ladder.id, 4)
    season = ladders.last(services.database, ladder.id).tournament_id
    for tournament_id, entrants in ((cup, 5), (season, 3)):
        path = f"/tournaments/{tournament_id}/matches"
        every = walk(anybody, path)
        assert [(row["event"], row["number"]) for row in every] == sorted(
            (row["event"], row["number"]) for row in every
        )
        for entrant in range(entrants):
            mine = [row for row in every if entrant in row["entrants"]]
            assert walk(anybody, path, f"&entrant={entrant}") == mine
            assert walk(anybody, path, f"&entrant={entrant}&event=0") == [
                row for row in mine if row["event"] == 0
            ]
        assert walk(anybody, path, "&entrant=99") == []
