"""A tour through the API that asks every operation once, with something to answer; it makes the examples too.

`python -m support.tour` writes what it was told to api/examples.json, by the schemas of the OpenAPI document.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import structlog
from support import arena, databases, ladders, owners
from support.callers import Answer, Caller, new_participant

from api.app import create_app
from api.resources import events
from store import bots
from store.models.bots import BotLog
from workers.services import Services

EXAMPLES = Path(__file__).parents[2] / "api" / "examples.json"
_ROWS, _VALUES = 2, 8  # of a list in an example
_READY = {
    "status": "ok",
    "workers": {"fudaba@host": {"sandbox": "bubblewrap", "reason": "it held against every attack"}},
    "idle_ladders": [],
}  # there is no worker on the tour
NEW_CUP = {
    "name": "Spring cup",
    "entrants": ["house/greedy", "house/first", "ann/richest"],
    "events": [
        {"game": "hana_awase", "seats": 3, "options": {"rounds": 1}, "deals": 2, "schedule": "full"},
        {"game": "sutda", "options": {"rounds": 1}, "deals": 2},
    ],
    "limits": {"memory_mb": 256},
    "stop": {"separation": 0.95, "top": 1},
    "endpoint_teams": True,
    "endpoint_duplicates": False,
    "owners_apart": False,
    "secret_seed": bytes(range(32)).hex(),
    "entries_close_at": "2026-12-24T18:00:00Z",
    "entries_per_owner": 1,
    "weight": 1,
}
NEW_LADDER = {
    "name": "Everlasting",
    "settings": [{"game": "sakura", "seats": 2, "options": {"rounds": 1}}],
    "limits": {"memory_mb": 256},
    "deals": 1,
    "round_seconds": 0,
    "season_rounds": 100,
    "closing_deals": 2,
    "entries_per_owner": 1,
    "weight": 1,
    "secret_seed": bytes(range(32)).hex(),
}
ENDPOINT = {
    "name": "remote",
    "url": "https://93.184.215.14/play",
    "max_batch": 16,
    "max_in_flight": 4,
    "games": ["sutda"],
}
HOOK = {"url": "https://93.184.215.14/hook", "events": ["tournament.finished", "bot.benched"]}
REPORT = {"accepted": True, "reason": None, "games": [{"game": "sutda", "accepted": True, "faults": []}]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """One request of the tour: the path as in the document and its ids, what was sent, and the answer."""

    path: str
    method: str
    ids: Mapping[str, Any]
    body: Any
    answer: Answer


@dataclass(slots=True)
class Tour:
    """Asks on behalf of an organiser and an author, and keeps every stop."""

    services: Services
    organiser: Caller
    author: Caller
    stops: list[Stop] = field(default_factory=list)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: str = "",
        by: Caller | None = None,
        **ids: Any,
    ) -> Any:
        """Send a request and return what it was answered."""
        more = {} if body is None else {"json": body}
        answer = (by or self.organiser).send(method, path.format(**ids) + query, **more)
        return self._keep(Stop(path=path, method=method.lower(), ids=ids, body=body, answer=answer))

    def submit(self, path: str, meta: Any, content: bytes, **ids: Any) -> Any:
        """Submit a module of the author's and return what it was answered."""
        answer = self.author.submit(meta, content, "richest.py", to=path.format(**ids))
        return self._keep(Stop(path=path, method="post", ids=ids, body=meta, answer=answer))

    def _keep(self, stop: Stop) -> Any:
        self.stops.append(stop)
        return stop.answer.get_json(silent=True)


def whole(services: Services, organiser: Caller, monkeypatch: pytest.MonkeyPatch) -> list[Stop]:
    """Go through the whole API and return every stop."""
    ladders.play_as_house(monkeypatch)
    tour = Tour(services, organiser, new_participant(organiser, "ann"))
    for part in _PARTS:
        part(tour)
    return tour.stops


def _errors(tour: Tour) -> None:
    tour.ask("POST", "/accounts", {"x": 1})
    tour.ask("POST", "/accounts", {"name": "ann"})
    tour.ask("GET", "/games/{game_id}", game_id="go")
    tour.ask("GET", "/tournaments", query="?limit=0")
    tour.ask("GET", "/bots/{bot_id}", by=Caller(tour.organiser.client), bot_id=UUID(int=0))


