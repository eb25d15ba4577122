"""Accounts, tokens, invitations and the log on the web pages."""

import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from support import arena
from support.browsing import post
from support.callers import Caller

from store import accounts, audit, bots
from store.models.accounts import Role
from store.models.bots import VersionState, Visibility
from workers.services import Services


def secret_on(text: str) -> str:
    """Return what a page shows this once."""
    assert "shown this once" in text
    found = re.search(r'<code class="hash">([^<]+)</code>', text)
    assert found is not None
    return found[1]


def action_of(text: str, kind: str) -> str:
    """Return the path of the first form that ends with `kind`."""
    found = re.search(rf'action="([^"]+/{kind})"', text)
    assert found is not None, kind
    return found[1]


def owner_of(services: Services, token: str) -> str | None:
    with services.database.reading() as tx:
        account = accounts.authenticate(tx, token)
        return None if account is None else account.name


def test_a_token_is_made_shown_once_and_ended(ann: FlaskClient, services: Services) -> None:
    made = secret_on(post(ann, "/account/tokens", {}, form="/account").text)
    assert owner_of(services, made) == "ann"
    page = ann.get("/account").text
    assert made not in page
    assert page.count(">End</button>") == 2
    assert page.count("this session") == 1
    first = re.findall(r'action="([^"]+/revoke)"', page)[0]
    assert post(ann, first, {}, form="/account").status_code == 303
    assert owner_of(services, made) is None


def test_a_session_goes_on_with_the_token_that_replaces_its_own(
    ann: FlaskClient, services: Services, participant: Caller
) -> None:
    path = action_of(ann.get("/account").text, "rotate")
    made = secret_on(post(ann, path, {}, form="/account").text)
    assert owner_of(services, made) == "ann"
    assert owner_of(services, participant.token or "") is None
    assert ann.get("/account").status_code == 200
    assert post(ann, path, {}, form="/account").status_code == 409
    ended = action_of(ann.get("/account").text, "revoke")
    assert post(ann, ended, {}, form="/account").status_code == 303
    assert ann.get("/account").status_code == 303


def test_nobody_touches_the_tokens_of_others(ann: FlaskClient, services: Services, stranger: Caller) -> None:
    other = stranger.get("/tokens").json["items"][0]["id"]
    for action in ("rotate", "revoke"):
        assert post(ann, f"/account/tokens/{other}/{action}", {}, form="/account").status_code == 404
    assert owner_of(services, stranger.token or "") == "bea"


def test_an_organiser_makes_accounts_and_the_bad_ones_are_told(boss: FlaskClient, services: Services) -> None:
    made = secret_on(
        post(boss, "/account/others", {"name": "eve", "role": "organiser"}, form="/account").text
    )
    with services.database.reading() as tx:
        account = accounts.authenticate(tx, made)
    assert account is not None and (account.name, account.role) == ("eve", Role.ORGANISER)
    for name, role, status in (("eve", "participant", 409), ("a b", "participant", 422), ("x", "house", 422)):
        answer = post(boss, "/account/others", {"name": name, "role": role}, form="/account")
        assert answer.status_code == status
        assert 'role="alert"' in answer.text


def test_an_invitation_is_made_used_and_ended(app: Flask, boss: FlaskClient, services: Services) -> None:
    text = secret_on(post(boss, "/invitations", {"uses": "2", "days": "3"}).text)
    guest = app.test_client()
    answer = post(guest, "/register", {"name": "gil", "invitation": text})
    assert owner_of(services, secret_on(answer.text)) == "gil"
    assert "gil" in guest.get("/account").text
    assert post(guest, "/register", {"name": "again", "invitation": text}, form="/account").status_code == 403
    listed = boss.get("/invitations").text
    assert "1 of 2" in listed
    assert text not in listed
    assert post(boss, action_of(listed, "revoke"), {}, form="/invitations").status_code == 303
    late = post(app.test_client(), "/register", {"name": "late", "invitation": text})
    assert late.status_code == 422
    assert "revoked" in late.text


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"name": "hal"}, 403),
        ({"name": "hal", "invitation": "fdi_nothing"}, 422),
        ({"name": "h l", "invitation": "fdi_nothing"}, 422),
        ({"name": "", "invitation": ""}, 422),
    ],
)
def test_nobody_makes_an_account_without_a_good_invitation(
    client: FlaskClient, services: Services, form: dict[str, Any], status: int
) -> None:
    answer = post(client, "/register", form)
    assert answer.status_code == status
    assert 'role="alert"' in answer.text


