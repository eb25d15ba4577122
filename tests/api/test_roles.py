"""Who may do what: every route of the application, with every role."""

from uuid import uuid4

import pytest
from flask import Flask
from support import ladders as build
from support.callers import Caller
from werkzeug.routing import Rule

from store.models.accounts import Role
from workers.services import Services

OPEN = frozenset({"nobody", "participant", "organiser"})
SIGNED_IN = frozenset({"participant", "organiser"})
ORGANISER = frozenset({"organiser"})

# The routes that are not open to everybody, and who is let in; being let in says nothing of other refusals.
ADMITTED = {
    ("POST", "/api/v1/accounts"): OPEN,  # with an invitation alone, and refused in the body otherwise
    ("GET", "/api/v1/tokens"): SIGNED_IN,
    ("GET", "/api/v1/webhooks"): SIGNED_IN,
    ("POST", "/api/v1/webhooks"): SIGNED_IN,
    ("GET", "/api/v1/webhooks/<uuid:webhook_id>"): SIGNED_IN,
    ("PATCH", "/api/v1/webhooks/<uuid:webhook_id>"): SIGNED_IN,
    ("DELETE", "/api/v1/webhooks/<uuid:webhook_id>"): SIGNED_IN,
    ("POST", "/api/v1/webhooks/<uuid:webhook_id>/secret"): SIGNED_IN,
    ("GET", "/api/v1/webhooks/<uuid:webhook_id>/deliveries"): SIGNED_IN,
    ("POST", "/api/v1/webhooks/<uuid:webhook_id>/test"): SIGNED_IN,
    ("POST", "/api/v1/tokens/<uuid:token_id>/rotate"): SIGNED_IN,
    ("GET", "/api/v1/invitations"): ORGANISER,
    ("POST", "/api/v1/invitations"): ORGANISER,
    ("DELETE", "/api/v1/invitations/<uuid:invitation_id>"): ORGANISER,
    ("GET", "/api/v1/accounts/me"): SIGNED_IN,
    ("POST", "/api/v1/tokens"): SIGNED_IN,
    ("DELETE", "/api/v1/tokens/<uuid:token_id>"): SIGNED_IN,
    ("GET", "/api/v1/bots"): SIGNED_IN,
    ("POST", "/api/v1/bots"): SIGNED_IN,
    ("GET", "/api/v1/bots/<uuid:bot_id>"): SIGNED_IN,
    ("PATCH", "/api/v1/bots/<uuid:bot_id>"): SIGNED_IN,
    ("DELETE", "/api/v1/bots/<uuid:bot_id>"): SIGNED_IN,
    ("GET", "/api/v1/bots/<uuid:bot_id>/versions/<int(max=2147483647):number>/source"): SIGNED_IN,
    ("GET", "/api/v1/bots/<uuid:bot_id>/versions"): SIGNED_IN,
    ("POST", "/api/v1/bots/<uuid:bot_id>/versions"): SIGNED_IN,
    ("GET", "/api/v1/bots/<uuid:bot_id>/versions/<int(max=2147483647):number>"): SIGNED_IN,
    ("GET", "/api/v1/bots/<uuid:bot_id>/versions/<int(max=2147483647):number>/qualification"): SIGNED_IN,
    ("POST", "/api/v1/bots/<uuid:bot_id>/versions/<int(max=2147483647):number>/activate"): SIGNED_IN,
    ("POST", "/api/v1/bots/<uuid:bot_id>/secret"): SIGNED_IN,
    ("GET", "/api/v1/bots/<uuid:bot_id>/faults"): SIGNED_IN,
    ("GET", "/api/v1/bots/<uuid:bot_id>/logs"): SIGNED_IN,
    ("POST", "/api/v1/tournaments"): ORGANISER,
    ("PATCH", "/api/v1/tournaments/<uuid:tournament_id>"): ORGANISER,
    ("POST", "/api/v1/tournaments/<uuid:tournament_id>/pause"): ORGANISER,
    ("POST", "/api/v1/tournaments/<uuid:tournament_id>/resume"): ORGANISER,
    ("POST", "/api/v1/tournaments/<uuid:tournament_id>/clone"): ORGANISER,
    ("POST", "/api/v1/tournaments/<uuid:tournament_id>/withdrawals"): SIGNED_IN,
    ("POST", "/api/v1/tournaments/<uuid:tournament_id>/reruns"): ORGANISER,
    (
        "POST",
        "/api/v1/tournaments/<uuid:tournament_id>/reruns/<int(max=2147483647):number>/undo",
    ): ORGANISER,
    ("GET", "/api/v1/tournaments/<uuid:tournament_id>/audit"): ORGANISER,
    ("GET", "/api/v1/audit"): ORGANISER,
    ("POST", "/api/v1/ladders"): ORGANISER,
    ("POST", "/api/v1/ladders/<uuid:ladder_id>/seasons"): ORGANISER,
    ("POST", "/api/v1/ladders/<uuid:ladder_id>/close"): ORGANISER,
    ("POST", "/api/v1/ladders/<uuid:ladder_id>/members"): SIGNED_IN,
    ("DELETE", "/api/v1/ladders/<uuid:ladder_id>/members/<uuid:bot_id>"): SIGNED_IN,
    ("POST", "/api/v1/tournaments/<uuid:tournament_id>/entrants"): SIGNED_IN,
    ("POST", "/api/v1/tournaments/<uuid:tournament_id>/start"): ORGANISER,
    ("POST", "/api/v1/tournaments/<uuid:tournament_id>/cancel"): ORGANISER,
}


