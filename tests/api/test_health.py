"""Whether the service says that it is alive and ready, and what is missing."""

import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import RedisError
from support import arena, brokers
from support.callers import Caller, assert_problem

from api import readiness
from api.app import create_app
from store.database import Database
from workers import broker, presence
from workers.celery_app import redis_url
from workers.services import Services


@pytest.mark.parametrize("path", ["/healthz", "/api/v1/healthz"])
def test_a_process_that_answers_is_alive_whatever_else_is_away(anybody: Caller, path: str) -> None:
    answer = anybody.client.get(path)
    assert (answer.status_code, answer.json) == (200, {"status": "ok"})


@pytest.mark.parametrize("path", ["/readyz", "/api/v1/readyz"])
def test_without_a_broker_it_is_not_ready(anybody: Caller, path: str) -> None:
    answer = anybody.client.get(path)
    assert_problem(answer, 503, "not_ready")
    assert answer.json is not None
    assert set(answer.json["problems"]) == {"redis", "workers"}


def test_a_database_without_tables_is_not_ready(services: Services, tmp_path: Path) -> None:
    empty = Database(f"sqlite:///{tmp_path / 'empty.db'}")
    caller = Caller(create_app(replace(services, database=empty)).test_client())
    answer = caller.get("/readyz")
    assert "migrations" in answer.json["problems"]
    assert "database" not in answer.json["problems"]
    empty.dispose()


def test_a_database_that_is_away_is_not_ready(services: Services, tmp_path: Path) -> None:
    gone = Database(f"sqlite:///{tmp_path}/here/fudaba.db")
    (tmp_path / "here").rmdir()
    answer = Caller(create_app(replace(services, database=gone)).test_client()).get("/readyz")
    assert_problem(answer, 503, "not_ready")
    assert "database" in answer.json["problems"]
    gone.dispose()


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A real server of the broker's own and its URL."""
    server = broker.embedded(tmp_path)
    process = subprocess.Popen(server.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with Redis.from_url(redis_url(server.url)) as client:
        for _ in range(200):
            try:
                client.ping()
                break
            except RedisError:
                time.sleep(0.02)
    yield server.url, process
    process.terminate()
    process.wait(10)


@pytest.mark.integration
def test_with_a_database_a_broker_and_a_worker_it_is_ready(
    services: Services, redis: tuple[str, subprocess.Popen[bytes]]
) -> None:
    url, process = redis
    made = arena.install(services.database, REDIS_URL=url)
    caller = Caller(create_app(made).test_client())
    alone = caller.get("/readyz")
    assert_problem(alone, 503, "not_ready")
    assert alone.json["problems"] == {"workers": "no worker was seen in the last minute"}
    presence.describe({"sandbox": "landlock", "reason": "it holds"})
    presence.beat(made)
    ready = caller.get("/readyz")
    assert (ready.status_code, ready.json["status"]) == (200, "ok")
    assert list(ready.json["workers"].values()) == [{"sandbox": "landlock", "reason": "it holds"}]
    process.terminate()
    process.wait(10)
    assert set(caller.get("/readyz").json["problems"]) == {"redis", "workers"}
    made.redis.close()
    made.celery.close()


def test_what_does_not_answer_is_named_soon(services: Services, tmp_path: Path) -> None:
    with brokers.server(tmp_path) as silent:
        client = silent.client()
        silent.freeze()
        began = time.monotonic()
        problems = readiness.problems(replace(services, redis=client))
        assert time.monotonic() - began < 5
        assert "redis" in problems
        silent.thaw()
        client.close()
