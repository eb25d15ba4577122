"""`fudaba admin`: settings, doctor, migrations and tokens, as an operator calls them."""

import json
from pathlib import Path
from uuid import uuid4

import pytest
from click.testing import CliRunner, Result
from support import arena

from api.commands import fudaba
from store import accounts
from store.database import Database
from store.models.accounts import Role
from store.models.bots import Blob
from store.models.tournaments import Tournament
from store.settings import SETTINGS


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"FUDABA_HOME": str(tmp_path), "FUDABA_ORGANISER_TOKEN": "hush-hush-hush-hush-hush-hush-hush"}


def admin(env: dict[str, str], *arguments: str) -> Result:
    return CliRunner(env=env).invoke(fudaba, ["admin", *arguments])


def test_settings_are_all_listed_and_secrets_hidden(env: dict[str, str]) -> None:
    listed = json.loads(admin(env, "settings", "--json").output)
    assert set(listed) == {setting.variable for setting in SETTINGS.values()}
    assert listed["FUDABA_ORGANISER_TOKEN"] == "********"
    table = admin(env, "settings").output
    assert "hush" not in table
    assert "FUDABA_LEASE_SECONDS" in table


def test_a_bad_setting_is_one_clear_line(env: dict[str, str]) -> None:
    found = admin({**env, "FUDABA_PORT": "http"}, "settings")
    assert found.exit_code == 1
    assert "FUDABA_PORT: 'http' is not a whole number" in found.output


def test_migrating_makes_a_database_with_house_bots_and_the_organiser(
    env: dict[str, str], tmp_path: Path
) -> None:
    for _ in range(2):
        assert admin(env, "migrate").exit_code == 0
    database = Database(f"sqlite:///{tmp_path / 'fudaba.db'}")
    with database.transaction() as tx:
        account = accounts.authenticate(tx, env["FUDABA_ORGANISER_TOKEN"])
        assert account is not None
        assert account.role is Role.ORGANISER
    database.dispose()


def test_a_token_works_and_a_name_is_taken_once(env: dict[str, str], tmp_path: Path) -> None:
    admin(env, "migrate")
    made = admin(env, "token", "ann")
    assert made.exit_code == 0
    database = Database(f"sqlite:///{tmp_path / 'fudaba.db'}")
    with database.transaction() as tx:
        account = accounts.authenticate(tx, made.output.strip())
        assert account is not None
        assert (account.name, account.role) == ("ann", Role.PARTICIPANT)
    database.dispose()
    again = admin(env, "token", "ann")
    assert again.exit_code == 1
    assert "ann" in again.output


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://hush@x/y", "FUDABA_DATABASE_URL: what it is set to is not a URL such as"),
        (f"sqlite:///{__file__}", "the database cannot be used"),
        ("sqlite:////dev/null/x.db", "the folder of the database cannot be made"),
        ("postgresql://hush@127.0.0.1:1/x", "the database cannot be used: connection failed"),
    ],
)
def test_a_database_that_cannot_be_used_is_one_clear_line(url: str, said: str) -> None:
    for command in (["migrate"], ["token", "ann"]):
        found = admin({"FUDABA_DATABASE_URL": url}, *command)
        assert found.exit_code == 1
        assert found.output.startswith("Error: ")
        assert said in found.output or "there is no database yet" in found.output
        assert "hush" not in found.output


def test_a_token_needs_the_tables(env: dict[str, str], tmp_path: Path) -> None:
    for _ in range(2):
        found = admin(env, "token", "ann")
        assert found.exit_code == 1
        assert "fudaba admin migrate" in found.output
        assert not (tmp_path / "fudaba.db").exists()
    (tmp_path / "fudaba.db").touch()
    assert "at revision none" in admin(env, "token", "ann").output


@pytest.mark.integration
def test_the_doctor_attacks_the_sandboxes(env: dict[str, str]) -> None:
    found = json.loads(admin(env, "doctor", "--json").output.splitlines()[0])
    assert found["sandbox landlock"] == "holds"
    assert found["control groups"].startswith(("cgroup v", "none: "))
    assert found["broker"].startswith("embedded")
    assert found["engine"].startswith(("compiled", "pure Python"))


def test_a_database_is_checked_copied_and_put_back(env: dict[str, str], tmp_path: Path) -> None:
    assert admin(env, "migrate").exit_code == 0
    assert json.loads(admin(env, "check", "--json").output) == {"ok": True, "problems": []}
    file = tmp_path / "copy"
    assert admin(env, "backup", str(file)).exit_code == 0
    again = admin(env, "backup", str(file))
    assert (again.exit_code, "exists already" in again.output) == (1, True)
    refused = admin(env, "restore", str(file))
    assert (refused.exit_code, "not empty" in refused.output) == (1, True)
    (tmp_path / "elsewhere").mkdir()
    elsewhere = {**env, "FUDABA_HOME": str(tmp_path / "elsewhere")}
    assert admin(elsewhere, "restore", str(file)).exit_code == 0
    assert admin(elsewhere, "check").output == "all is right\n"


def test_what_is_wrong_with_a_database_is_named(env: dict[str, str], tmp_path: Path) -> None:
    admin(env, "migrate")
    database = Database(f"sqlite:///{tmp_path / 'fudaba.db'}")
    with database.transaction() as tx:
        tx.add(Blob(sha256="0" * 64, content=b"other"))
    database.dispose()
    found = admin(env, "check")
    assert (found.exit_code, "has other bytes" in found.output) == (1, True)


def test_a_tournament_that_is_not_there_is_not_exported(env: dict[str, str], tmp_path: Path) -> None:
    admin(env, "migrate")
    found = admin(env, "export", str(uuid4()), str(tmp_path / "cup"))
    assert (found.exit_code, "Error:" in found.output) == (1, True)
    missing = admin(env, "import", str(tmp_path / "cup"))
    assert (missing.exit_code, "no export of a tournament" in missing.output) == (1, True)


def test_old_tournaments_are_archived_and_brought_back(env: dict[str, str], tmp_path: Path) -> None:
    admin(env, "migrate")
    database = Database(f"sqlite:///{tmp_path / 'fudaba.db'}")
    made = arena.install(database)
    tournament, wrong = arena.finished(made), arena.finished(made)
    with database.transaction() as tx:
        tx.get_one(Tournament, wrong.id).commitment = "0" * 64
    database.dispose()
    none = admin(env, "archive")
    assert (none.exit_code, "ended more than 365 days ago" in none.output) == (0, True)
    done = admin(env, "archive", "--older-than", "0", "--json")
    found = json.loads(done.output)
    assert (done.exit_code, found["archived"]) == (1, {str(tournament.id): tournament.events[0].matches})
    assert found["refused"].keys() == {str(wrong.id)}
    assert f"tournament {wrong.id} stays: line 1:" in admin(env, "archive", "--older-than", "0").output
    assert (tmp_path / "archive" / f"{tournament.id}.ndjson.gz").is_file()
    back = admin(env, "unarchive", str(tournament.id))
    assert (back.exit_code, "brought back tournament" in back.output) == (0, True)
    assert admin(env, "unarchive", str(tournament.id)).exit_code == 1
