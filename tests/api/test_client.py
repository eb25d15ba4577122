"""The client against the real application, without a socket between them."""

import io
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
import requests
from flask import Flask
from requests.adapters import BaseAdapter
from support import arena, ladders
from support.callers import MODULE, Caller

from api import transport
from api.client import ApiError, Client, StillWaiting, Unreachable
from api.errors import TooManyListeners
from api.streams import Hub
from engine import verify
from store import blocks, tournaments
from store.models.tournaments import Tournament
from workers.services import Services

URL = "http://fudaba.test"


class ToApplication(BaseAdapter):
    """Carries requests to a WSGI application.

    The first `failures` of them end as a lost connection does, the first `after` of those only after the
    application has done them.
    """

    def __init__(self, caller: Caller, failures: int = 0, after: int = 0) -> None:
        super().__init__()
        self.sent: list[str] = []
        self._client = caller.client
        self._failures = failures
        self._after = after

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        """Return the application's answer."""
        self.sent.append(f"{request.method} {request.path_url}")
        is_lost = len(self.sent) <= self._failures
        if is_lost and len(self.sent) > self._after:
            raise requests.ConnectionError("the connection was lost")
        assert kwargs["timeout"] == (transport.CONNECT_SECONDS, transport.READ_SECONDS)
        answer = self._client.open(
            request.path_url,
            method=request.method,
            data=request.body,
            headers=list(request.headers.items()),
            buffered=True,
        )
        if is_lost:
            raise requests.ConnectionError("the connection was lost")
        found = requests.Response()
        found.status_code = answer.status_code
        found.reason = answer.status.partition(" ")[2]
        found.headers.update(answer.headers)
        found.raw = io.BytesIO(answer.data)
        found.url = request.url or ""
        found.request = request
        return found

    def close(self) -> None:
        """Hold nothing open."""


def connected(caller: Caller, failures: int = 0, after: int = 0) -> tuple[Client, ToApplication]:
    made = Client(URL + "/", caller.token)
    adapter = ToApplication(caller, failures, after)
    made.session.mount(URL, adapter)
    return made, adapter


@pytest.fixture
def organising(organiser: Caller) -> Iterator[Client]:
    with connected(organiser)[0] as made:
        yield made


@pytest.fixture
def taking_part(participant: Caller) -> Iterator[Client]:
    with connected(participant)[0] as made:
        yield made


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "RETRY_SECONDS", (0.0, 0.0))


def test_accounts_and_tokens(organising: Client, organiser: Caller) -> None:
    created = organising.create_account("cat")
    with connected(Caller(organiser.client, created["token"]))[0] as cat:
        assert cat.me()["name"] == "cat"
        issued = cat.issue_token()
        cat.revoke_token(issued["id"])
    assert organising.issue_token(created["id"])["account_id"] == created["id"]


def test_games(organising: Client) -> None:
    first = organising.games()[0]
    assert organising.game(first["id"])["title"] == first["title"]


def test_a_module_is_submitted_and_looked_at(taking_part: Client) -> None:
    sent = taking_part.submit_module("b", "bot.py", MODULE, games=["sutda"])
    bot_id = sent["id"]
    assert taking_part.bot(bot_id)["name"] == "b"
    assert [bot["id"] for bot in taking_part.bots(owner="ann")] == [bot_id]
    assert [row["number"] for row in taking_part.versions(bot_id)] == [1]
    assert taking_part.version(bot_id, 1)["games"] == ["sutda"]
    assert list(taking_part.faults(bot_id)) == list(taking_part.logs(bot_id)) == []
    with pytest.raises(StillWaiting):
        taking_part.wait_qualified(bot_id, 1, wait_seconds=0)
    with pytest.raises(ApiError, match="409 conflict"):
        taking_part.activate(bot_id, 1)


def test_an_endpoint_is_submitted_with_what_it_declares(taking_part: Client) -> None:
    sent = taking_part.submit_endpoint("e", "https://bots.example/play", max_batch=4)
    assert sent["secret"]
    shown = taking_part.version(sent["id"], 1)
    assert (shown["max_batch"], shown["max_in_flight"]) == (4, 16)
    assert taking_part.rotate_secret(sent["id"]) != sent["secret"]


def test_a_tournament_from_plan_to_replay(services: Services, organising: Client) -> None:
    event = {"game": "hana_awase", "options": {"rounds": 1}, "deals": 2}
    plan = {"name": "cup", "events": [event], "entrants": ["house/first"]}
    assert organising.plan_tournament(plan)["matches"] == 6
    tournament_id = organising.create_tournament(plan)["id"]
    assert len(organising.enter(tournament_id, ["house/random", "house/greedy"])) == 3
    assert organising.start(tournament_id)["state"] == "running"
    for event_row in arena.again(services.database, tournament_of(services, tournament_id)).events:
        with services.database.transaction() as tx:
            blocks.advance(tx, event_row.id, arena.NOW)
    arena.play_all(services)
    assert organising.tournament(tournament_id)["state"] == "finished"
    assert [row["id"] for row in organising.tournaments("finished")] == [tournament_id]
    assert len(organising.entrants(tournament_id)) == 3
    assert organising.events(tournament_id)[0]["played"] == 6
    assert len(organising.standings(tournament_id)["overall"]) == 3
    assert organising.standings_csv(tournament_id, 0).startswith("place,entrant,name")
    found = list(organising.matches(tournament_id, event=0, entrant=1))
    assert len(found) == 6
    assert organising.match(found[0]["id"]) == found[0]
    assert organising.replay(found[0]["id"], seat=1)["match"] == found[0]
    file = io.BytesIO()
    organising.record(tournament_id, file)
    summary = verify.check(file.getvalue().splitlines(keepends=True))
    assert (summary.tournament, summary.matches) == (tournament_id, 6)
    (edition,) = organising.editions(tournament_id)
    assert organising.edition(tournament_id, 1)["sha256"] == edition["sha256"] == summary.standings_sha256
    with pytest.raises(ApiError, match="409 conflict"):
        organising.cancel(tournament_id)


