"""Accounts and tokens over the API."""

from uuid import uuid4

import pytest
from support.callers import Caller, assert_problem


def test_an_organiser_creates_a_participant_whose_token_works(organiser: Caller) -> None:
    created = organiser.post("/accounts", {"name": "ann"})
    assert created.status_code == 201
    assert created.json["role"] == "participant"
    me = Caller(organiser.client, created.json["token"]).get("/accounts/me")
    assert me.status_code == 200
    assert me.json == {key: created.json[key] for key in ("id", "name", "role", "created_at")}
    assert me.json["created_at"].endswith("Z")


def test_an_organiser_creates_another_organiser(organiser: Caller) -> None:
    created = organiser.post("/accounts", {"name": "org", "role": "organiser"})
    other = Caller(organiser.client, created.json["token"])
    assert other.post("/accounts", {"name": "ann"}).status_code == 201


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 41}, "name"),
        ({"name": "a b"}, "name"),
        ({"name": "a\n"}, "name"),
        ({"name": 7}, "name"),
        ({"name": None}, "name"),
        ({"name": "ann", "role": "house"}, "role"),
        ({"name": "ann", "role": "king"}, "role"),
        ({"name": "ann", "mail": "a@b"}, "mail"),
    ],
)
def test_a_bad_account_is_refused_naming_the_field(organiser: Caller, body: object, field: str) -> None:
    assert_problem(organiser.post("/accounts", body), 422, "invalid", field)


@pytest.mark.parametrize("body", ["[]", '"ann"', "7", "null"])
def test_a_body_that_is_no_object_is_refused(organiser: Caller, body: str) -> None:
    answer = organiser.post("/accounts", data=body, content_type="application/json")
    assert_problem(answer, 422, "invalid")


@pytest.mark.parametrize("name", ["ann", "house", "organiser"])
def test_a_name_that_is_taken_conflicts(organiser: Caller, participant: Caller, name: str) -> None:
    assert_problem(organiser.post("/accounts", {"name": name}), 409, "conflict")


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Bearer no-such-token", "Basic YTpi", "Token x", "Bearer \xff"]
)
def test_without_a_valid_token_one_is_asked_for(anybody: Caller, header: str) -> None:
    answer = anybody.get("/accounts/me", headers={"Authorization": header})
    assert_problem(answer, 401, "unauthenticated")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_the_scheme_is_read_in_any_case(anybody: Caller, participant: Caller) -> None:
    answer = anybody.get("/accounts/me", headers={"Authorization": f"bearer {participant.token}"})
    assert answer.status_code == 200


def test_further_tokens_are_made_and_revoked(participant: Caller) -> None:
    issued = participant.post("/tokens")
    assert issued.status_code == 201
    other = Caller(participant.client, issued.json["token"])
    assert other.get("/accounts/me").json == participant.get("/accounts/me").json
    for _ in range(2):
        gone = participant.send("DELETE", f"/tokens/{issued.json['id']}")
        assert (gone.status_code, gone.data) == (204, b"")
    assert_problem(other.get("/accounts/me"), 401, "unauthenticated")


def test_only_organisers_make_tokens_of_others(
    organiser: Caller, participant: Caller, stranger: Caller
) -> None:
    ann = participant.get("/accounts/me").json["id"]
    issued = organiser.post("/tokens", {"account_id": ann})
    assert Caller(organiser.client, issued.json["token"]).get("/accounts/me").json["name"] == "ann"
    assert_problem(stranger.post("/tokens", {"account_id": ann}), 403, "forbidden")
    assert_problem(organiser.post("/tokens", {"account_id": str(uuid4())}), 404, "not_found")
    assert_problem(organiser.post("/tokens", {"account_id": "x"}), 422, "invalid", "account_id")


def test_a_token_of_somebody_else_is_not_revoked(participant: Caller, stranger: Caller) -> None:
    issued = participant.post("/tokens").json
    assert_problem(stranger.send("DELETE", f"/tokens/{issued['id']}"), 404, "not_found")
    assert Caller(participant.client, issued["token"]).get("/accounts/me").status_code == 200


def test_no_list_or_answer_shows_a_token_again(organiser: Caller, participant: Caller) -> None:
    assert participant.token is not None
    for path in ("/accounts/me", "/bots"):
        assert participant.token not in participant.get(path).text
