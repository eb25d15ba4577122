"""Accounts that people make for themselves: by invitation, or where registration is open."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Thread

import pytest
from support import arena
from support.callers import NOBODY, Caller, assert_problem

from api.app import create_app
from store import schema
from store.database import Database
from workers import services as installed
from workers.services import Services


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Caller]:
    """Somebody without a token, where registration is open."""
    database = Database(f"sqlite:///{tmp_path / 'open.db'}")
    schema.upgrade(database)
    made = arena.install(database, FUDABA_OPEN_REGISTRATION="true", FUDABA_RATE_LIMIT_REGISTRATION="3/hour")
    yield Caller(create_app(made).test_client())
    made.close()


def invited(organiser: Caller, **how: int) -> str:
    answer = organiser.post("/invitations", how)
    assert answer.status_code == 201, answer.text
    text: str = answer.json["invitation"]
    return text


def test_an_invitation_makes_one_account_of_a_participant(organiser: Caller, anybody: Caller) -> None:
    text = invited(organiser)
    made = anybody.post("/accounts", {"name": "ann", "invitation": text})
    assert (made.status_code, made.json["role"]) == (201, "participant")
    assert Caller(anybody.client, made.json["token"]).get("/accounts/me").json["name"] == "ann"
    again = anybody.post("/accounts", {"name": "bea", "invitation": text})
    assert_problem(again, 422, "bad_request", "invitation")
    (row,) = organiser.get("/invitations").json["items"]
    assert (row["uses"], row["uses_left"], row["revoked_at"]) == (1, 0, None)
    assert text not in organiser.get("/invitations").text


def test_an_invitation_is_good_for_so_many(organiser: Caller, anybody: Caller) -> None:
    text = invited(organiser, uses=2)
    statuses = [
        anybody.post("/accounts", {"name": name, "invitation": text}).status_code
        for name in ("ann", "ann", "bea", "cat")
    ]
    assert statuses == [201, 409, 201, 422]  # a name that is taken uses nothing up


def test_of_many_at_once_so_many_are_let_in(organiser: Caller) -> None:
    text = invited(organiser, uses=3)
    statuses: list[int] = []

    def register(name: str) -> None:
        client = organiser.client.application.test_client()
        statuses.append(Caller(client).post("/accounts", {"name": name, "invitation": text}).status_code)

    threads = [Thread(target=register, args=(name,)) for name in "abcdefg"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [201] * 3 + [422] * 4


def test_an_invitation_ends_by_time_and_by_hand(
    services: Services, organiser: Caller, anybody: Caller
) -> None:
    text = invited(organiser, days=1)
    now = services.clock()
    installed.install(replace(services, clock=lambda: now + timedelta(days=1, seconds=9)))
    late = anybody.post("/accounts", {"name": "ann", "invitation": text})
    assert_problem(late, 422, "bad_request", "invitation")
    installed.install(services)
    (row,) = organiser.get("/invitations").json["items"]
    for _ in range(2):
        assert organiser.send("DELETE", f"/invitations/{row['id']}").status_code == 204
    revoked = anybody.post("/accounts", {"name": "ann", "invitation": text})
    assert_problem(revoked, 422, "bad_request", "invitation")
    assert_problem(organiser.send("DELETE", f"/invitations/{NOBODY}"), 404, "not_found")


def test_nobody_registers_without_an_invitation(
    organiser: Caller, participant: Caller, anybody: Caller
) -> None:
    assert_problem(anybody.post("/accounts", {"name": "eve"}), 403, "invitation_needed")
    unknown = anybody.post("/accounts", {"name": "eve", "invitation": "fdi_x"})
    assert_problem(unknown, 422, "bad_request", "invitation")
    text = invited(organiser)
    king = {"name": "eve", "role": "organiser", "invitation": text}
    assert_problem(anybody.post("/accounts", king), 403, "forbidden")
    assert_problem(participant.post("/accounts", {"name": "eve", "invitation": text}), 403, "forbidden")
    bad = Caller(anybody.client, "no-such-token").post("/accounts", {"name": "eve", "invitation": text})
    assert_problem(bad, 401, "unauthenticated")


def test_where_registration_is_open_it_is_open_so_often(opened: Caller) -> None:
    statuses = [opened.post("/accounts", {"name": name}).status_code for name in ("ann", "bea", "cat", "dan")]
    assert statuses == [201, 201, 201, 429]
    organiser = Caller(opened.client, arena.TOKEN)
    assert organiser.post("/accounts", {"name": "dan"}).status_code == 201
    assert_problem(opened.post("/accounts", {"name": "x", "role": "organiser"}), 429, "too_many_requests")


def test_a_lost_answer_is_given_again_with_its_key(organiser: Caller, anybody: Caller) -> None:
    body, key = {"name": "ann", "invitation": invited(organiser)}, {"Idempotency-Key": "a-long-random-key"}
    first, again = (anybody.post("/accounts", body, headers=key) for _ in range(2))
    assert (again.status_code, again.json) == (201, first.json)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"uses": 0}, "uses"),
        ({"uses": "2"}, "uses"),
        ({"days": 367}, "days"),
        ({"role": "organiser"}, "role"),
    ],
)
def test_a_bad_invitation_is_refused(organiser: Caller, body: dict[str, object], field: str) -> None:
    assert_problem(organiser.post("/invitations", body), 422, "invalid", field)


def test_invitations_and_accounts_are_in_the_log(organiser: Caller, anybody: Caller) -> None:
    anybody.post("/accounts", {"name": "ann", "invitation": invited(organiser)})
    organiser.post("/accounts", {"name": "bea"})
    log = organiser.get("/audit").json["items"]
    assert [(row["by"], row["action"]) for row in log] == [
        ("organiser", "account.create"),
        ("ann", "account.register"),
        ("organiser", "invitation.create"),
    ]


def test_a_token_is_rotated_in_one_step(participant: Caller, stranger: Caller, organiser: Caller) -> None:
    (old,) = participant.get("/tokens").json["items"]
    assert_problem(stranger.post(f"/tokens/{old['id']}/rotate"), 404, "not_found")
    rotated = participant.post(f"/tokens/{old['id']}/rotate")
    assert rotated.status_code == 201
    assert_problem(participant.get("/accounts/me"), 401, "unauthenticated")
    renewed = Caller(participant.client, rotated.json["token"])
    assert renewed.get("/accounts/me").json["name"] == "ann"
    assert_problem(renewed.post(f"/tokens/{old['id']}/rotate"), 409, "conflict")
    taken = organiser.post(f"/tokens/{rotated.json['id']}/rotate").json
    assert Caller(participant.client, taken["token"]).get("/accounts/me").json["name"] == "ann"


def test_ones_own_tokens_are_listed_without_their_texts(participant: Caller, stranger: Caller) -> None:
    for _ in range(2):
        participant.post("/tokens")
    rows: list[dict[str, object]] = []
    cursor = ""
    while True:
        page = participant.get(f"/tokens?limit=2{cursor}").json
        rows += page["items"]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert len({row["id"] for row in rows}) == len(rows) == 3
    assert {tuple(row) for row in rows} == {("id", "created_at", "revoked_at")}
