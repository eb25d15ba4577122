"""Webhooks over the API: one's own alone, with a secret shown once, a log and a trial."""

from typing import Any

import pytest
from support import arena
from support.callers import NOBODY, Caller, assert_problem

from workers.services import Services

URL = "https://93.184.215.14/hook?a=b"
NEW = {"url": URL, "events": ["tournament.finished", "tournament.started"]}


@pytest.fixture
def hook(participant: Caller) -> str:
    """The path of a webhook of the participant's."""
    created = participant.post("/webhooks", NEW)
    assert created.status_code == 201, created.text
    return f"/webhooks/{created.json['id']}"


def test_a_webhook_shows_its_secret_once(participant: Caller) -> None:
    created = participant.post("/webhooks", NEW).json
    assert (created["url"], created["is_off"], len(created["secret"])) == (URL, False, 64)
    assert created["events"] == ["tournament.started", "tournament.finished"]
    path = f"/webhooks/{created['id']}"
    shown = participant.get(path)
    assert created["secret"] not in shown.text
    assert participant.get("/webhooks").json["items"] == [shown.json]
    renewed = participant.post(f"{path}/secret").json["secret"]
    assert renewed != created["secret"]


def test_a_webhook_is_its_owners_alone(hook: str, stranger: Caller, organiser: Caller) -> None:
    for caller in (stranger, organiser):
        assert caller.get("/webhooks").json["items"] == []
        for method, path in (
            ("GET", hook),
            ("PATCH", hook),
            ("DELETE", hook),
            ("GET", f"{hook}/deliveries"),
            ("POST", f"{hook}/secret"),
            ("POST", f"{hook}/test"),
        ):
            assert_problem(caller.send(method, path, json={}), 404, "not_found")


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({"url": URL}, "invalid", "events"),
        ({**NEW, "events": []}, "invalid", "events"),
        ({**NEW, "events": ["ping"]}, "invalid", "events.0"),
        ({**NEW, "events": ["tournament.lost"]}, "invalid", "events.0"),
        ({**NEW, "url": ""}, "invalid", "url"),
        ({**NEW, "url": "http://127.0.0.1/"}, "bad_url", "url"),
        ({**NEW, "url": "http://[::ffff:10.0.0.1]/"}, "bad_url", "url"),
        ({**NEW, "url": "ftp://hooks.example/"}, "bad_url", "url"),
        ({**NEW, "url": "https://u:p@hooks.example/"}, "bad_url", "url"),
        ({**NEW, "secret": "x"}, "invalid", "secret"),
    ],
)
def test_a_bad_webhook_is_refused(
    participant: Caller, hook: str, body: dict[str, Any], code: str, field: str
) -> None:
    assert_problem(participant.post("/webhooks", body), 422, code, field)
    if "events" in body:  # which only a new one needs
        assert_problem(participant.send("PATCH", hook, json=body), 422, code, field)


def test_a_webhook_is_changed_and_deleted_if_nobody_was_faster(participant: Caller, hook: str) -> None:
    tag = participant.get(hook).headers["ETag"]
    changed = participant.send("PATCH", hook, json={"is_off": True}, headers={"If-Match": tag})
    assert (changed.status_code, changed.json["is_off"], changed.json["url"]) == (200, True, URL)
    assert_problem(participant.send("DELETE", hook, headers={"If-Match": tag}), 412, "changed")
    assert participant.send("DELETE", hook).status_code == 204
    assert_problem(participant.get(hook), 404, "not_found")
    assert_problem(participant.get(f"/webhooks/{NOBODY}"), 404, "not_found")


def test_a_trial_and_what_happens_stand_in_the_log(
    services: Services, participant: Caller, hook: str
) -> None:
    sent = participant.post(f"{hook}/test")
    assert (sent.status_code, sent.json["event"], sent.json["state"]) == (202, "ping", "waiting")
    tournament = arena.started(services.database)
    arena.play_all(services)
    rows: list[Any] = []
    cursor = ""
    while True:
        page = participant.get(f"{hook}/deliveries?limit=1{cursor}").json
        rows += page["items"]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert {row["event"] for row in rows} == {"ping", "tournament.started", "tournament.finished"}
    assert len(rows) == 3
    assert sum(str(tournament.id) in row["body"] for row in rows) == 2
