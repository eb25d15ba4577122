"""Tournaments over the API: planning, entering, starting, cancelling, and how far they are."""

import hashlib
from typing import Any

import pytest
from sqlalchemy import event as sql_event
from support import arena
from support.callers import NOBODY, Caller, assert_problem

from engine import games
from store import entries
from workers.services import Services

SHORT = {"game": "hana_awase", "options": {"rounds": 1}, "deals": 2}
PLAN = {"name": "cup", "events": [SHORT], "entrants": list(arena.HOUSE)}


def created(organiser: Caller, **more: Any) -> dict[str, Any]:
    answer = organiser.post("/tournaments", {**PLAN, **more})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json
    return body


def test_a_draft_shows_what_was_asked_for(organiser: Caller) -> None:
    draft = created(organiser)
    assert (draft["name"], draft["state"], draft["organiser"]) == ("cup", "draft", "organiser")
    assert (draft["entrants"], draft["matches"], draft["played"]) == (3, 0, 0)
    assert draft["secret_seed"] is None
    event = draft["events"][0]
    assert (event["game"], event["seats"], event["deals"], event["state"]) == ("hana_awase", 3, 2, "waiting")
    assert organiser.get(f"/tournaments/{draft['id']}").json == draft


def test_without_events_every_game_is_played(organiser: Caller) -> None:
    draft = created(organiser, events=None)
    assert [event["game"] for event in draft["events"]] == [game.id for game in games.all_games()]


def test_a_dry_run_counts_and_stores_nothing(organiser: Caller) -> None:
    answer = organiser.post("/tournaments?dry_run=true", PLAN)
    assert answer.status_code == 200
    assert answer.json["matches"] == 6
    assert answer.json["events"][0]["tables"] == 1
    assert organiser.get("/tournaments").json["items"] == []
    started = organiser.post(f"/tournaments/{created(organiser)['id']}/start").json
    assert started["matches"] == answer.json["matches"]


def test_the_rule_that_ends_events_early_is_shown(organiser: Caller) -> None:
    rule = {"separation": 0.9, "top": 2}
    assert created(organiser)["stop"] is None
    draft = created(organiser, stop=rule)
    assert draft["stop"] == rule
    assert [event["stopped_after_block"] for event in draft["events"]] == [None]
    assert organiser.post("/tournaments?dry_run=true", {**PLAN, "stop": rule}).status_code == 200


