"""How the client talks to the API: requests, pages, events, problems, and what is sent a second time."""

import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self
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
PIECE_BYTES = 1 << 16
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
    with suppress(ValueError):  # The first request says what is wrong with such a URL.
        session.trust_env = urlsplit(url).hostname not in _LOOPBACK
    return session


class Transport:
    """A connection to the API at `url`, with a token where one is needed."""

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

    def _listen(self, path: str) -> Iterator[str]:
        """Yield the data of every Server-Sent Event, over as many connections as it takes, until the end."""
        last_id: dict[str, str] = {}
        while True:
            with self._send("GET", path, headers=last_id, stream=True) as answer:
                if answer.status_code == 204:
                    return
                try:
                    for event in _events(line.decode() for line in answer.iter_lines()):
                        last_id = {"Last-Event-ID": event["id"]}
                        yield event["data"]
                except requests.RequestException:
                    time.sleep(RETRY_SECONDS[-1])

    def _get(self, path: str, **query: Any) -> Json:
        return self._json(self._send("GET", path, params=given(**query)))

    def _post(self, path: str, body: Json | None = None) -> Json:
        return self._json(self._send("POST", path, json={} if body is None else body))

    def _send(self, method: str, path: str, **content: Any) -> requests.Response:
        """Return an answer that is no error.

        When the connection fails a GET is sent again, and so is a POST, which its key makes safe.
        """
        pauses = list(RETRY_SECONDS) if method in ("GET", "POST") else []
        if method == "POST":
            content["headers"] = {"Idempotency-Key": uuid.uuid4().hex, **content.get("headers", {})}
        while True:
            try:
                answer = self.session.request(
                    method,
                    f"{self.url}{PREFIX}{path}",
                    timeout=self._timeout,
                    allow_redirects=False,
                    **content,
                )
                if not (pauses and _is_in_progress(answer)):
                    break
                time.sleep(pauses.pop(0))
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


def _events(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    """Yield the fields of each Server-Sent Event that has data."""
    event: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        if line:
            event[name] = value.removeprefix(" ")
            continue
        if "data" in event:
            yield event
        event = {}


def given(**query: Any) -> Json:
    """Return the query parameters that have a value."""
    return {key: value for key, value in query.items() if value is not None}


def segment(text: str) -> str:
    """Return one segment of a path."""
    return quote(str(text), safe="")


def _is_in_progress(answer: requests.Response) -> bool:
    """Return whether the same request came before, over a connection that failed, and is still worked on."""
    return answer.status_code == 409 and _problem(answer).get("code") == "in_progress"


def _problem(answer: requests.Response) -> Json:
    """Return the problem details of an answer; made up from its status when it has none."""
    try:
        body = answer.json()
    except requests.JSONDecodeError:
        body = None
    if isinstance(body, dict) and isinstance(body.get("status"), int):
        return body
    return {"status": answer.status_code, "title": answer.reason, "detail": f"{answer.url}: {answer.reason}"}
