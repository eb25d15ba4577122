"""Pages of other origins: refused unless the operator names their origin."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient
from support import arena

from api.app import create_app
from store import schema
from store.database import Database
from store.settings import BadSettings, Settings

PAGE = "https://cards.example.org"
PREFLIGHT = {"Origin": PAGE, "Access-Control-Request-Method": "POST"}


def client(tmp_path: Path, origins: str) -> FlaskClient:
    database = Database(f"sqlite:///{tmp_path / 'cors.db'}")
    schema.upgrade(database)
    return create_app(arena.install(database, FUDABA_CORS_ORIGINS=origins)).test_client()


def test_nobody_is_let_in_by_default(tmp_path: Path) -> None:
    for answer in (
        client(tmp_path, "").get("/api/v1/games", headers={"Origin": PAGE}),
        client(tmp_path, "").options("/api/v1/tournaments", headers=PREFLIGHT),
        client(tmp_path, "https://other.example.org").get("/api/v1/games", headers={"Origin": PAGE}),
    ):
        assert not any(name.startswith("Access-Control") for name, _ in answer.headers)


@pytest.mark.parametrize("origins", [PAGE, f"https://other.example.org, {PAGE}", "*"])
def test_a_named_origin_may_read_and_act(tmp_path: Path, origins: str) -> None:
    api = client(tmp_path, origins)
    read = api.get("/api/v1/games", headers={"Origin": PAGE})
    assert read.headers["Access-Control-Allow-Origin"] == ("*" if origins == "*" else PAGE)
    assert "Origin" in read.headers["Vary"]
    assert "ETag" in read.headers["Access-Control-Expose-Headers"]
    asked = api.options("/api/v1/tournaments", headers=PREFLIGHT)
    assert asked.status_code == 200
    assert "POST" in asked.headers["Access-Control-Allow-Methods"]
    assert "Authorization" in asked.headers["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in asked.headers


@pytest.mark.parametrize(
    "origins", ["cards.example.org", "https://a.example/path", "null", "*, https://a.example"]
)
def test_what_is_no_origin_is_refused_at_the_start(origins: str) -> None:
    with pytest.raises(BadSettings, match="FUDABA_CORS_ORIGINS"):
        Settings.from_env({"FUDABA_CORS_ORIGINS": origins})
