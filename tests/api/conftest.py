"""An API on a database of its own for each test, and callers of every role."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from flask import Flask
from flask.testing import FlaskClient
from support import arena
from support.browsing import browser_of, sign_in
from support.callers import Caller, new_participant

from api.app import create_app
from store import schema
from store.database import Database
from workers.services import Services


@pytest.fixture(scope="session", autouse=True)
def _plain_logs() -> Iterator[None]:
    """Log as in production, to whatever standard output a test has."""
    shared = [structlog.contextvars.merge_contextvars, structlog.processors.format_exc_info]
    structlog.configure(processors=[*shared, structlog.processors.JSONRenderer()])
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an empty, migrated database, to be copied."""
    path = tmp_path_factory.mktemp("migrated") / "fudaba.db"
    database = Database(f"sqlite:///{path}")
    schema.upgrade(database)
    database.dispose()
    return path


@pytest.fixture(scope="session")
def app(migrated: Path) -> Flask:
    """The application; it works with the services that are installed when it is asked."""
    database = Database(f"sqlite:///{migrated.with_name('unused.db')}")
    schema.upgrade(database)
    return create_app(arena.install(database, FUDABA_RATE_LIMIT_REGISTRATION=""))


@pytest.fixture(scope="session")
def stored(migrated: Path) -> Path:
    """The file of the database that every test gets a copy of; a test file may put its own in its place."""
    return migrated


@pytest.fixture
def services(app: Flask, stored: Path, tmp_path: Path) -> Iterator[Services]:
    """Services on a database with an organiser and the house bots, without a broker."""
    path = tmp_path / "fudaba.db"
    shutil.copy(stored, path)
    made = arena.install(Database(f"sqlite:///{path}"))
    yield made
    made.close()


@pytest.fixture
def anybody(app: Flask, services: Services) -> Caller:
    """A caller without a token."""
    return Caller(app.test_client())


@pytest.fixture
def organiser(anybody: Caller) -> Caller:
    return Caller(anybody.client, arena.TOKEN)


@pytest.fixture
def participant(organiser: Caller) -> Caller:
    return new_participant(organiser, "ann")


@pytest.fixture
def stranger(organiser: Caller) -> Caller:
    """Another participant."""
    return new_participant(organiser, "bea")


@pytest.fixture
def client(anybody: Caller) -> FlaskClient:
    """A browser that is not signed in."""
    return browser_of(anybody)


@pytest.fixture
def ann(client: FlaskClient, participant: Caller) -> FlaskClient:
    """The browser of a participant."""
    return sign_in(client, participant.token)


@pytest.fixture
def boss(client: FlaskClient, services: Services) -> FlaskClient:
    """The browser of the organiser."""
    return sign_in(client, arena.TOKEN)
