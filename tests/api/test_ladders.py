"""Ladders over the API: making, entering, reading and closing them."""

from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask import Flask
from support import arena, owners
from support import ladders as build
from support.callers import Caller, assert_problem
from support.ladders import TWO

from engine import verify
from store import accounts
from store.models.accounts import Account
from workers.services import Services

SAKURA = {"game": "sakura", "seats": 2, "options": {"rounds": 1}}


@pytest.fixture
def ladder(services: Services) -> str:
    """A ladder of house bots with three rounds played, and another begun."""
    made = build.made(services.database, arena.HOUSE, events=(TWO,))
    build.play_rounds(services, made.id, 3)
    return f"/ladders/{made.id}"


def own_bot(services: Services, caller: Caller, name: str = "b") -> str:
    """Give the account of a caller a qualified bot; return its id."""
    with services.database.transaction() as tx:
        account = accounts.authenticate(tx, caller.token or "")
        assert isinstance(account, Account)
    return str(owners.qualified_bot(services.database, account, name).bot_id)


def test_a_ladder_is_made_with_its_first_season_committed_to(organiser: Caller, anybody: Caller) -> None:
    made = organiser.post("/ladders", json={"name": "all", "settings": [SAKURA]}).json
    shown = anybody.get(f"/ladders/{made['id']}").json
    assert shown["ladder"] == made
    assert made["settings"][0]["options"]["rounds"] == 1
    season = shown["season"]
    assert (season["number"], season["phase"], season["rounds"]) == (1, "open", 0)
    assert len(season["commitment"]) == len(season["closing_commitment"]) == 64
    assert season["secret_seed"] is None
    assert shown["members"] == {"active": 0, "benched": 0, "off": 0}
    assert shown["idle_reason"] is None
    assert [row["id"] for row in anybody.get("/ladders").json["items"]] == [made["id"]]
    assert anybody.get("/tournaments").json["items"] == []


