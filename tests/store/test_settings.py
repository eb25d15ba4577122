"""Settings: defaults, files, and every problem at once."""

from pathlib import Path

import pytest

from store.settings import SETTINGS, BadSettings, Settings


def test_defaults_make_an_embedded_installation(tmp_path: Path) -> None:
    settings = Settings.from_env({"FUDABA_HOME": str(tmp_path)})
    assert settings.database_url == f"sqlite:///{tmp_path}/fudaba.db"
    assert settings.redis_url == ""
    assert settings.sandbox == "auto"
    assert not settings.allow_private_endpoints


def test_a_setting_may_stand_in_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "token"
    secret.write_text("from-a-file\n")
    assert Settings.from_env({"FUDABA_ORGANISER_TOKEN_FILE": str(secret)}).organiser_token == "from-a-file"


def test_settings_survive_their_variables(tmp_path: Path) -> None:
    env = {"FUDABA_HOME": str(tmp_path), "FUDABA_ALLOW_PRIVATE_ENDPOINTS": "1", "FUDABA_LEASE_SECONDS": "7"}
    settings = Settings.from_env(env)
    assert Settings.from_env(settings.to_env()) == settings


def test_archives_lie_beside_a_database_that_is_a_file_otherwise_where_it_is_said(tmp_path: Path) -> None:
    file = {"FUDABA_HOME": str(tmp_path)}
    server = {**file, "FUDABA_DATABASE_URL": "postgresql://ann@h/x"}
    assert Settings.from_env(file).archive == tmp_path / "archive"
    assert Settings.from_env(server).archive is None
    assert Settings.from_env({**server, "FUDABA_ARCHIVE": "/srv/archive"}).archive == Path("/srv/archive")
    assert Settings.from_env(Settings.from_env(server).to_env()).archive is None


def test_every_problem_is_reported_at_once(tmp_path: Path) -> None:
    env = {
        "FUDABA_PORT": "http",
        "FUDABA_SANDBOX": "docker",
        "FUDABA_ALLOW_PRIVATE_ENDPOINTS": "perhaps",
        "FUDABA_LEASE_SECONDS": "0",
        "FUDABA_DATABASE_URL": "mysql://ann:hush@h/x",
        "REDIS_URL": "redis://x",
        "REDIS_URL_FILE": "also",
        "FUDABA_ORGANISER_TOKEN_FILE": str(tmp_path / "missing"),
    }
    with pytest.raises(BadSettings) as refused:
        Settings.from_env(env)
    for variable in (
        "FUDABA_PORT",
        "FUDABA_SANDBOX",
        "FUDABA_ALLOW_PRIVATE_ENDPOINTS",
        "FUDABA_LEASE_SECONDS",
        "FUDABA_DATABASE_URL",
    ):
        assert variable in str(refused.value)
    assert "REDIS_URL_FILE is given as well" in str(refused.value)
    assert "FUDABA_ORGANISER_TOKEN" in str(refused.value)
    assert "hush" not in str(refused.value)


def test_secrets_do_not_show_in_the_text_of_settings() -> None:
    settings = Settings.from_env({"FUDABA_ORGANISER_TOKEN": "hush", "REDIS_URL": "redis://:hush@h/0"})
    assert "hush" not in repr(settings)


def test_every_setting_is_a_field_and_says_what_it_means() -> None:
    assert set(SETTINGS) == set(Settings.__dataclass_fields__)
    assert all(setting.meaning for setting in SETTINGS.values())