def _accounts(tour: Tour) -> None:
    invited = tour.ask("POST", "/invitations", {"uses": 2, "days": 7})
    tour.ask("GET", "/invitations")
    new = {"name": "ben", "role": "participant", "invitation": invited["invitation"]}
    tour.ask("POST", "/accounts", new, by=Caller(tour.organiser.client))
    tour.ask("DELETE", "/invitations/{invitation_id}", invitation_id=invited["id"])
    me = tour.ask("GET", "/accounts/me", by=tour.author)
    token = tour.ask("POST", "/tokens", {"account_id": me["id"]})
    successor = tour.ask("POST", "/tokens/{token_id}/rotate", by=tour.author, token_id=token["id"])
    tour.ask("GET", "/tokens", by=tour.author)
    tour.ask("DELETE", "/tokens/{token_id}", by=tour.author, token_id=successor["id"])


def _bots(tour: Tour) -> None:
    tour.ask("GET", "/games")
    tour.ask("GET", "/games/{game_id}", game_id="sutda")
    bot = tour.submit("/bots", {"name": "richest", "games": []}, owners.CODE)["id"]
    _qualify(tour.services, bot, 1)
    tour.submit(
        "/bots/{bot_id}/versions", {"games": ["sutda", "hana_awase"]}, owners.CODE + b"# 2\n", bot_id=bot
    )
    tour.ask("GET", "/bots", query="?owner=ann")
    tour.ask("GET", "/bots/{bot_id}", bot_id=bot)
    tour.ask("PATCH", "/bots/{bot_id}", {"is_off": False}, by=tour.author, bot_id=bot)
    for below in ("", "/1", "/1/source", "/1/qualification"):
        path = "/bots/{bot_id}/versions" + below.replace("1", "{number}")
        tour.ask("GET", path, by=tour.author, bot_id=bot, number=1)
    path = "/bots/{bot_id}/versions/{number}/activate"
    tour.ask("POST", path, by=tour.author, bot_id=bot, number=1)
    with tour.services.database.transaction() as tx:
        tx.add(
            BotLog(
                version_id=bots.version(tx, UUID(bot), 1).id,
                first_number=0,
                seat=1,
                text="I see four cranes\n",
                created_at=arena.NOW,
            )
        )
    tour.ask("GET", "/bots/{bot_id}/logs", by=tour.author, bot_id=bot)
    remote = tour.ask("POST", "/bots", ENDPOINT, by=tour.author)["id"]
    again = {key: value for key, value in ENDPOINT.items() if key != "name"} | {"max_batch": 32}
    tour.ask("POST", "/bots/{bot_id}/versions", again, by=tour.author, bot_id=remote)
    tour.ask("POST", "/bots/{bot_id}/secret", by=tour.author, bot_id=remote)
    tour.ask("DELETE", "/bots/{bot_id}", by=tour.author, bot_id=remote)


def _tournaments(tour: Tour) -> None:
    tour.ask("POST", "/tournaments", NEW_CUP, query="?dry_run=true")
    cup = tour.ask("POST", "/tournaments", NEW_CUP)["id"]
    of_cup = {"tournament_id": cup}
    change = {"name": "May cup", "entries_close_at": None, "entries_per_owner": 2, "weight": 1}
    tour.ask("PATCH", "/tournaments/{tournament_id}", change, **of_cup)
    tour.ask("POST", "/tournaments/{tournament_id}/entrants", {"bots": ["house/random"]}, **of_cup)
    for below in ("start", "pause", "resume"):
        tour.ask("POST", "/tournaments/{tournament_id}/" + below, **of_cup)
    ladders.settle(tour.services)
    arena.play_all(tour.services)
    tour.ask("GET", "/tournaments", query="?state=finished")
    shown = ("", "/entrants", "/events", "/standings", "/crosstable", "/matches", "/record", "/stream")
    for below in (*shown, "/editions", "/editions/{number}", "/audit"):
        tour.ask("GET", "/tournaments/{tournament_id}" + below, number=1, **of_cup)
    tour.ask("GET", "/tournaments/{tournament_id}/standings", query="?format=csv", **of_cup)
    tour.ask("GET", "/tournaments/{tournament_id}/editions/{number}", number=2, **of_cup)
    tour.ask("GET", "/audit")
    match = tour.organiser.get(f"/tournaments/{cup}/matches").json["items"][0]["id"]
    tour.ask("GET", "/matches/{match_id}", match_id=match)
    tour.ask("GET", "/matches/{match_id}/replay", query="?seat=0", match_id=match)
    tour.ask("POST", "/tournaments/{tournament_id}/cancel", **of_cup)


