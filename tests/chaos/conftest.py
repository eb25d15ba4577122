"""What the strikes share: the undisturbed cup, servers to strike, and seeded chance."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from support import brokers, cups, postgres
from support.brokers import Broker
from support.installation import wait_finished

from store.database import Database

HERE = Path(__file__).parent
_log = structlog.get_logger(__name__)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.chaos)
            item.add_marker(pytest.mark.timeout(900))


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Chance of this test's own; its seed is printed, and --chaos-seed gives it again."""
    given = request.config.getoption("--chaos-seed")
    seed = random.SystemRandom().randrange(10**6) if given is None else given
    _log.info("chance", chaos_seed=seed)
    return random.Random(f"{seed}/{request.node.name}")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    """A Redis to be struck."""
    with brokers.server(tmp_path) as made:
        yield made


@pytest.fixture
def server() -> Iterator[postgres.Server]:
    """A PostgreSQL server to be struck."""
    with postgres.running() as made:
        yield made


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.needs("postgresql"))])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    """An empty database: once SQLite, once PostgreSQL."""
    if request.param == "sqlite":
        return Database(f"sqlite:///{tmp_path / 'fudaba.db'}")
    return Database(request.getfixturevalue("server").url)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The fingerprint of the cup with one worker and no accident."""
    folder = tmp_path_factory.mktemp("calm")
    database = Database(f"sqlite:///{folder / 'fudaba.db'}")
    with brokers.server(folder) as broker, cups.under_way(folder, broker, database) as (service, cup):
        with service.client() as client:
            wait_finished(client, cup, 300)
        return cups.fingerprint(database, cup)