def routes(app: Flask) -> list[tuple[str, Rule]]:
    return [
        (method, rule)
        for rule in app.url_map.iter_rules()
        if not rule.endpoint.startswith("pages.")  # cookies, not tokens: test_pages.py
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
    ]


def path_of(rule: Rule) -> str:
    """Return a path that matches `rule`, naming nothing that there is."""
    _, path = rule.build({name: 1 if name == "number" else uuid4() for name in rule.arguments}) or ("", "")
    return path


@pytest.mark.parametrize("who", ["nobody", "participant", "organiser"])
def test_every_route_lets_in_exactly_whom_it_says(
    who: str, anybody: Caller, participant: Caller, organiser: Caller
) -> None:
    token = {"nobody": None, "participant": participant.token, "organiser": organiser.token}[who]
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    refused = 401 if who == "nobody" else 403
    for method, rule in routes(anybody.client.application):
        answer = anybody.client.open(path_of(rule), method=method, headers=headers)
        is_refused = answer.status_code == refused
        admitted = ADMITTED.get((method, rule.rule), OPEN)
        assert is_refused is (who not in admitted), (method, rule.rule, answer.text[:300])
        assert answer.status_code < 500 or rule.rule.endswith("/readyz")


def test_the_table_names_only_routes_that_there_are(anybody: Caller) -> None:
    known = {(method, rule.rule) for method, rule in routes(anybody.client.application)}
    assert set(ADMITTED) <= known


def test_everything_that_acts_asks_for_a_token(anybody: Caller) -> None:
    acting = {
        (method, rule.rule) for method, rule in routes(anybody.client.application) if method not in ("GET",)
    }
    assert acting <= set(ADMITTED)


def test_the_declared_roles_are_those_that_are_let_in(anybody: Caller) -> None:
    app: Flask = anybody.client.application
    for method, rule in routes(app):
        view = app.view_functions[rule.endpoint]
        handler = getattr(getattr(view, "view_class", None), method.lower(), view)
        declared = getattr(handler, "roles", None)
        names = OPEN if declared is None else {role.value for role in declared}
        assert names == ADMITTED.get((method, rule.rule), OPEN), (method, rule.rule)
        assert Role.HOUSE.value not in names


OWN = {"bot_id", "webhook_id", "token_id"}
SHOWN_TO_ALL = {("GET", "/api/v1/bots/<uuid:bot_id>")}  # a public bot; what is inside it is not


def test_nobody_else_gets_at_what_is_an_authors_own(
    services: Services, participant: Caller, stranger: Caller, organiser: Caller
) -> None:
    endpoint = {"name": "remote", "url": "https://93.184.215.14/play"}
    bot = participant.post("/bots", endpoint).json
    hook = {"url": "https://93.184.215.14/hook", "events": ["bot.benched"]}
    webhook, token = participant.post("/webhooks", hook).json, participant.post("/tokens").json
    ids = {"bot_id": bot["id"], "webhook_id": webhook["id"], "token_id": token["id"], "number": 1}
    ladder = {"ladder_id": build.made(services.database).id}
    bodies = {"/versions": {"url": endpoint["url"]}}
    asked = 0
    for method, rule in routes(stranger.client.application):
        if not OWN & rule.arguments or (method, rule.rule) in SHOWN_TO_ALL:
            continue
        _, path = rule.build({name: {**ids, **ladder}[name] for name in rule.arguments}) or ("", "")
        body = next((json for end, json in bodies.items() if path.endswith(end)), {})
        answer = stranger.send(method, path.removeprefix("/api/v1"), json=body)
        assert answer.status_code in (403, 404), (method, rule.rule, answer.text)
        asked += 1
    assert asked >= 20
    for path in ("/bots", f"/bots/{bot['id']}", "/webhooks", "/tokens"):
        for caller in (stranger, organiser):
            text = caller.get(path).text
            assert not any(secret in text for secret in (bot["secret"], webhook["secret"], token["token"]))