def tournament_of(services: Services, tournament_id: str) -> Tournament:
    with services.database.transaction() as tx:
        return tournaments.get(tx, UUID(tournament_id))


def test_a_ladder_from_its_first_member_to_its_end(services: Services, organising: Client) -> None:
    setting = {"game": "sakura", "seats": 2, "options": {"rounds": 1}}
    made = organising.create_ladder({"name": "up", "settings": [setting], "deals": 1, "round_seconds": 0})
    ladder_id = made["id"]
    assert list(organising.ladders()) == [made]
    first, second = organising.join_ladder(ladder_id, ["house/greedy", "house/first"])
    ladders.play_rounds(services, UUID(ladder_id), 2)
    assert organising.ladder(ladder_id)["season"]["applied"] == 2
    assert {row["name"] for row in organising.board(ladder_id)["rows"]} == {"house/greedy", "house/first"}
    assert len(list(organising.ladder_matches(ladder_id))) == 4
    assert len(list(organising.history(ladder_id, first["bot_id"], season=1))) == 2
    organising.leave_ladder(ladder_id, second["bot_id"])
    assert organising.members(ladder_id) == [first]
    (ending,) = organising.end_season(ladder_id)
    assert ending["is_ending"]
    assert organising.close_ladder(ladder_id)["state"] == "closed"
    ladders.play_season(services, UUID(ladder_id), 1)
    assert [season["phase"] for season in organising.seasons(ladder_id)] == ["over"]


def test_lists_are_walked_through_all_pages(
    services: Services, organising: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "_PAGE_ROWS", 2)
    made = {str(arena.draft(services.database).id) for _ in range(5)}
    found = [row["id"] for row in organising.tournaments()]
    assert len(found) == 5
    assert set(found) == made


def test_progress_is_listened_to_until_the_end(services: Services, organising: Client) -> None:
    tournament = arena.started(services.database)
    heard = organising.progress(str(tournament.id))
    arena.play_all(services)
    found = list(heard)
    assert [(one["state"], one["played"]) for one in found] == [("finished", 6)]


def test_progress_is_polled_when_there_are_too_many_listeners(
    services: Services, organising: Client, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = arena.started(services.database)
    arena.play_all(services)
    monkeypatch.setattr("api.client._POLL_SECONDS", 0.0)
    monkeypatch.setattr(Hub, "join", _refuse)
    (found,) = organising.progress(str(tournament.id))
    assert (found["tournament_id"], found["state"]) == (str(tournament.id), "finished")


def _refuse(*_: object) -> None:
    raise TooManyListeners("there are too many")


def test_a_problem_is_raised_with_its_fields(organising: Client) -> None:
    with pytest.raises(ApiError) as caught:
        organising.create_tournament({"name": "cup", "events": [{"game": "go"}]})
    error = caught.value
    assert (error.status, error.code, error.field) == (422, "bad_request", "events.0.game")
    assert "'go' is unknown" in error.detail
    assert error.problem["request_id"]


def test_names_from_outside_stay_one_segment_of_the_path(organising: Client) -> None:
    with pytest.raises(ApiError, match="404 not_found"):
        organising.game("../accounts/me?x=")


def test_a_get_is_sent_again_when_the_connection_is_lost(organiser: Caller) -> None:
    made, adapter = connected(organiser, failures=2)
    assert made.me()["role"] == "organiser"
    assert adapter.sent == ["GET /api/v1/accounts/me"] * 3


def test_a_get_is_not_sent_for_ever(organiser: Caller) -> None:
    made, adapter = connected(organiser, failures=99)
    with pytest.raises(Unreachable, match="cannot be reached"):
        made.me()
    assert len(adapter.sent) == 3


def test_a_post_is_sent_again_with_its_key_and_done_once(organiser: Caller) -> None:
    made, adapter = connected(organiser, failures=1, after=1)
    assert made.create_account("cat")["name"] == "cat"
    assert adapter.sent == ["POST /api/v1/accounts"] * 2


def test_what_is_neither_get_nor_post_is_sent_once(organiser: Caller) -> None:
    made, adapter = connected(organiser, failures=1)
    with pytest.raises(Unreachable):
        made.revoke_token("x")
    assert adapter.sent == ["DELETE /api/v1/tokens/x"]


def test_something_else_than_the_service_is_told_apart(organiser: Caller) -> None:
    class Elsewhere(ToApplication):
        """A web server that answers everything with a page."""

        def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
            found = requests.Response()
            found.status_code, found.raw, found.url = 200, io.BytesIO(b"<html>"), request.url or ""
            return found

    made = Client(URL)
    made.session.mount(URL, Elsewhere(organiser))
    with pytest.raises(Unreachable, match="is it this service"):
        made.me()


def test_redirects_are_not_followed_so_that_the_token_stays_here(organiser: Caller) -> None:
    class Redirecting(ToApplication):
        """A server that points elsewhere."""

        def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
            self.sent.append(str(request.url))
            found = requests.Response()
            found.status_code, found.raw, found.url = 302, io.BytesIO(b""), request.url or ""
            found.headers["Location"], found.request = "http://elsewhere.test/", request
            return found

    made, adapter = Client(URL, "secret"), Redirecting(organiser)
    made.session.mount("http://", adapter)
    with pytest.raises(ApiError, match="302"):
        made.me()
    assert adapter.sent == [f"{URL}/api/v1/accounts/me"]