def _reruns(tour: Tour) -> None:
    """Let matches of the finished tournament be played again, and undo it."""
    last = tour.organiser.get("/tournaments?state=finished").json["items"][0]["id"]
    of_cup = {"tournament_id": last}
    choice = {"event": 0, "entrant": 0, "table": 0, "numbers": [0, 1], "reason": "a power cut"}
    tour.ask("POST", "/tournaments/{tournament_id}/reruns", choice, query="?dry_run=true", **of_cup)
    tour.ask("POST", "/tournaments/{tournament_id}/reruns", choice, **of_cup)
    tour.ask("GET", "/tournaments/{tournament_id}/reruns", **of_cup)
    tour.ask("GET", "/tournaments/{tournament_id}/reruns/{number}", number=1, **of_cup)
    tour.ask("POST", "/tournaments/{tournament_id}/reruns/{number}/undo", number=1, **of_cup)
    ladders.settle(tour.services)


def _withdrawals(tour: Tour) -> None:
    """Let one entrant fault at every decision, and another one leave."""
    with tour.services.database.transaction() as tx:
        failing = bots.by_reference(tx, "ann/richest")
        version_id = bots.version(tx, failing.id, 1).id
    how = {"name": "June cup", "with_entrants": True}
    last = tour.organiser.get("/tournaments").json["items"][0]["id"]
    cup = tour.ask("POST", "/tournaments/{tournament_id}/clone", how, tournament_id=last)["id"]
    tour.organiser.post(f"/tournaments/{cup}/start")
    leaving = {"entrant": 0, "rule": "forfeit"}
    tour.ask("POST", "/tournaments/{tournament_id}/withdrawals", leaving, tournament_id=cup)
    with pytest.MonkeyPatch.context() as patch:
        ladders.play_as_house(patch, frozenset({version_id}))
        ladders.settle(tour.services)
        arena.play_all(tour.services)
    tour.ask("GET", "/tournaments/{tournament_id}/withdrawals", tournament_id=cup)
    tour.ask("GET", "/bots/{bot_id}/faults", by=tour.author, bot_id=failing.id)


def _ladders(tour: Tour) -> None:
    ladder = tour.ask("POST", "/ladders", NEW_LADDER)["id"]
    of_ladder = {"ladder_id": ladder}
    entering = {"bots": [*arena.HOUSE, "ann/richest"]}
    members = tour.ask("POST", "/ladders/{ladder_id}/members", entering, **of_ladder)["items"]
    ladders.play_rounds(tour.services, UUID(ladder), 3)
    tour.ask("GET", "/ladders")
    for below in ("", "/seasons", "/members", "/standings", "/matches"):
        tour.ask("GET", "/ladders/{ladder_id}" + below, **of_ladder)
    tour.ask("GET", "/ladders/{ladder_id}/history", query="?bot=house/greedy", **of_ladder)
    leaving = members[-1]["bot_id"]
    tour.ask("DELETE", "/ladders/{ladder_id}/members/{bot_id}", bot_id=leaving, **of_ladder)
    tour.ask("POST", "/ladders/{ladder_id}/seasons", **of_ladder)
    tour.ask("POST", "/ladders/{ladder_id}/close", **of_ladder)


def _webhooks(tour: Tour) -> None:
    hook = tour.ask("POST", "/webhooks", HOOK, by=tour.author)["id"]
    of_hook = {"by": tour.author, "webhook_id": hook}
    tour.ask("GET", "/webhooks", by=tour.author)
    tour.ask("PATCH", "/webhooks/{webhook_id}", {**HOOK, "is_off": False}, **of_hook)
    tour.ask("POST", "/webhooks/{webhook_id}/secret", **of_hook)
    tour.ask("POST", "/webhooks/{webhook_id}/test", **of_hook)
    for below in ("", "/deliveries"):
        tour.ask("GET", "/webhooks/{webhook_id}" + below, **of_hook)
    tour.ask("DELETE", "/webhooks/{webhook_id}", **of_hook)


