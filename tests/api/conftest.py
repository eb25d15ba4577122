"""An API on a database of its own, and callers of every role."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support import arena
from support.callers import Caller, new_participant

from api.app import create_app
from store import schema
from store.database import Database
from workers.services import Services


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    database = Database(f"sqlite:///{tmp_path / 'fudaba.db'}")
    schema.upgrade(database)
    made = arena.install(database)
    yield made
    made.close()


@pytest.fixture
def anybody(services: Services) -> Caller:
    """A caller without a token."""
    return Caller(create_app(services).test_client())


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
