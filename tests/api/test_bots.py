"""Bots over the API: submitting, versions, qualification, faults and logs."""

import hashlib
import io
import zipfile
from typing import Any
from uuid import UUID, uuid4

import pytest
from support import arena
from support.callers import MODULE, NOBODY, Caller, assert_problem

from api.app import create_app
from store import bots
from store.models.bots import BotLog
from store.uploads import MAX_UPLOAD_BYTES
from workers.services import Services

URL = "https://93.184.215.14/play/?a=b"


def submitted(caller: Caller, name: str = "b", content: bytes = MODULE) -> dict[str, Any]:
    answer = caller.submit({"name": name}, content)
    assert answer.status_code == 202, answer.text
    body: dict[str, Any] = answer.json
    return body


def qualify(services: Services, bot_id: str, number: int, *, ok: bool = True) -> None:
    with services.database.transaction() as tx:
        version = bots.version(tx, UUID(bot_id), number)
        attempt = bots.claim_qualification(tx, version.id, lease_seconds=30, now=arena.NOW)
        assert attempt is not None
        assert bots.record_qualification(tx, version.id, attempt, {"ok": ok, "games": []}, ok)


def test_a_module_is_accepted_with_version_and_hash_though_the_broker_is_away(participant: Caller) -> None:
    body = submitted(participant)
    assert (body["name"], body["owner"], body["kind"]) == ("b", "ann", "module")
    assert (body["version"], body["state"], body["secret"]) == (1, "qualifying", None)
    assert body["sha256"] == hashlib.sha256(MODULE).hexdigest()
    shown = participant.get(f"/bots/{body['id']}").json
    assert (shown["id"], shown["active_version"]) == (body["id"], None)


def test_the_same_submission_again_is_the_same_version(participant: Caller) -> None:
    assert submitted(participant) == submitted(participant)


def test_a_zip_is_accepted(participant: Caller) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot.py", MODULE)
        archive.writestr("weights.bin", b"\x00" * 100)
    answer = participant.submit({"name": "z"}, packed.getvalue(), "z.zip")
    assert answer.status_code == 202
    shown = participant.get(f"/bots/{answer.json['id']}/versions/1").json
    assert (shown["filename"], shown["size"]) == ("z.zip", len(packed.getvalue()))


def test_meta_may_be_sent_as_a_file(participant: Caller) -> None:
    parts = {"meta": (io.BytesIO(b'{"name": "b"}'), "meta.json"), "file": (io.BytesIO(MODULE), "bot.py")}
    assert participant.post("/bots", data=parts).status_code == 202


@pytest.mark.parametrize(
    ("meta", "field"),
    [
        ("{}", "name"),
        ('{"name": "a/b"}', "name"),
        ('{"name": "b", "url": "https://x.example"}', "url"),
        ('{"name": "b", "games": "seiten"}', "games"),
        ('{"name": "b", "games": [7]}', "games.0"),
        ('["b"]', None),
        ("null", None),
    ],
)
def test_bad_meta_is_refused_naming_the_field(participant: Caller, meta: str, field: str | None) -> None:
    assert_problem(participant.submit(meta), 422, "invalid", field)


def test_an_unknown_game_is_refused(participant: Caller) -> None:
    assert_problem(participant.submit({"name": "b", "games": ["go"]}), 422, "bad_request", "games")


@pytest.mark.parametrize("meta", ["", "{", '{"name": NaN}', "\ufeff{}", "[" * 60_000])
def test_broken_meta_is_malformed(participant: Caller, meta: str) -> None:
    assert_problem(participant.submit(meta), 400, "malformed", "meta")


@pytest.mark.parametrize(
    ("content", "filename"),
    [
        (b"", "bot.py"),
        (b"not a zip", "bot.zip"),
        (b"def act(", "bot.py"),
        (b"x = 1\n", "bot.py"),
        (b"\xff\xfe\x00", "bot.py"),
        (b"def act(o):\n    return '\x00'\n", "bot.py"),
        (MODULE, "bot.exe"),
        (MODULE, "..\\\x01bot"),
    ],
)
def test_a_bad_file_is_refused_with_the_reason(participant: Caller, content: bytes, filename: str) -> None:
    assert_problem(participant.submit({"name": "b"}, content, filename), 422, "bad_upload", "file")


def test_a_file_beyond_the_limit_is_too_large(participant: Caller) -> None:
    answer = participant.submit({"name": "b"}, b"#" * (MAX_UPLOAD_BYTES + 1))
    assert_problem(answer, 413, "upload_too_large", "file")


