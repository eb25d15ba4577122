"""The web pages: what each shows to whom, their headers, and that nothing hostile gets through."""

from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient
from support import arena
from support.browsing import browser_of, csrf_of, post, sign_in
from support.callers import NOBODY, Caller

from store import matches
from store.models.accounts import Account, Role
from store.models.bots import Bot, BotKind, BotLog, Version, VersionState, Visibility
from store.models.matches import FaultRow
from workers.services import Services

HOSTILE = '"><script>alert(1)</script>'

# The pages that are not open to everybody, and who is let in.
ADMITTED: dict[tuple[str, str], set[str]] = {
    ("GET", "/bots"): {"participant", "organiser"},
    ("GET", "/bots/<uuid:bot_id>/versions/<int(max=2147483647):number>/source"): {"participant", "organiser"},
    ("POST", "/bots/<uuid:bot_id>/activate"): {"participant", "organiser"},
    ("POST", "/bots/<uuid:bot_id>/change"): {"participant", "organiser"},
    ("POST", "/bots/<uuid:bot_id>/secret"): {"participant", "organiser"},
    ("POST", "/register"): {"nobody"},
    ("GET", "/account"): {"participant", "organiser"},
    ("POST", "/account/tokens"): {"participant", "organiser"},
    ("POST", "/account/tokens/<uuid:token_id>/rotate"): {"participant", "organiser"},
    ("POST", "/account/tokens/<uuid:token_id>/revoke"): {"participant", "organiser"},
    ("POST", "/account/others"): {"organiser"},
    ("GET", "/invitations"): {"organiser"},
    ("POST", "/invitations"): {"organiser"},
    ("POST", "/invitations/<uuid:invitation_id>/revoke"): {"organiser"},
    ("GET", "/organise"): {"organiser"},
    ("GET", "/audit"): {"organiser"},
    ("GET", "/tournaments/<uuid:tournament_id>/audit"): {"organiser"},
    ("POST", "/tournaments/<uuid:tournament_id>/withdraw"): {"participant", "organiser"},
    ("POST", "/tournaments/<uuid:tournament_id>/clone"): {"organiser"},
    ("POST", "/tournaments/<uuid:tournament_id>/reruns"): {"organiser"},
    ("POST", "/tournaments/<uuid:tournament_id>/reruns/<int(max=2147483647):number>/undo"): {"organiser"},
    ("GET", "/ladders/new"): {"organiser"},
    ("POST", "/ladders/new"): {"organiser"},
    ("POST", "/ladders/<uuid:ladder_id>/join"): {"participant", "organiser"},
    ("POST", "/ladders/<uuid:ladder_id>/members/<uuid:bot_id>/leave"): {"participant", "organiser"},
    ("POST", "/ladders/<uuid:ladder_id>/<any(end_season, close):action>"): {"organiser"},
    ("GET", "/submit"): {"participant", "organiser"},
    ("POST", "/submit"): {"participant", "organiser"},
    ("GET", "/tournaments/new"): {"organiser"},
    ("POST", "/tournaments/new"): {"organiser"},
    ("POST", "/tournaments/<uuid:tournament_id>/<any(start, pause, resume, cancel):action>"): {"organiser"},
    ("POST", "/tournaments/<uuid:tournament_id>/enter"): {"participant", "organiser"},
}


@pytest.fixture
def client(services: Services, anybody: Caller) -> FlaskClient:
    """A browser that is not signed in."""
    return browser_of(anybody)


def test_the_secret_is_not_shown_before_the_end(client: FlaskClient, services: Services) -> None:
    running = arena.started(services.database)
    text = client.get(f"/tournaments/{running.id}").text
    assert running.secret.hex() not in text
    assert "revealed at the end" in text
    assert '<noscript><meta http-equiv="refresh"' in text