def test_without_settings_a_ladder_spans_every_game(organiser: Caller, anybody: Caller) -> None:
    made = organiser.post("/ladders", json={"name": "all"}).json
    games = [game["id"] for game in anybody.get("/games").json["items"]]
    assert [setting["game"] for setting in made["settings"]] == games


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": " "}, "name"),
        ({"settings": []}, "settings"),
        ({"settings": [{"game": "chess"}]}, "settings.0.game"),
        ({"settings": [{"game": "sakura", "seats": 99}]}, "settings.0.seats"),
        ({"limits": {"decision_ms": -1}}, "limits"),
        ({"round_seconds": -1}, "round_seconds"),
        ({"deals": 0}, "deals"),
        ({"secret_seed": "00"}, "secret_seed"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_ladder_that_cannot_be_is_refused_by_field(
    change: dict[str, Any], field: str, organiser: Caller
) -> None:
    answer = organiser.post("/ladders", json={"name": "all", **change})
    assert (answer.status_code, answer.json["field"]) == (422, field)


def test_participants_enter_and_take_off_their_own_bots(
    services: Services, organiser: Caller, participant: Caller, stranger: Caller, ladder: str
) -> None:
    bot_id = own_bot(services, participant)
    assert_problem(stranger.post(f"{ladder}/members", json={"bots": [bot_id]}), 403, "forbidden")
    entered = participant.post(f"{ladder}/members", json={"bots": [bot_id]})
    assert entered.status_code == 201
    assert [row["bot_id"] for row in entered.json["items"] if row["owner"] == "ann"] == [bot_id]
    unknown = organiser.post(f"{ladder}/members", {"bots": ["house/greedy", "ann/none"]})
    assert_problem(unknown, 422, "bad_request", "bots.1")
    other = own_bot(services, participant, "c")
    assert_problem(participant.post(f"{ladder}/members", json={"bots": [other]}), 409, "conflict")
    assert_problem(stranger.send("DELETE", f"{ladder}/members/{bot_id}"), 403, "forbidden")
    assert participant.send("DELETE", f"{ladder}/members/{bot_id}").status_code == 204
    assert_problem(participant.send("DELETE", f"{ladder}/members/{bot_id}"), 404, "not_found")
    assert len(participant.get(f"{ladder}/members").json["items"]) == 3


def test_the_board_is_in_order_and_rows_say_how_sure_they_are(anybody: Caller, ladder: str) -> None:
    board = anybody.get(f"{ladder}/standings").json
    rows = board["rows"]
    assert {row["name"] for row in rows} == set(arena.HOUSE)
    assert [row["order"] for row in rows] == sorted((row["order"] for row in rows), reverse=True)
    assert all(row["order"] == pytest.approx(row["mu"] - 3 * row["sigma"]) for row in rows)
    assert board["season"]["applied"] == 3
    assert_problem(anybody.get(f"{ladder}/standings?season=2"), 404, "not_found")


def test_matches_are_paged_the_last_first_and_chain_to_the_history(anybody: Caller, ladder: str) -> None:
    found: list[dict[str, Any]] = []
    cursor = ""
    while cursor is not None:
        page = anybody.get(f"{ladder}/matches?limit=2{cursor and '&cursor=' + cursor}").json
        found += page["items"]
        cursor = page["next_cursor"]
    assert [match["number"] for match in found] == [5, 4, 3, 2, 1, 0]
    for row in anybody.get(f"{ladder}/standings").json["rows"]:
        moves = [m for match in reversed(found) for m in match["moves"] if m["entrant"] == row["entrant"]]
        assert all(one["after"] == other["before"] for one, other in pairwise(moves))
        steps = anybody.get(f"{ladder}/history?bot={row['bot_id']}").json["items"]
        assert steps == anybody.get(f"{ladder}/history?bot={row['name']}").json["items"]
        assert (steps[-1]["mu"], steps[-1]["sigma"]) == (row["mu"], row["sigma"])
        assert moves[-1]["after"] == {"mu": row["mu"], "sigma": row["sigma"]}
    replay = anybody.get(f"/matches/{found[0]['id']}/replay").json
    assert replay["match"]["places"] == found[0]["places"]


def test_pages_of_a_history_follow_one_another(anybody: Caller, ladder: str) -> None:
    path = f"{ladder}/history?bot=house/greedy"
    whole = anybody.get(path).json["items"]
    first = anybody.get(f"{path}&limit=1").json
    rest = anybody.get(f"{path}&cursor={first['next_cursor']}").json
    assert first["items"] + rest["items"] == whole
    for bad, field in ((f"{path}&cursor=x", "cursor"), (f"{ladder}/history", "bot")):
        answer = anybody.get(bad)
        assert (answer.status_code, answer.json["field"]) == (422, field)
    assert_problem(anybody.get(f"{ladder}/history?bot=house/nobody"), 404, "not_found")


def test_a_season_ends_is_revealed_and_stays_as_it_was(
    services: Services, organiser: Caller, anybody: Caller, ladder: str
) -> None:
    assert organiser.post(f"{ladder}/seasons").status_code == 202
    build.play_season(services, UUID(ladder.rpartition("/")[2]), 1)
    first, second = anybody.get(f"{ladder}/seasons").json["items"]
    assert (first["phase"], second["phase"]) == ("over", "open")
    assert first["secret_seed"] == arena.SECRET.hex()
    assert second["secret_seed"] is None
    closing = anybody.get(f"/tournaments/{first['closing_id']}").json
    assert closing["commitment"] == first["closing_commitment"]
    frozen = anybody.get(f"{ladder}/standings?season=1").json
    assert frozen["season"]["sha256"] == first["sha256"]
    overall = anybody.get(f"/tournaments/{first['closing_id']}/standings").json["overall"]
    assert [(row["name"], row["closing_points"]) for row in frozen["rows"]] == [
        (row["name"], row["points_exact"]) for row in overall
    ]
    assert anybody.get(f"/tournaments/{first['closing_id']}/record").status_code == 200
    record = anybody.get(f"/tournaments/{first['tournament_id']}/record")
    assert verify.check(record.data.splitlines(keepends=True)).standings_sha256 == first["sha256"]
    assert_problem(anybody.get(f"/tournaments/{second['tournament_id']}/record"), 409, "conflict")


def test_a_closed_ladder_takes_nobody(organiser: Caller, anybody: Caller, ladder: str) -> None:
    assert organiser.post(f"{ladder}/close").json["state"] == "closed"
    assert_problem(organiser.post(f"{ladder}/close"), 409, "conflict")
    assert_problem(organiser.post(f"{ladder}/seasons"), 409, "conflict")
    assert_problem(organiser.post(f"{ladder}/members", json={"bots": ["house/greedy"]}), 409, "conflict")
    assert anybody.get(ladder).json["season"]["is_ending"]


def test_bots_do_not_enter_or_leave_a_season_by_the_side_door(organiser: Caller, ladder: str) -> None:
    host = organiser.get(ladder).json["season"]["tournament_id"]
    assert_problem(
        organiser.post(f"/tournaments/{host}/entrants", json={"bots": ["house/greedy"]}), 409, "conflict"
    )
    assert organiser.get(f"/tournaments/{host}/entrants").status_code == 200
    assert organiser.get(f"/tournaments/{host}/standings").status_code == 200


def test_an_idle_ladder_is_shown_as_such(anybody: Caller, services: Services) -> None:
    made = build.made(services.database, arena.HOUSE, events=(TWO,))  # hours ago, and nobody paired it
    assert "no round was paired" in anybody.get(f"/ladders/{made.id}").json["idle_reason"]


def test_unknown_ladders_are_not_found(app: Flask, organiser: Caller) -> None:
    path = f"/ladders/{uuid4()}"
    for below in ("", "/seasons", "/members", "/standings", "/matches", "/history?bot=house/greedy"):
        assert_problem(organiser.get(f"{path}{below}"), 404, "not_found")
    for below in ("/seasons", "/close"):
        assert_problem(organiser.post(f"{path}{below}"), 404, "not_found")
    assert_problem(organiser.post(f"{path}/members", json={"bots": ["house/greedy"]}), 404, "not_found")
    assert_problem(organiser.send("DELETE", f"{path}/members/{uuid4()}"), 404, "not_found")