def test_a_body_beyond_the_limit_is_not_read(participant: Caller) -> None:
    assert_problem(participant.submit({"name": "b"}, b"#" * (MAX_UPLOAD_BYTES + (2 << 20))), 413, "too_large")
    assert_problem(participant.submit({"name": "x" * 600_000}), 413, "too_large")
    big = participant.send("POST", "/bots", json={"name": "e", "url": "x" * (2 << 20)})
    assert_problem(big, 413, "too_large")


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ({"meta": '{"name": "b"}'}, "file"),
        ({"file": (io.BytesIO(MODULE), "bot.py")}, "meta"),
        ({"meta": '{"name": "b"}', "file": "text"}, "file"),
        ({"meta": '{"name": "b"}', "file": [(io.BytesIO(b"1"), "a.py"), (io.BytesIO(b"2"), "b.py")]}, "file"),
        ({"meta": ['{"name": "b"}', '{"name": "c"}'], "file": (io.BytesIO(MODULE), "bot.py")}, "meta"),
        ({"meta": '{"name": "b"}', "file": (io.BytesIO(MODULE), "bot.py"), "more": "x"}, "more"),
    ],
)
def test_missing_double_and_unknown_parts_are_refused(participant: Caller, parts: Any, field: str) -> None:
    answer = participant.post("/bots", data=parts, content_type="multipart/form-data")
    assert_problem(answer, 422, "bad_request", field)


def test_an_endpoint_is_accepted_with_a_secret_shown_once(participant: Caller) -> None:
    body = {"name": "e", "url": URL, "max_batch": 8}
    first, again = participant.post("/bots", body), participant.post("/bots", body)
    assert first.status_code == again.status_code == 202
    assert len(bytes.fromhex(first.json["secret"])) == 32
    assert again.json == {**first.json, "secret": None}
    shown = participant.get(f"/bots/{first.json['id']}/versions/1").json
    assert (shown["url"], shown["max_batch"], shown["max_in_flight"]) == (URL, 8, 16)
    assert first.json["secret"] not in participant.get(f"/bots/{first.json['id']}/versions").text


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"max_batch": 0}, "max_batch"),
        ({"max_batch": 65}, "max_batch"),
        ({"max_batch": True}, "max_batch"),
        ({"max_batch": "8"}, "max_batch"),
        ({"max_batch": 1.5}, "max_batch"),
        ({"max_in_flight": 65}, "max_in_flight"),
        ({"url": None}, "url"),
        ({"url": "x" * 2_001}, "url"),
        ({"file": "x"}, "file"),
    ],
)
def test_a_bad_endpoint_is_refused_naming_the_field(participant: Caller, more: Any, field: str) -> None:
    answer = participant.post("/bots", {"name": "e", "url": URL, **more})
    assert_problem(answer, 422, "invalid", field)


@pytest.mark.parametrize(
    "url",
    [
        "x",
        "ftp://bots.example/",
        "https:///path",
        "https://user:pass@bots.example/",
        "https://bots.example:22/",
        "https://bots.example:99999/",
        "https://bots.example/#here",
        "http://127.0.0.1/",
        "http://127.1/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://169.254.169.254/latest/meta-data",
        "http://10.0.0.1/",
        "https://b\u00e4r.example/",
        "https://bots.example/\x00",
    ],
)
def test_a_url_that_may_not_be_asked_is_refused(participant: Caller, url: str) -> None:
    answer = participant.post("/bots", {"name": "e", "url": url})
    assert_problem(answer, 422, "bad_url", "url")


def test_the_operator_may_allow_private_addresses(services: Services) -> None:
    made = arena.install(services.database, FUDABA_ALLOW_PRIVATE_ENDPOINTS="true")
    caller = Caller(create_app(made).test_client(), arena.TOKEN)
    assert caller.post("/bots", {"name": "e", "url": "http://127.0.0.1:5000/"}).status_code == 202
    made.close()


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "application/x-www-form-urlencoded"])
def test_other_types_of_body_are_not_taken(participant: Caller, kind: str) -> None:
    answer = participant.send("POST", "/bots", data="name=b", content_type=kind)
    assert_problem(answer, 415, "unsupported_media_type")


def test_another_secret_ends_the_one_before(participant: Caller, organiser: Caller) -> None:
    first = participant.post("/bots", {"name": "e", "url": URL}).json
    rotated = participant.post(f"/bots/{first['id']}/secret")
    assert rotated.status_code == 200
    assert rotated.json["secret"] != first["secret"]
    assert_problem(organiser.post(f"/bots/{first['id']}/secret"), 403, "forbidden")
    module = submitted(participant)
    assert_problem(participant.post(f"/bots/{module['id']}/secret"), 409, "conflict")


