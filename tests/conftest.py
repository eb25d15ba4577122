"""What all tests share: the groups that need more than pip brings, databases, and builders."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import settings
from support import databases, encrypted, postgres

from store.database import Database

# How long an example takes says more of the machine than of the code. The same examples come in every run;
# --hypothesis-profile=wide, which make test-all asks for, looks for new ones each time.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("wide", deadline=None)
settings.load_profile("steady")

# A group of tests and whether what it needs is here; what is missing is named at the end and fails the run.
_GROUPS: dict[str, Callable[[], bool]] = {
    "postgresql": lambda: postgres.binaries() is not None,
    "bubblewrap": lambda: shutil.which("bwrap") is not None,
    "chromium": lambda: shutil.which("chromium") is not None,
    "nginx": lambda: shutil.which("nginx") is not None,
    "node": lambda: shutil.which("node") is not None,
    "redis": lambda: encrypted.redis_program() is not None,
    "root": lambda: os.geteuid() == 0,
}
_missing: set[str] = set()


def pytest_addoption(parser: pytest.Parser) -> None:
    chaos = parser.getgroup("chaos")
    chaos.addoption("--storm-seconds", type=int, default=60, help="how long the storm of strikes lasts")
    chaos.addoption("--chaos-seed", type=int, help="seed of all chance; by default another one each time")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(group): runs only where the group's programs are installed")


@pytest.hookimpl(trylast=True)  # what the command line leaves out needs nothing
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept, left_out = [], []
    for item in items:
        groups = {name for mark in item.iter_markers("needs") for name in mark.args}
        absent = {name for name in groups if not _GROUPS[name]()}
        _missing.update(absent)
        (left_out if absent else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
    # Whole services first: their files take longest, and would otherwise be played alone at the end.
    items[:] = sorted(kept, key=lambda item: not item.path.parent.name.startswith(("integration", "browser")))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _missing.update(node.workeroutput["missing"] if hasattr(node, "workeroutput") else ())


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if hasattr(session.config, "workeroutput"):  # one of several test processes: the first one judges
        session.config.workeroutput["missing"] = sorted(_missing)
    elif _missing and os.environ.get("ALLOW_MISSING") != "1" and exitstatus == 0:
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _missing:
        names = ", ".join(sorted(_missing))
        terminalreporter.write_line(f"could not run, not here: {names} (ALLOW_MISSING=1 forgives)", red=True)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of a server of this test process's own."""
    with postgres.server() as url:
        yield url


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.needs("postgresql"))],
)
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A migrated, empty database: once SQLite in a file, once PostgreSQL."""
    if request.param == "sqlite":
        made = databases.sqlite(tmp_path_factory.mktemp("db"))
    else:
        made = databases.postgresql(request.getfixturevalue("postgres_url"))
    yield made
    made.dispose()
