"""Callers of the API of every role, and what every problem must look like."""

import json
from dataclasses import dataclass
from typing import Any, cast

from flask.testing import FlaskClient
from urllib3.filepost import encode_multipart_formdata
from werkzeug.test import TestResponse

NOBODY = "00000000-0000-4000-8000-000000000000"  # the id of nothing
MODULE = b"def act(observation):\n    return observation['legal'][0]\n"


class Answer(TestResponse):
    """An answer, whose JSON is for the test to look into."""

    @property
    def json(self) -> Any:
        """Return the body's value."""
        return self.get_json()


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who asks the API with a token, or without one."""

    client: FlaskClient
    token: str | None = None

    def get(self, path: str, **more: Any) -> Answer:
        """Send a GET below the prefix."""
        return self.send("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> Answer:
        """Send a POST below the prefix, with a JSON body where one is given."""
        return self.send("POST", path, **({} if body is None else {"json": body}), **more)

    def send(self, method: str, path: str, **more: Any) -> Answer:
        """Send any request below the prefix."""
        headers = dict(more.pop("headers", {}))
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        return cast(Answer, self.client.open(f"/api/v1{path}", method=method, headers=headers, **more))

    def submit(
        self, meta: Any, content: bytes = MODULE, filename: str = "bot.py", to: str = "/bots"
    ) -> Answer:
        """Submit a module; `meta` is sent as it is when it is a text."""
        text = meta if isinstance(meta, str) else json.dumps(meta)
        body, kind = encode_multipart_formdata({"meta": text, "file": (filename, content)})
        return self.post(to, data=body, content_type=kind)


def new_participant(organiser: Caller, name: str) -> Caller:
    """Create an account and return it as a caller."""
    created = organiser.post("/accounts", {"name": name})
    assert created.status_code == 201, created.text
    return Caller(organiser.client, created.json["token"])


def assert_problem(answer: TestResponse, status: int, code: str, field: str | None = None) -> None:
    """Hold that an answer is problem details with this status, code and field."""
    assert answer.status_code == status, answer.text
    assert answer.content_type == "application/problem+json"
    body = answer.json
    assert body is not None
    assert (body["status"], body["code"], body["field"]) == (status, code, field), body
    assert body["type"] == f"/api/v1/docs#problem-{code}"
    assert body["detail"]
    assert body["title"]
    assert body["request_id"] == answer.headers["X-Request-Id"]