def test_bad_invitations_are_refused(boss: FlaskClient) -> None:
    for form in ({"uses": "0"}, {"uses": "x"}, {"days": "99999"}):
        assert post(boss, "/invitations", form).status_code == 422


def test_what_was_done_is_in_the_log_and_who_does_it_is_seen_to(
    boss: FlaskClient, services: Services
) -> None:
    draft = arena.draft(services.database, name="Cup")
    path = f"/tournaments/{draft.id}"
    post(boss, f"{path}/start", {}, form=path)
    post(boss, "/invitations", {"uses": "1"})
    whole, own = boss.get("/audit").text, boss.get(f"{path}/audit").text
    assert "tournament.start" in whole and "invitation.create" in whole
    assert "tournament.start" in own and "invitation.create" not in own
    shown = boss.get("/organise").text
    assert "tournament.start" in shown
    assert "<strong>redis</strong>" in shown
    assert "None was seen in the last minute" in shown
    with services.database.transaction() as tx:
        account = accounts.authenticate(tx, arena.TOKEN)
        assert account is not None
        for number in range(60):
            audit.note(tx, account, "test.note", arena.NOW, number=number)
    first = boss.get("/audit").text
    older = re.search(r'href="(/audit\?after=[^"]+)"', first)
    assert older is not None
    assert "tournament.start" not in first
    assert "tournament.start" in boss.get(older[1]).text


def test_a_bot_is_hidden_switched_off_and_gets_another_secret(ann: FlaskClient, services: Services) -> None:
    form = {"kind": "endpoint", "name": "far", "url": "https://example.org/bot"}
    first = secret_on(post(ann, "/submit", form).text)
    with services.database.reading() as tx:
        bot = bots.by_reference(tx, "ann/far")
        assert bots.version(tx, bot.id, 1).state is VersionState.QUALIFYING
    path = f"/bots/{bot.id}"
    assert post(ann, f"{path}/change", {"visibility": "private"}, form=path).status_code == 303
    assert post(ann, f"{path}/change", {"is_off": "true"}, form=path).status_code == 303
    assert post(ann, f"{path}/change", {"visibility": "x"}, form=path).status_code == 422
    assert secret_on(post(ann, f"{path}/secret", {}, form=path).text) != first
    with services.database.reading() as tx:
        bot = bots.by_reference(tx, "ann/far")
    assert (bot.visibility, bot.is_off) == (Visibility.PRIVATE, True)
    assert "Switch it on" in ann.get(path).text


def test_an_entrant_is_withdrawn_and_a_tournament_cloned(boss: FlaskClient, services: Services) -> None:
    draft = arena.draft(services.database, name="Cup", entrants=[*arena.HOUSE, "house/search"])
    path = f"/tournaments/{draft.id}"
    assert post(boss, f"{path}/withdraw", {"entrant": "0", "rule": "forfeit"}, form=path).status_code == 303
    assert len(arena.again(services.database, draft).entrants) == 3
    post(boss, f"{path}/start", {}, form=path)
    assert post(boss, f"{path}/withdraw", {"entrant": "1", "rule": "forfeit"}, form=path).status_code == 303
    assert "the rest it forfeits" in boss.get(path).text
    assert post(boss, f"{path}/withdraw", {"entrant": "1", "rule": "forfeit"}, form=path).status_code == 409
    assert post(boss, f"{path}/withdraw", {"entrant": "x", "rule": "drop"}, form=path).status_code == 422
    copy = post(boss, f"{path}/clone", {"name": "Cup again", "entrants": "on"}, form=path)
    page = boss.get(copy.location).text
    assert "Cup again" in page
    assert "house/search" in page


def test_a_draft_takes_its_deadline_and_its_rule_from_the_form(boss: FlaskClient, services: Services) -> None:
    form = {
        "name": "Cup",
        "games": "sutda",
        "entries_close_at": "2027-01-31T12:30",
        "entries_per_owner": "2",
        "weight": "4",
        "top": "3",
    }
    made = post(boss, "/tournaments/new", form)
    assert made.status_code == 303, made.text
    with services.database.reading() as tx:
        (tournament,) = arena.tournaments.page(tx, limit=1)
    assert tournament.entries_close_at is not None
    assert tournament.entries_close_at.isoformat() == "2027-01-31T12:30:00+00:00"
    assert tournament.weight == 4
    assert (tournament.entries_per_owner, tournament.stop) == (2, {"separation": 0.95, "top": 3})
    bad = post(boss, "/tournaments/new", {**form, "entries_close_at": "tomorrow"})
    assert bad.status_code == 422