def test_the_cards_of_a_running_event_stay_hidden(client: FlaskClient, services: Services) -> None:
    event = {"game": "sutda", "options": {"rounds": 1}, "deals": 40}
    running = arena.started(services.database, event)
    arena.play_all(services, 1)
    match_id = matches.match_id_of(running.events[0].id, 0)
    text = client.get(f"/matches/{match_id}").text
    assert "hidden until its event ends" in text
    assert "c-1-" not in text
    assert client.get(f"/matches/{match_id}?part=board").status_code == 409


def test_errors_are_pages_to_people_and_problems_to_programs(client: FlaskClient, services: Services) -> None:
    shown = client.get("/nothing", headers={"Accept": "text/html,application/xhtml+xml"})
    assert (shown.status_code, shown.mimetype) == (404, "text/html")
    assert "Content-Security-Policy" in shown.headers
    assert client.get("/nothing").mimetype == "application/problem+json"
    for path in (f"/tournaments/{NOBODY}", f"/bots/{NOBODY}", "/matches/nothing", "/games/chess"):
        answer = client.get(path)
        assert (answer.status_code, answer.mimetype) == (404, "text/html"), path


def test_there_are_no_cards_of_other_packs(client: FlaskClient, services: Services) -> None:
    assert client.get("/cards/tarot.svg").status_code == 404


def test_names_are_shown_as_text(client: FlaskClient, services: Services) -> None:
    with services.database.transaction() as tx:
        owner = Account(name=HOSTILE, role=Role.PARTICIPANT, created_at=arena.NOW)
        bot = Bot(owner=owner, name=HOSTILE, kind=BotKind.HOUSE, active_number=1, created_at=arena.NOW)
        bot.versions = [_version(1, VersionState.QUALIFIED)]
        tx.add(bot)
    tournament = arena.draft(services.database, name=HOSTILE)
    sign_in(client, arena.TOKEN)
    for path in ("/", "/tournaments", f"/tournaments/{tournament.id}", "/bots", f"/bots/{bot.id}"):
        text = client.get(path).text
        assert "<script>alert" not in text, path
        assert "&lt;script&gt;alert(1)" in text, path


def _version(number: int, state: VersionState, **more: Any) -> Version:
    return Version(number=number, state=state, sha256="0" * 64, games=[], created_at=arena.NOW, **more)


def test_every_page_lets_in_exactly_whom_it_says(
    app: Flask, client: FlaskClient, participant: Caller, organiser: Caller
) -> None:
    tokens = {"nobody": None, "participant": participant.token, "organiser": organiser.token}
    browsers = {who: app.test_client() for who in tokens}
    for who, token in tokens.items():
        if token:
            sign_in(browsers[who], token)
    for rule in app.url_map.iter_rules():
        if not rule.endpoint.startswith("pages."):
            continue
        some = {name: _some(name) for name in rule.arguments}
        some |= {"action": next(iter(rule._converters["action"].items))} if "action" in some else {}
        _, path = rule.build(some) or ("", "")
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            admitted = ADMITTED.get((method, rule.rule), set(tokens))
            for who, browser in browsers.items():
                sent = {"data": {"csrf": csrf_of(browser)}} if method == "POST" else {}
                answer = browser.open(path, method=method, **sent)  # type: ignore[arg-type]
                is_sent_away = answer.status_code == 303 and "/sign-in" in answer.location
                is_in = answer.status_code != 403 and not is_sent_away
                assert is_in is (who in admitted), (who, method, rule.rule, answer.status_code)
                assert answer.status_code < 500, (method, rule.rule)
                answer.close()
                if rule.endpoint == "pages.entrance.leave" and tokens[who]:
                    sign_in(browser, tokens[who])


def _some(name: str) -> Any:
    known = {"index": 1, "number": 1, "filename": "style.css", "name": "hanafuda"}
    return known.get(name, UUID(NOBODY))