@pytest.mark.parametrize("query", ["?dry_run=maybe", "?dry=true"])
def test_a_bad_query_is_refused_naming_the_field(organiser: Caller, query: str) -> None:
    field = query[1:].partition("=")[0]
    assert_problem(organiser.post(f"/tournaments{query}", PLAN), 422, "invalid", field)


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"name": None}, "name"),
        ({"name": ""}, "name"),
        ({"name": " "}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "a\x00"}, "name"),
        ({"name": "x" * 121}, "name"),
        ({"events": []}, "events"),
        ({"events": [{}]}, "events.0.game"),
        ({"events": [SHORT, {**SHORT, "rounds": 1}]}, "events.1.rounds"),
        ({"events": [{**SHORT, "deals": 0}]}, "events.0.deals"),
        ({"events": [{**SHORT, "deals": True}]}, "events.0.deals"),
        ({"events": [{**SHORT, "deals": "2"}]}, "events.0.deals"),
        ({"events": [{**SHORT, "seats": 2.5}]}, "events.0.seats"),
        ({"events": [{**SHORT, "options": []}]}, "events.0.options"),
        ({"events": "all"}, "events"),
        ({"entrants": "house/greedy"}, "entrants"),
        ({"entrants": [7]}, "entrants.0"),
        ({"limits": []}, "limits"),
        ({"stop": 0.95}, "stop"),
        ({"stop": {"separation": 0.95}}, "stop.top"),
        ({"stop": {"separation": "0.95", "top": 3}}, "stop.separation"),
        ({"stop": {"separation": True, "top": 3}}, "stop.separation"),
        ({"stop": {"separation": 1, "top": 3}}, "stop.separation"),
        ({"stop": {"separation": 0.95, "top": 0}}, "stop.top"),
        ({"stop": {"separation": 0.95, "top": 2.5}}, "stop.top"),
        ({"stop": {"separation": 0.95, "top": 3, "luck": 1}}, "stop.luck"),
        ({"endpoint_teams": "yes"}, "endpoint_teams"),
        ({"endpoint_duplicates": 1}, "endpoint_duplicates"),
        ({"owners_apart": "no"}, "owners_apart"),
        ({"secret_seed": "00"}, "secret_seed"),
        ({"secret_seed": "0" * 64 + "\n"}, "secret_seed"),
        ({"prize": 1}, "prize"),
    ],
)
def test_a_plan_of_the_wrong_shape_is_refused_naming_the_field(
    organiser: Caller, more: dict[str, Any], field: str
) -> None:
    for query in ("", "?dry_run=true"):
        assert_problem(organiser.post(f"/tournaments{query}", {**PLAN, **more}), 422, "invalid", field)


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"events": [{"game": "go"}]}, "events.0.game"),
        ({"events": [SHORT, {**SHORT, "options": {"rounds": 99}}]}, "events.1.options"),
        ({"events": [{**SHORT, "options": {"luck": 1}}]}, "events.0.options"),
        ({"events": [{**SHORT, "seats": 9}]}, "events.0.seats"),
        ({"events": [{**SHORT, "schedule": "swiss"}]}, "events.0.schedule"),
        ({"entrants": ["house/greedy", "house/best"]}, "entrants.1"),
        ({"entrants": ["house/greedy", "house/greedy"]}, "entrants.1"),
        ({"entrants": [NOBODY]}, "entrants.0"),
        ({"limits": {"decision_ms": 0}}, "limits"),
        ({"limits": {"luck": 1}}, "limits"),
    ],
)
def test_a_plan_that_cannot_be_played_is_refused_naming_the_field(
    organiser: Caller, more: dict[str, Any], field: str
) -> None:
    assert_problem(organiser.post("/tournaments", {**PLAN, **more}), 422, "bad_request", field)


def test_a_bot_that_is_not_qualified_does_not_enter(organiser: Caller, participant: Caller) -> None:
    bot = participant.submit({"name": "b"}).json
    plan = {**PLAN, "entrants": [bot["id"]]}
    assert_problem(organiser.post("/tournaments", plan), 422, "bad_request", "entrants.0")


def test_bots_enter_a_draft_in_order(organiser: Caller) -> None:
    draft = created(organiser, entrants=["house/first"])
    path = f"/tournaments/{draft['id']}/entrants"
    answer = organiser.post(path, {"bots": ["house/random", "house/greedy"]})
    assert answer.status_code == 201
    names = [(row["number"], row["name"], row["kind"]) for row in answer.json["items"]]
    assert names == [(0, "house/first", "house"), (1, "house/random", "house"), (2, "house/greedy", "house")]
    assert organiser.get(path).json == answer.json


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "invalid", "bots"),
        ({"bots": []}, "invalid", "bots"),
        ({"bots": ["house/best"]}, "bad_request", "entrants.0"),
        ({"bots": ["house/first"]}, "bad_request", "entrants.0"),
    ],
)
def test_a_bad_entry_is_refused(organiser: Caller, body: Any, code: str, field: str) -> None:
    draft = created(organiser)
    assert_problem(organiser.post(f"/tournaments/{draft['id']}/entrants", body), 422, code, field)


def test_participants_enter_their_own_bots_alone(organiser: Caller, participant: Caller) -> None:
    path = f"/tournaments/{created(organiser, entrants=[])['id']}/entrants"
    assert_problem(participant.post(path, {"bots": ["house/greedy"]}), 403, "forbidden")
    assert_problem(participant.post(path, {"bots": ["ann/none"]}), 422, "bad_request", "bots.0")


def test_a_started_tournament_runs_and_takes_no_more_entrants(organiser: Caller) -> None:
    path = f"/tournaments/{created(organiser)['id']}"
    answer = organiser.post(f"{path}/start")
    assert (answer.status_code, answer.json["state"], answer.json["matches"]) == (202, "running", 6)
    assert answer.json["events"][0]["entrants"] == [0, 1, 2]
    assert answer.json["started_at"].endswith("Z")
    assert_problem(organiser.post(f"{path}/start"), 409, "conflict")
    assert_problem(organiser.post(f"{path}/entrants", {"bots": ["house/first"]}), 409, "conflict")