def _health(tour: Tour) -> None:
    tour.ask("GET", "/healthz")
    tour.ask("GET", "/readyz")


def _ends(tour: Tour) -> None:
    """Ask for what is not there, by every kind of id."""
    nothing = {name: UUID(int=0) for name in ("bot_id", "tournament_id", "ladder_id", "webhook_id")}
    for path in (
        "/bots/{bot_id}",
        "/tournaments/{tournament_id}",
        "/ladders/{ladder_id}",
        "/matches/{match_id}",
    ):
        tour.ask("GET", path, match_id="x", **nothing)


def _qualify(services: Services, bot_id: str, number: int) -> None:
    with services.database.transaction() as tx:
        version = bots.version(tx, UUID(bot_id), number)
        attempt = bots.claim_qualification(tx, version.id, lease_seconds=30, now=arena.NOW)
        assert attempt is not None
        assert bots.record_qualification(tx, version.id, attempt, REPORT, True)


def ids(stops: list[Stop]) -> dict[str, set[str | int]]:
    """Return the ids that were met and are still there, by the name of the parameter in the path."""
    found: dict[str, set[str | int]] = {}
    for stop in stops:
        for name, value in stop.ids.items():
            if stop.answer.status_code < 300 and f"{{{name}}}" in stop.path:
                found.setdefault(name, set()).add(value if isinstance(value, int) else str(value))
    for stop in stops:
        if stop.method == "delete" and "/members/" not in stop.path:
            (gone,) = stop.ids.items()
            found[gone[0]].discard(str(gone[1]))
    return {name: values for name, values in found.items() if values}


def examples(document: dict[str, Any], stops: list[Stop]) -> dict[str, Any]:
    """Return an example for each schema of a body that was sent or answered: of answers the longest one."""
    found: dict[str, Any] = {"Readiness": _READY}
    for stop in stops:
        for name, value in [*_sent(document, stop), *_answered(document, stop)]:
            if name not in found or (name != "Problem" and len(str(value)) > len(str(found[name]))):
                found[name] = value
    return {name: found[name] for name in sorted(found)}


def _sent(document: dict[str, Any], stop: Stop) -> Iterator[tuple[str, Any]]:
    """Yield the schema of what was sent, if it was taken."""
    if stop.body is None or stop.answer.status_code >= 400:
        return
    operation = document["paths"][f"/api/v1{stop.path}"][stop.method]
    for kind in operation["requestBody"]["content"].values():
        name = _name(kind["schema"].get("properties", {}).get("meta", kind["schema"]))
        if set(stop.body) <= set(document["components"]["schemas"][name]["properties"]):
            yield name, stop.body


def _answered(document: dict[str, Any], stop: Stop) -> Iterator[tuple[str, Any]]:
    """Yield the schema of an answer, or of the last event of a stream."""
    operation = document["paths"][f"/api/v1{stop.path}"][stop.method]
    response = operation["responses"][str(stop.answer.status_code)]
    schema = response.get("content", {}).get(stop.answer.mimetype, {}).get("schema", {})
    if stop.answer.mimetype == events.MEDIA_TYPE:
        yield "Progress", json.loads(stop.answer.text.rpartition("data: ")[2])
    elif "$ref" in schema:
        yield _name(schema), stop.answer.get_json()


_PARTS = (
    _errors,
    _accounts,
    _bots,
    _tournaments,
    _reruns,
    _withdrawals,
    _ladders,
    _webhooks,
    _health,
    _ends,
)


def _name(schema: dict[str, Any]) -> str:
    return str(schema["$ref"].rpartition("/")[2])


def main() -> None:
    """Take the tour and write the examples."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        services = arena.install(databases.sqlite(Path(folder)))
        organiser = Caller(create_app(services).test_client(), arena.TOKEN)
        stops = whole(services, organiser, patch)
        found = examples(organiser.get("/openapi.json").json, stops)
    EXAMPLES.write_text(json.dumps(_cut(found), indent=1, ensure_ascii=False) + "\n")


def _cut(value: Any) -> Any:
    """Return a value with its lists cut, so that an example stays short."""
    if isinstance(value, dict):
        return {key: _cut(one) for key, one in value.items()}
    if isinstance(value, list):
        return [
            _cut(one) for one in value[: _ROWS if isinstance(value[0] if value else None, dict) else _VALUES]
        ]
    return value


if __name__ == "__main__":
    main()
