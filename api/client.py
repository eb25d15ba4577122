"""A client of the API: one method a route, JSON as dicts, every problem as an ApiError."""

import json
import time
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import IO, Any, Self
from urllib.parse import quote, urlsplit

import requests
from requests.auth import AuthBase

from engine.errors import FudabaError

Json = dict[str, Any]

PREFIX = "/api/v1"
CONNECT_SECONDS = 5.0
READ_SECONDS = 60.0
RETRY_SECONDS = (0.2, 0.5, 1.0)
_PAGE_ROWS = 200
_PIECE_BYTES = 1 << 16
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class ApiError(FudabaError):
    """The service refused: status, code, detail and field are those of its problem details."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        self.problem = dict(problem)
        self.status: int = problem["status"]
        self.code = str(problem.get("code") or "error")
        self.detail = str(problem.get("detail") or problem.get("title") or f"status {self.status}")
        self.field: str | None = problem.get("field")
        super().__init__(f"{self.detail} ({self.status} {self.code})")


class Unreachable(FudabaError):
    """The service could not be asked, or broke off; whether it did what was asked is unknown."""

    code = "unreachable"


class StillWaiting(FudabaError):
    """What was waited for did not happen in time."""

    code = "still_waiting"


def session_to(url: str) -> requests.Session:
    """Return a session for requests to `url`; those to this machine go through no proxy."""
    session = requests.Session()
    session.trust_env = urlsplit(url).hostname not in _LOOPBACK
    return session


class Client:
    """The API at `url`, with a token where one is needed; a context manager that closes its connections."""

    def __init__(self, url: str, token: str | None = None, *, read_seconds: float = READ_SECONDS) -> None:
        self.url = url.rstrip("/")
        self.session = session_to(url)
        self.session.auth = _Bearer(token)
        self._timeout = (CONNECT_SECONDS, read_seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self.session.close()

    def ready(self) -> Json:
        """Return that the service is ready; ApiError names what is missing."""
        return self._get("/readyz")

    def me(self) -> Json:
        """Return the account that the token belongs to."""
        return self._get("/accounts/me")

    def create_account(self, name: str, role: str = "participant") -> Json:
        """Create an account; the answer holds its token, which is shown this once."""
        return self._post("/accounts", {"name": name, "role": role})

    def issue_token(self, account_id: str | None = None) -> Json:
        """Make another token, one's own unless an organiser names another account."""
        return self._post("/tokens", {} if account_id is None else {"account_id": account_id})

    def revoke_token(self, token_id: str) -> None:
        """Revoke a token."""
        self._send("DELETE", f"/tokens/{_segment(token_id)}")

    def games(self) -> list[Json]:
        """Return all games."""
        return self._items("/games")

    def game(self, game_id: str) -> Json:
        """Return one game with its options and notation."""
        return self._get(f"/games/{_segment(game_id)}")

    def submit_module(self, name: str, filename: str, content: bytes, games: list[str] | None = None) -> Json:
        """Submit the bytes of a .py or .zip file as a bot, or as another version of it."""
        meta = json.dumps({"name": name, "games": games or []})
        files = {"meta": (None, meta, "application/json"), "file": (filename, content)}
        return self._json(self._send("POST", "/bots", files=files))

    def submit_endpoint(
        self,
        name: str,
        url: str,
        *,
        max_batch: int | None = None,
        max_in_flight: int | None = None,
        games: list[str] | None = None,
    ) -> Json:
        """Submit an endpoint as a bot, or as another version of it; the first answer holds its secret."""
        declared = {"name": name, "url": url, "max_batch": max_batch, "max_in_flight": max_in_flight}
        body = {key: value for key, value in declared.items() if value is not None}
        return self._post("/bots", {**body, "games": games or []})

    def bots(self, owner: str | None = None) -> Iterator[Json]:
        """Yield all bots, or those of one account by name, the newest first."""
        return self._walk("/bots", owner=owner)

    def bot(self, bot_id: str) -> Json:
        """Return one bot."""
        return self._get(f"/bots/{_segment(bot_id)}")

    def change_bot(self, bot_id: str, *, visibility: str | None = None, is_off: bool | None = None) -> Json:
        """Change who may know of a bot, or switch it off and on."""
        change = _given(visibility=visibility, is_off=is_off)
        return self._json(self._send("PATCH", f"/bots/{_segment(bot_id)}", json=change))

    def delete_bot(self, bot_id: str) -> None:
        """Delete a bot for good; what it has played stays."""
        self._send("DELETE", f"/bots/{_segment(bot_id)}")

    def source(self, bot_id: str, number: int) -> bytes:
        """Return the file that a version of a module was made from."""
        return self._send("GET", f"/bots/{_segment(bot_id)}/versions/{number}/source").content

    def versions(self, bot_id: str) -> Iterator[Json]:
        """Yield the versions of a bot, the newest first."""
        return self._walk(f"/bots/{_segment(bot_id)}/versions")

    def version(self, bot_id: str, number: int) -> Json:
        """Return one version of a bot."""
        return self._get(f"/bots/{_segment(bot_id)}/versions/{number}")

    def qualification(self, bot_id: str, number: int) -> Json:
        """Return how far the qualification of a version is, and its report."""
        return self._get(f"/bots/{_segment(bot_id)}/versions/{number}/qualification")

    def wait_qualified(self, bot_id: str, number: int, *, wait_seconds: float = 120.0) -> Json:
        """Return the qualification of a version once it is decided, either way; raises StillWaiting."""
        deadline = time.monotonic() + wait_seconds
        while (found := self.qualification(bot_id, number))["state"] == "qualifying":
            if time.monotonic() > deadline:
                raise StillWaiting(f"version {number} is not qualified after {wait_seconds:g} s")
            time.sleep(0.2)
        return found

    def activate(self, bot_id: str, number: int) -> Json:
        """Make a qualified version the one that plays."""
        return self._post(f"/bots/{_segment(bot_id)}/versions/{number}/activate")

    def rotate_secret(self, bot_id: str) -> str:
        """Give an endpoint another secret and return it."""
        return str(self._post(f"/bots/{_segment(bot_id)}/secret")["secret"])

    def faults(self, bot_id: str) -> Iterator[Json]:
        """Yield the faults of a bot with their evidence, the newest first."""
        return self._walk(f"/bots/{_segment(bot_id)}/faults")

    def logs(self, bot_id: str) -> Iterator[Json]:
        """Yield what a bot printed, the newest first."""
        return self._walk(f"/bots/{_segment(bot_id)}/logs")

    def create_tournament(self, plan: Json) -> Json:
        """Create a draft from the body of POST /tournaments."""
        return self._post("/tournaments", plan)

    def plan_tournament(self, plan: Json) -> Json:
        """Return what a plan would play; nothing is stored."""
        return self._json(self._send("POST", "/tournaments", params={"dry_run": "true"}, json=plan))

    def tournaments(self, state: str | None = None) -> Iterator[Json]:
        """Yield tournaments, the newest first."""
        return self._walk("/tournaments", state=state)

    def tournament(self, tournament_id: str) -> Json:
        """Return a tournament and how far it is."""
        return self._get(f"/tournaments/{_segment(tournament_id)}")

    def entrants(self, tournament_id: str) -> list[Json]:
        """Return the entrants of a tournament, in order of entry."""
        return self._items(f"/tournaments/{_segment(tournament_id)}/entrants")

    def events(self, tournament_id: str) -> list[Json]:
        """Return the events of a tournament and how far each is."""
        return self._items(f"/tournaments/{_segment(tournament_id)}/events")

    def enter(self, tournament_id: str, bots: list[str]) -> list[Json]:
        """Enter bots (ids or owner/name) into a draft; return all entrants."""
        entered = self._post(f"/tournaments/{_segment(tournament_id)}/entrants", {"bots": bots})
        items: list[Json] = entered["items"]
        return items

    def start(self, tournament_id: str) -> Json:
        """Start a draft."""
        return self._post(f"/tournaments/{_segment(tournament_id)}/start")

    def cancel(self, tournament_id: str) -> Json:
        """End a tournament before its time."""
        return self._post(f"/tournaments/{_segment(tournament_id)}/cancel")

    def standings(self, tournament_id: str, event: int | None = None) -> Json:
        """Return the standings: over all events and of every event, or of one."""
        return self._get(f"/tournaments/{_segment(tournament_id)}/standings", event=event)

    def standings_csv(self, tournament_id: str, event: int | None = None) -> str:
        """Return the standings over all events, or of one, as CSV."""
        path = f"/tournaments/{_segment(tournament_id)}/standings"
        return self._send("GET", path, params=_given(event=event, format="csv")).text

    def editions(self, tournament_id: str) -> list[Json]:
        """Return the editions of the final standings, the first one first."""
        return self._items(f"/tournaments/{_segment(tournament_id)}/editions")

    def edition(self, tournament_id: str, number: int) -> Json:
        """Return one edition with its tables."""
        return self._get(f"/tournaments/{_segment(tournament_id)}/editions/{number}")

    def record(self, tournament_id: str, file: IO[bytes]) -> None:
        """Write the record of a finished tournament to a file; raises Unreachable when it breaks off."""
        with self._send("GET", f"/tournaments/{_segment(tournament_id)}/record", stream=True) as answer:
            try:
                for piece in answer.iter_content(_PIECE_BYTES):
                    file.write(piece)
            except requests.RequestException as error:
                raise Unreachable(f"{answer.url} broke off: {error}") from error

    def matches(
        self, tournament_id: str, *, event: int | None = None, entrant: int | None = None
    ) -> Iterator[Json]:
        """Yield the finished matches of a tournament, by event and number."""
        return self._walk(f"/tournaments/{_segment(tournament_id)}/matches", event=event, entrant=entrant)

    def match(self, match_id: str) -> Json:
        """Return a finished match."""
        return self._get(f"/matches/{_segment(match_id)}")

    def replay(self, match_id: str, seat: int | None = None) -> Json:
        """Return a finished match step by step, as one seat saw it or as every seat did."""
        return self._get(f"/matches/{_segment(match_id)}/replay", seat=seat)

    def _items(self, path: str) -> list[Json]:
        items: list[Json] = self._get(path)["items"]
        return items

    def _walk(self, path: str, **query: Any) -> Iterator[Json]:
        """Yield the items of every page of a list."""
        cursor = None
        while True:
            page = self._get(path, **query, limit=_PAGE_ROWS, cursor=cursor)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def _get(self, path: str, **query: Any) -> Json:
        return self._json(self._send("GET", path, params=_given(**query)))

    def _post(self, path: str, body: Json | None = None) -> Json:
        return self._json(self._send("POST", path, json={} if body is None else body))

    def _send(self, method: str, path: str, **content: Any) -> requests.Response:
        """Return an answer that is no error; only a GET is sent again when the connection fails."""
        pauses = list(RETRY_SECONDS) if method == "GET" else []
        while True:
            try:
                answer = self.session.request(
                    method,
                    f"{self.url}{PREFIX}{path}",
                    timeout=self._timeout,
                    allow_redirects=False,
                    **content,
                )
                break
            except requests.ConnectionError as error:
                if not pauses:
                    raise Unreachable(f"{self.url} cannot be reached: {error}") from error
                time.sleep(pauses.pop(0))
            except requests.RequestException as error:
                raise Unreachable(f"{self.url} did not answer: {error}") from error
        if answer.status_code >= 300:
            raise ApiError(_problem(answer))
        return answer

    @staticmethod
    def _json(answer: requests.Response) -> Json:
        try:
            body = answer.json()
        except requests.JSONDecodeError as error:
            raise Unreachable(f"{answer.url} did not answer with JSON; is it this service?") from error
        if not isinstance(body, dict):
            raise Unreachable(f"{answer.url} did not answer with an object; is it this service?")
        return body


class _Bearer(AuthBase):
    """Sends the token; being there at all, it also keeps a .netrc file out."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    def __call__(self, prepared: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token is not None:
            prepared.headers["Authorization"] = f"Bearer {self._token}"
        return prepared


def _given(**query: Any) -> Json:
    """Return the query parameters that have a value."""
    return {key: value for key, value in query.items() if value is not None}


def _segment(text: str) -> str:
    """Return one segment of a path."""
    return quote(str(text), safe="")


def _problem(answer: requests.Response) -> Json:
    """Return the problem details of an answer; made up from its status when it has none."""
    try:
        body = answer.json()
    except requests.JSONDecodeError:
        body = None
    if isinstance(body, dict) and isinstance(body.get("status"), int):
        return body
    return {"status": answer.status_code, "title": answer.reason, "detail": f"{answer.url}: {answer.reason}"}