def test_a_tournament_without_entrants_does_not_start(organiser: Caller) -> None:
    path = f"/tournaments/{created(organiser, entrants=[])['id']}"
    assert_problem(organiser.post(f"{path}/start"), 409, "conflict")
    assert organiser.get(path).json["state"] == "draft"


def test_a_cancelled_tournament_reveals_its_secret_and_stays_cancelled(organiser: Caller) -> None:
    path = f"/tournaments/{created(organiser)['id']}"
    organiser.post(f"{path}/start")
    answer = organiser.post(f"{path}/cancel")
    assert (answer.status_code, answer.json["state"]) == (200, "cancelled")
    secret = bytes.fromhex(answer.json["secret_seed"])
    assert hashlib.sha256(secret).hexdigest() == answer.json["commitment"]
    for action in ("start", "cancel"):
        assert_problem(organiser.post(f"{path}/{action}"), 409, "conflict")


def test_progress_counts_what_was_played_until_all_is(services: Services, organiser: Caller) -> None:
    tournament = arena.started(services.database)
    path = f"/tournaments/{tournament.id}"
    begun = organiser.get(path).json
    arena.play_all(services, most=1)
    half = organiser.get(path).json
    assert 0 < half["played"] < half["matches"] == 6
    assert 0 < half["seconds_left"] < begun["seconds_left"]
    arena.play_all(services)
    done = organiser.get(path).json
    assert (done["played"], done["state"], done["secret_seed"]) == (6, "finished", arena.SECRET.hex())
    assert done["seconds_left"] is None
    events = organiser.get(f"{path}/events").json["items"]
    assert [(row["state"], row["played"], row["matches"]) for row in events] == [("finished", 6, 6)]


def test_tournaments_are_pages_that_show_each_once(services: Services, organiser: Caller) -> None:
    made = {str(arena.draft(services.database).id) for _ in range(5)}  # all at one time
    seen: list[str] = []
    cursor = ""
    while True:
        page = organiser.get(f"/tournaments?limit=2{cursor}").json
        seen += [row["id"] for row in page["items"]]
        created(organiser)  # rows that are added meanwhile come before
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert len(seen) == len(set(seen)) == 5
    assert set(seen) == made


def test_tournaments_are_listed_by_state(services: Services, organiser: Caller) -> None:
    arena.draft(services.database)
    running = arena.started(services.database)
    listed = organiser.get("/tournaments?state=running").json["items"]
    assert [row["id"] for row in listed] == [str(running.id)]
    assert_problem(organiser.get("/tournaments?state=lost"), 422, "invalid", "state")


@pytest.mark.parametrize("rows", [1, 6])
def test_the_queries_of_a_list_do_not_grow_with_its_rows(
    services: Services, organiser: Caller, rows: int
) -> None:
    for _ in range(rows):
        arena.draft(services.database)
    statements: list[str] = []
    sql_event.listen(
        services.database.engine,
        "before_cursor_execute",
        lambda connection, cursor, statement, *rest: statements.append(statement),
    )
    assert len(organiser.get("/tournaments").json["items"]) == rows
    assert len([text for text in statements if text.startswith("SELECT")]) == 2


@pytest.mark.parametrize("tournament_id", [NOBODY, "x", "0", "%00"])
def test_an_unknown_tournament_is_not_found_anywhere(organiser: Caller, tournament_id: str) -> None:
    path = f"/tournaments/{tournament_id}"
    for below in ("", "/entrants", "/events", "/standings", "/matches"):
        assert_problem(organiser.get(path + below), 404, "not_found")
    for action in ("start", "cancel"):
        assert_problem(organiser.post(f"{path}/{action}"), 404, "not_found")
    assert_problem(organiser.post(f"{path}/entrants", {"bots": ["house/first"]}), 404, "not_found")


def test_most_entrants_is_a_limit_of_the_shape_too(organiser: Caller) -> None:
    many = ["house/first"] * (entries.MOST_ENTRANTS + 1)
    assert_problem(organiser.post("/tournaments", {**PLAN, "entrants": many}), 422, "invalid", "entrants")
