"""The API on a real socket, and the command as somebody runs it who has a configuration of his own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from flask import Flask
from support.callers import Caller
from support.served import served
from support.shell import Shell

from workers.services import Services

VARIABLES = ("FUDABA_URL", "FUDABA_TOKEN")


@pytest.fixture(autouse=True)
def config_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this user's configuration is kept; there is none yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "config" / "fudaba" / "config.toml"


@pytest.fixture
def _server_logs(tmp_path: Path) -> Iterator[None]:
    """Keep the server's log out of what a command prints, since both run in this process."""
    before = structlog.get_config()
    with (tmp_path / "server.log").open("w") as file:
        structlog.configure(logger_factory=structlog.PrintLoggerFactory(file))
        yield
        structlog.configure(**before)


@pytest.fixture
def url(app: Flask, services: Services, _server_logs: None) -> Iterator[str]:
    """The URL of the application, served by a thread."""
    with served(app) as found:
        yield found


@pytest.fixture
def shell(url: str, organiser: Caller) -> Shell:
    """The organiser's command line."""
    return Shell(url=url, token=organiser.token)


@pytest.fixture
def ann(url: str, participant: Caller) -> Shell:
    """A participant's command line."""
    return Shell(url=url, token=participant.token)
