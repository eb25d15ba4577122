"""Qualification of what was submitted: secrets that come later, failures of ours, and another chance."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from http.server import ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import pytest
from support import arena, owners
from support.arena import NOW
from support.endpoints import FirstLegal

from store import bots, uploads
from store.bots import Endpoint
from store.database import Database
from store.models.bots import Version, VersionState
from workers import qualification, stage
from workers.services import Services

pytestmark = [pytest.mark.integration]


class Locked(FirstLegal):
    """An endpoint that answers 401 to so many requests, as one without its secret does."""

    left: ClassVar[int]

    def do_GET(self) -> None:
        if Locked.left:
            Locked.left -= 1
            self.send_response(401)
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            super().do_GET()


@contextmanager
def locked(refusals: int) -> Iterator[str]:
    """The URL of an endpoint that answers the first so many requests with 401."""
    Locked.left = refusals
    with ThreadingHTTPServer(("127.0.0.1", 0), Locked) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def made(database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    monkeypatch.setattr(qualification, "_AT_ONCE_SECONDS", (0.0, 0.0))
    stage.close()  # the one of a test before has other settings
    yield arena.install(database, FUDABA_ALLOW_PRIVATE_ENDPOINTS="true")
    stage.close()


def submitted(made: Services, url: str) -> Version:
    """An endpoint that waits for its qualification."""
    ann = owners.owner(made.database, "ann")
    with made.database.transaction() as tx:
        return bots.submit_endpoint(tx, ann, "b", Endpoint(url=url), ("seiten",), NOW)[0]


def qualified(made: Services, version: Version, seconds: float) -> Version:
    """A version after it was tried out so long after its submission."""
    later = replace(made, clock=lambda: NOW + timedelta(seconds=seconds))
    qualification.run(later, version.id)
    with made.database.transaction() as tx:
        return bots.version(tx, version.bot_id, version.number)


def test_an_endpoint_that_gets_its_secret_a_moment_later_is_qualified_at_once(made: Services) -> None:
    with locked(2) as url:
        found = qualified(made, submitted(made, url), 1)
    assert found.state is VersionState.QUALIFIED


def test_an_endpoint_without_its_secret_is_asked_again_for_ten_minutes(made: Services) -> None:
    with locked(100) as url:
        version = submitted(made, url)
        waiting = qualified(made, version, 40)
        assert waiting.state is VersionState.QUALIFYING
        assert waiting.report is not None
        assert "401" in waiting.report["reason"]
        assert "asked again until 12:10:00 UTC" in waiting.report["reason"]
        # It rests for a quarter of its age: nobody asks before that is over.
        left = Locked.left
        assert qualified(made, version, 49).state is VersionState.QUALIFYING
        assert Locked.left == left
        Locked.left = 0
        assert qualified(made, version, 51).state is VersionState.QUALIFIED


def test_an_endpoint_that_never_learns_its_secret_is_refused(made: Services) -> None:
    with locked(100) as url:
        found = qualified(made, submitted(made, url), 601)
    assert found.state is VersionState.REFUSED
    assert found.report is not None
    assert "401" in found.report["reason"]


def test_a_module_that_only_the_platform_refused_is_qualified_when_it_is_submitted_again(
    made: Services,
) -> None:
    ann, code = owners.owner(made.database, "ann"), owners.CODE

    def submit() -> Version:
        with made.database.transaction() as tx:
            return bots.submit_module(tx, ann, "b", uploads.inspect(code, "bot.py"), code, (), NOW)

    first = submit()
    refused = qualified(made, first, 1)  # no sandbox was chosen in this process
    assert refused.state is VersionState.REFUSED
    assert refused.report is not None
    assert "runs no uploaded modules" in refused.report["reason"]
    again = submit()
    assert (again.id, again.number, again.state) == (first.id, 1, VersionState.QUALIFYING)
    with made.database.transaction() as tx:
        owners.qualify(tx, again.id, ok=False)
    assert submit().state is VersionState.REFUSED
