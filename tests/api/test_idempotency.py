"""Idempotency keys over the API: what is sent again is not done again."""

from threading import Barrier, Thread
from typing import Any

import pytest
from sqlalchemy import select
from support.callers import MODULE, Answer, Caller, assert_problem, new_participant
from urllib3.filepost import encode_multipart_formdata

from store import idempotency
from store.models.idempotency import IdempotencyKey
from workers.services import Services

KEY = {"Idempotency-Key": "3f1c"}
PLAN = {"name": "cup", "entrants": ["house/first"]}


def tournaments(caller: Caller) -> int:
    return len(caller.get("/tournaments").json["items"])


def submitted(caller: Caller, content: bytes, boundary: str, **headers: str) -> Answer:
    parts = {"meta": '{"name": "b"}', "file": ("bot.py", content)}
    body, kind = encode_multipart_formdata(parts, boundary=boundary)
    return caller.post("/bots", data=body, content_type=kind, headers=headers)


def test_a_request_sent_again_gets_the_first_answer(organiser: Caller) -> None:
    first = organiser.post("/tournaments", PLAN, headers=KEY)
    again = organiser.post("/tournaments", PLAN, headers=KEY)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.data == first.data
    assert again.content_type == first.content_type
    assert (first.headers.get("Idempotency-Replayed"), again.headers["Idempotency-Replayed"]) == (
        None,
        "true",
    )
    assert tournaments(organiser) == 1


def test_without_a_key_it_is_done_again(organiser: Caller) -> None:
    for _ in range(2):
        organiser.post("/tournaments", PLAN)
    assert tournaments(organiser) == 2


def test_the_key_with_another_request_is_refused(organiser: Caller) -> None:
    organiser.post("/tournaments", PLAN, headers=KEY)
    for path, body in (
        ("/tournaments", {**PLAN, "name": "other"}),
        ("/tournaments?dry_run=true", PLAN),
        ("/accounts", {"name": "ann"}),
    ):
        refused = organiser.post(path, body, headers=KEY)
        assert_problem(refused, 422, "key_reused", "Idempotency-Key")
    assert tournaments(organiser) == 1


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 256, "\xe4"])
def test_a_key_that_is_none_is_refused(organiser: Caller, key: str) -> None:
    refused = organiser.post("/tournaments", PLAN, headers={"Idempotency-Key": key})
    assert_problem(refused, 422, "bad_request", "Idempotency-Key")
    assert tournaments(organiser) == 0


def test_a_refusal_is_an_answer_too(organiser: Caller) -> None:
    first = organiser.post("/accounts", {"name": "house"}, headers=KEY)
    again = organiser.post("/accounts", {"name": "house"}, headers=KEY)
    assert_problem(first, 409, "conflict")
    assert again.json == first.json


def test_a_key_belongs_to_an_account(organiser: Caller) -> None:
    ann, bea = new_participant(organiser, "ann"), new_participant(organiser, "bea")
    first, second = (caller.post("/tokens", headers=KEY).json for caller in (ann, bea))
    assert first["account_id"] != second["account_id"]


def test_a_secret_in_a_kept_answer_cannot_be_read_from_the_database(
    services: Services, organiser: Caller
) -> None:
    issued = organiser.post("/tokens", headers=KEY).json
    assert organiser.post("/tokens", headers=KEY).json == issued
    with services.database.transaction() as tx:
        row = tx.scalars(select(IdempotencyKey)).one()
    assert row.answer is not None
    assert issued["token"].encode() not in row.answer
    assert row.key_sha256 != KEY["Idempotency-Key"]
    other = Caller(organiser.client, issued["token"])
    assert_problem(other.post("/tokens", headers=KEY), 409, "conflict")


def test_an_upload_is_the_same_whatever_its_boundary(participant: Caller) -> None:
    first = submitted(participant, MODULE, "one", **KEY)
    assert first.status_code == 202, first.text
    assert submitted(participant, MODULE, "two", **KEY).data == first.data
    assert_problem(submitted(participant, MODULE + b"#", "one", **KEY), 422, "key_reused", "Idempotency-Key")


def test_what_failed_on_our_side_may_be_sent_again(
    organiser: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("store.tournaments.create", lambda *args, **more: 1 // 0)
        assert organiser.post("/tournaments", PLAN, headers=KEY).status_code == 500
    assert organiser.post("/tournaments", PLAN, headers=KEY).status_code == 201


def test_a_request_that_is_still_being_answered_is_not_done_again(
    services: Services, organiser: Caller
) -> None:
    organiser.post("/tournaments", PLAN, headers=KEY)
    with services.database.transaction() as tx:
        tx.scalars(select(IdempotencyKey)).one().answer = None
    assert_problem(organiser.post("/tournaments", PLAN, headers=KEY), 409, "in_progress")
    assert tournaments(organiser) == 1


def test_many_at_once_do_it_once(organiser: Caller) -> None:
    barrier = Barrier(6)
    answers: list[Any] = []

    def ask() -> None:
        caller = Caller(organiser.client.application.test_client(), organiser.token)
        barrier.wait()
        answers.append(caller.post("/tournaments", PLAN, headers=KEY))

    threads = [Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tournaments(organiser) == 1
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len({answer.json["id"] for answer in answers if answer.status_code == 201}) == 1
    assert {answer.json["code"] for answer in answers if answer.status_code == 409} <= {"in_progress"}


def test_a_key_is_looked_at_after_the_token(anybody: Caller, organiser: Caller) -> None:
    organiser.post("/tournaments", PLAN, headers=KEY)
    assert_problem(anybody.post("/tournaments", PLAN, headers=KEY), 401, "unauthenticated")
    assert idempotency.KEEP.days == 1
