"""Redis and PostgreSQL over TLS by URL: the whole service works, and no wrong server is talked to."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError
from sqlalchemy.exc import OperationalError as DatabaseError
from support import arena, certificates, encrypted, installation
from support.certificates import Certified
from support.installation import wait_finished

from api.client import Client
from store import schema
from store.database import Database
from store.settings import Settings
from workers.services import Services

pytestmark = [
    pytest.mark.slow,
    pytest.mark.integration,
    pytest.mark.needs("postgresql", "redis"),
    pytest.mark.timeout(240),
]


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    return certificates.make(tmp_path_factory.mktemp("certificates"), "localhost")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    """An authority that has signed nothing here."""
    return certificates.make(tmp_path_factory.mktemp("stranger"), "localhost")


@pytest.fixture(scope="module")
def postgres_url(certified: Certified) -> Iterator[str]:
    with encrypted.postgresql(certified) as url:
        yield url


@pytest.fixture(scope="module")
def redis_url(certified: Certified, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with encrypted.redis(certified, tmp_path_factory.mktemp("redis")) as url:
        yield url


def services(redis_url: str) -> Services:
    return Services.of(
        Settings.from_env({"REDIS_URL": redis_url, "FUDABA_DATABASE_URL": "sqlite:///:memory:"})
    )


def test_a_tournament_is_played_over_tls(
    postgres_url: str, redis_url: str, certified: Certified, tmp_path: Path
) -> None:
    (tmp_path / "database_url").write_text(
        f"{postgres_url}?sslmode=verify-full&sslrootcert={certified.authority}"
    )
    (tmp_path / "redis_url").write_text(f"{redis_url}?ssl_ca_certs={certified.authority}")
    files = {
        "FUDABA_DATABASE_URL_FILE": str(tmp_path / "database_url"),
        "REDIS_URL_FILE": str(tmp_path / "redis_url"),
    }
    with installation.running(tmp_path / "home", **files) as up, Client(up.url, up.token) as client:
        event = {"game": "hana_awase", "options": {"rounds": 1}, "deals": 2}
        plan = {"name": "cup", "entrants": list(arena.HOUSE), "events": [event]}
        tournament = client.create_tournament(plan)
        client.start(tournament["id"])
        state = wait_finished(client, tournament["id"])
    assert state["played"] == state["matches"]


@pytest.mark.parametrize(
    "options", ["", "?ssl_ca_certs={stranger}"], ids=["no authority is named", "another authority"]
)
def test_a_redis_whose_certificate_cannot_be_checked_gets_no_password(
    redis_url: str, stranger: Certified, options: str
) -> None:
    made = services(redis_url + options.format(stranger=stranger.authority))
    with pytest.raises(RedisError, match="certificate verify failed"):
        made.redis.ping()
    with pytest.raises((OperationalError, RedisError), match="certificate verify failed"):
        made.celery.send_task("fudaba.sweep", retry=False, ignore_result=True)
    made.close()


def test_a_certificate_for_another_name_is_refused(redis_url: str, certified: Certified) -> None:
    by_address = redis_url.replace("localhost", "127.0.0.1")
    made = services(f"{by_address}?ssl_ca_certs={certified.authority}")
    with pytest.raises(RedisError, match="certificate"):
        made.redis.ping()
    with pytest.raises((OperationalError, RedisError), match="certificate"):
        made.celery.send_task("fudaba.sweep", retry=False, ignore_result=True)
    made.close()


def test_redis_takes_nobody_without_tls_or_the_password(redis_url: str, certified: Certified) -> None:
    wrong = redis_url.replace(encrypted.PASSWORD, "guessed")
    for url in (redis_url.replace("rediss://", "redis://"), f"{wrong}?ssl_ca_certs={certified.authority}"):
        made = services(url)
        with pytest.raises(RedisError):
            made.redis.ping()
        made.close()


@pytest.mark.parametrize(
    "options", ["sslmode=disable", "sslmode=verify-full&sslrootcert={stranger}", "sslmode=verify-full"]
)
def test_a_postgresql_that_is_not_the_right_one_is_refused(
    postgres_url: str, stranger: Certified, options: str
) -> None:
    database = Database(f"{postgres_url}?{options.format(stranger=stranger.authority)}")
    with pytest.raises(DatabaseError):
        schema.revision(database)
    database.dispose()