def test_a_bot_gets_further_versions_of_its_own_kind(participant: Caller, organiser: Caller) -> None:
    bot_id = submitted(participant)["id"]
    to = f"/bots/{bot_id}/versions"
    second = participant.submit({}, MODULE + b"# 2\n", to=to)
    assert (second.status_code, second.json["version"], second.json["id"]) == (202, 2, bot_id)
    assert_problem(participant.post(to, {"url": URL}), 409, "conflict")
    assert_problem(participant.submit({"name": "c"}, to=to), 422, "invalid", "name")
    assert_problem(organiser.submit({}, to=to), 403, "forbidden")
    assert_problem(participant.submit({}, to=f"/bots/{uuid4()}/versions"), 404, "not_found")


def test_qualification_shows_what_it_waits_for_and_then_its_report(
    services: Services, participant: Caller
) -> None:
    first, second = submitted(participant), submitted(participant, "c")
    path = f"/bots/{second['id']}/versions/1/qualification"
    assert participant.get(path).json == {
        "version": 1,
        "state": "qualifying",
        "position": 1,
        "attempt": 0,
        "report": None,
    }
    qualify(services, first["id"], 1)
    assert participant.get(path).json["position"] == 0
    qualify(services, second["id"], 1, ok=False)
    decided = participant.get(path).json
    assert (decided["state"], decided["position"], decided["report"]["ok"]) == ("refused", None, False)


def test_a_qualified_version_is_active_and_an_older_one_can_be_again(
    services: Services, participant: Caller
) -> None:
    bot_id = submitted(participant)["id"]
    submitted(participant, content=MODULE + b"#\n")
    activate = f"/bots/{bot_id}/versions/1/activate"
    assert_problem(participant.post(activate), 409, "conflict")
    for number in (1, 2):
        qualify(services, bot_id, number)
    assert participant.get(f"/bots/{bot_id}").json["active_version"] == 2
    answer = participant.post(activate)
    assert (answer.status_code, answer.json["is_active"]) == (200, True)
    assert participant.get(f"/bots/{bot_id}").json["active_version"] == 1
    assert_problem(participant.post(f"/bots/{bot_id}/versions/3/activate"), 404, "not_found")


def test_versions_are_pages_the_newest_first(participant: Caller) -> None:
    for number in range(5):
        bot_id = submitted(participant, content=MODULE + b"#" * number)["id"]
    seen, cursor = [], ""
    while True:
        page = participant.get(f"/bots/{bot_id}/versions?limit=2{cursor}").json
        seen += [row["number"] for row in page["items"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [5, 4, 3, 2, 1]


def test_bots_of_one_owner_are_listed(participant: Caller, stranger: Caller) -> None:
    submitted(participant)
    submitted(stranger, "c")
    listed = stranger.get("/bots?owner=ann").json["items"]
    assert [(row["owner"], row["name"]) for row in listed] == [("ann", "b")]
    assert stranger.get("/bots?owner=nobody").json == {"items": [], "next_cursor": None}
    assert {row["owner"] for row in stranger.get("/bots").json["items"]} == {"ann", "bea", "house"}


def test_what_a_bot_printed_and_did_wrong_is_its_owners_alone(
    services: Services, participant: Caller, stranger: Caller, organiser: Caller
) -> None:
    bot_id = submitted(participant)["id"]
    with services.database.transaction() as tx:
        version = bots.version(tx, UUID(bot_id), 1)
        log = {"version_id": version.id, "first_number": 0, "seat": 1, "text": "hi", "created_at": arena.NOW}
        tx.add(BotLog(**log))
    logs = participant.get(f"/bots/{bot_id}/logs").json["items"]
    assert [(row["version"], row["seat"], row["text"], row["event_id"]) for row in logs] == [
        (1, 1, "hi", None)
    ]
    for path in ("logs", "faults", "versions", "versions/1", "versions/1/qualification"):
        assert_problem(stranger.get(f"/bots/{bot_id}/{path}"), 403, "forbidden")
        assert organiser.get(f"/bots/{bot_id}/{path}").status_code == 200
    assert_problem(stranger.post(f"/bots/{bot_id}/versions/1/activate"), 403, "forbidden")


@pytest.mark.parametrize("bot_id", [NOBODY, "x", "0", "%00", "..", NOBODY.upper() + "0"])
def test_an_unknown_bot_is_not_found_anywhere(organiser: Caller, bot_id: str) -> None:
    for path in ("", "/versions", "/versions/1", "/versions/1/qualification", "/faults", "/logs"):
        assert_problem(organiser.get(f"/bots/{bot_id}{path}"), 404, "not_found")


@pytest.mark.parametrize("number", ["0", "2", "-1", "x", "1.0", "2147483647", "2147483648", "9" * 30])
def test_an_unknown_version_is_not_found(participant: Caller, number: str) -> None:
    bot_id = submitted(participant)["id"]
    assert_problem(participant.get(f"/bots/{bot_id}/versions/{number}"), 404, "not_found")