def test_a_form_without_our_token_does_nothing(client: FlaskClient, services: Services) -> None:
    draft = arena.draft(services.database)
    sign_in(client, arena.TOKEN)
    for data in ({}, {"csrf": ""}, {"csrf": "x" * 32}, {"csrf": "é"}):
        assert client.post(f"/tournaments/{draft.id}/start", data=data).status_code == 403
    assert client.post("/sign-out", data={}).status_code == 403
    assert arena.again(services.database, draft).state.value == "draft"


def test_the_session_cookie_is_for_us_alone(client: FlaskClient, services: Services) -> None:
    answer = client.post("/sign-in", data={"csrf": csrf_of(client), "token": arena.TOKEN})
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert arena.TOKEN not in cookie
    over_tls = client.get("/sign-in", base_url="https://localhost")
    assert "Secure" in over_tls.headers["Set-Cookie"]


def test_the_api_takes_no_cookies(client: FlaskClient, services: Services) -> None:
    sign_in(client, arena.TOKEN)
    answer = client.get("/api/v1/accounts/me")
    assert answer.status_code == 401
    assert "Set-Cookie" not in answer.headers


def test_a_wrong_token_does_not_sign_in(client: FlaskClient, services: Services) -> None:
    answer = post(client, "/sign-in", {"token": "fdb_nothing"})
    assert answer.status_code == 401
    assert "unknown or revoked" in answer.text


def test_signing_in_leads_back_within_the_site_alone(client: FlaskClient, services: Services) -> None:
    away = client.get("/tournaments/new")
    assert away.location == "/sign-in?then=/tournaments/new"
    for then, expected in (
        ("/tournaments/new", "/tournaments/new"),
        ("//evil.example", "/"),
        ("https://evil.example/", "/"),
        ("/\\evil.example", "/"),
    ):
        answer = post(client, "/sign-in", {"token": arena.TOKEN, "then": then})
        assert answer.location == expected


def test_a_session_ends_with_its_token(client: FlaskClient, organiser: Caller, participant: Caller) -> None:
    issued = participant.post("/tokens", {}).json
    sign_in(client, issued["token"])
    assert client.get("/bots").status_code == 200
    participant.send("DELETE", f"/tokens/{issued['id']}")
    assert client.get("/bots").status_code == 303


def test_an_owner_sees_the_inside_of_a_bot_and_others_do_not(
    client: FlaskClient, services: Services, participant: Caller, stranger: Caller
) -> None:
    bot_id = UUID(participant.submit({"name": "mine"}).json["id"])
    event = arena.finished(services).events[0].id
    with services.database.transaction() as tx:
        version = tx.query(Version).filter(Version.bot_id == bot_id).one()
        version.state, version.report = VersionState.REFUSED, {"accepted": False, "reason": "sutda: no legal"}
        shown = {"version_id": version.id, "seat": 1, "created_at": arena.NOW}
        fault = {"code": "timeout", "detail": "took 7 s", "evidence": {"used_ms": 7}}
        tx.add(FaultRow(event_id=event, number=0, step=3, bot_id=bot_id, **fault, **shown))
        tx.add(BotLog(event_id=event, first_number=0, text=HOSTILE, **shown))
    outside = client.get(f"/bots/{bot_id}").text
    sign_in(client, stranger.token)
    assert client.get(f"/bots/{bot_id}").text.count("took 7 s") == 0
    sign_in(client, participant.token)
    inside = client.get(f"/bots/{bot_id}").text
    for text in ("took 7 s", "used_ms", "sutda: no legal", "&lt;script&gt;"):
        assert text in inside
        assert text not in outside
    assert "<script>alert" not in inside


def test_a_private_bot_is_not_there_for_others(
    client: FlaskClient, services: Services, participant: Caller
) -> None:
    bot_id = UUID(participant.submit({"name": "mine"}).json["id"])
    with services.database.transaction() as tx:
        tx.get_one(Bot, bot_id).visibility = Visibility.PRIVATE
    assert client.get(f"/bots/{bot_id}").status_code == 404
    assert sign_in(client, participant.token).get(f"/bots/{bot_id}").status_code == 200
