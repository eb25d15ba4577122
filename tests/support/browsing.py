"""Browsers without scripts: they sign in and send the forms of the web pages."""

import re
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from support.callers import Caller
from werkzeug.test import TestResponse


def browser_of(caller: Caller) -> FlaskClient:
    """Return a browser of its own, not signed in, on the application of a caller."""
    application: Flask = caller.client.application
    application.secret_key = "for tests"
    return application.test_client()


def csrf_of(client: FlaskClient, path: str = "/sign-in") -> str:
    """Return what the form on a page must send back."""
    found = re.search(r'name="csrf" value="([^"]+)"', client.get(path).text)
    assert found is not None, path
    return found[1]


def post(client: FlaskClient, path: str, data: dict[str, Any], form: str | None = None) -> TestResponse:
    """Send a form with the token of the page that it stands on."""
    return client.post(path, data={"csrf": csrf_of(client, form or path), **data})


def sign_in(client: FlaskClient, token: str | None) -> FlaskClient:
    """Sign in with a token; the answer must lead on."""
    answer = post(client, "/sign-in", {"token": token, "then": ""})
    assert answer.status_code == 303, answer.text
    return client
