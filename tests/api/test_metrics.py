"""Metrics: what all processes have counted, what waits, and what is away."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from prometheus_client.parser import text_string_to_metric_families
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs
from support import arena, brokers, databases

from api.app import create_app
from workers import counters, services
from workers.services import Services


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Services]:
    """An installation with a Redis of its own."""
    with brokers.server(tmp_path) as broker:
        made = arena.install(databases.sqlite(tmp_path), REDIS_URL=broker.url, FUDABA_HOME=str(tmp_path))
        made.redis.flushdb()
        counters.flush(made.redis)
        made.redis.flushdb()
        yield made
        made.close()


def samples(client: FlaskClient) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Return what /metrics says, by name and labels."""
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.content_type.startswith("text/plain; version=")
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_matches_decisions_and_batches_are_counted_when_they_are_written(made: Services) -> None:
    arena.started(made.database)
    played = arena.play_all(made)
    found = samples(create_app(made).test_client())
    game = (("game", "hana_awase"),)
    assert found["fudaba_matches_total", game] > 0
    assert found["fudaba_decisions_total", game] > found["fudaba_matches_total", game]
    assert found["fudaba_batches_total", (("end", "done"),)] == played
    assert found["fudaba_batch_seconds_count", ()] == played
    assert found["fudaba_tournaments", (("state", "finished"),)] == 1
    assert found["fudaba_batches", (("state", "waiting"),)] == 0


def test_requests_are_timed_by_route_and_status(made: Services) -> None:
    client = create_app(made).test_client()
    for _ in range(3):
        client.get("/api/v1/games/sakura")
    client.get("/api/v1/games/chess")
    found = samples(client)
    of_games = {"method": "GET", "route": "/api/v1/games/<game_id>"}
    for status, count in (("200", 3), ("404", 1)):
        labels = tuple(sorted({**of_games, "status": status}.items()))
        assert found["fudaba_request_seconds_count", labels] == count
        last = tuple(sorted({**of_games, "status": status, "le": "+Inf"}.items()))
        assert found["fudaba_request_seconds_bucket", last] == count


def test_nobody_makes_labels_by_methods_of_their_own(made: Services) -> None:
    client = create_app(made).test_client()
    for method in ("BREW", "WHEN"):
        assert client.open("/api/v1/games", method=method).status_code == 405
    labels = (("method", "other"), ("route", "none"), ("status", "405"))
    assert samples(client)["fudaba_request_seconds_count", labels] == 2


def test_counts_of_several_processes_add_up_and_survive_a_redis_that_is_away(made: Services) -> None:
    counters.add("fudaba_faults_total", "timeout", amount=2)
    assert counters.flush(made.redis)
    counters.add("fudaba_faults_total", "timeout")
    away = arena.install(made.database).redis
    assert not counters.flush(away)
    services.install(made)
    counters.add("fudaba_faults_total", "timeout")
    found = samples(create_app(made).test_client())
    assert found["fudaba_faults_total", (("code", "timeout"),)] == 4


def test_waiting_work_is_counted_with_its_age(made: Services) -> None:
    arena.started(made.database)
    found = samples(create_app(made).test_client())
    assert found["fudaba_batches", (("state", "waiting"),)] == 3
    assert found["fudaba_queue_oldest_seconds", ()] > 0
    assert found["fudaba_database_bytes", ()] > 0


def test_without_redis_the_rest_is_told(made: Services, tmp_path: Path) -> None:
    away = arena.install(made.database)
    found = samples(create_app(away).test_client())
    assert found["fudaba_redis_up", ()] == 0
    assert found["fudaba_database_up", ()] == 1
    assert ("fudaba_queue_length", ()) not in found


def slow(name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    return "fudaba_slow_total", (("kind", name),)


def test_slow_work_is_a_warning_with_its_ids_and_is_counted(made: Services) -> None:
    hasty = replace(made, settings=replace(made.settings, slow_request_ms=0, slow_batch_seconds=0))
    services.install(hasty)
    client = create_app(hasty).test_client()
    cup = arena.started(hasty.database)
    before = samples(client)
    with capture_logs(processors=[merge_contextvars]) as said:
        answer = client.get(f"/api/v1/tournaments/{cup.id}")
        arena.play_all(hasty, most=1)
    (request,) = (line for line in said if line["event"] == "slow_request")
    (batch,) = (line for line in said if line["event"] == "batch_done")
    assert request["log_level"] == batch["log_level"] == "warning"
    assert request["request_id"] == answer.headers["X-Request-Id"]
    assert request["tournament_id"] == cup.id
    assert {name: batch[name] for name in ("tournament", "event_id", "attempt", "is_slow")} == {
        "tournament": str(cup.id),
        "event_id": str(cup.events[0].id),
        "attempt": 1,
        "is_slow": True,
    }
    after = samples(client)
    assert after[slow("batch")] == before.get(slow("batch"), 0) + 1
    assert after[slow("request")] > before.get(slow("request"), 0)
