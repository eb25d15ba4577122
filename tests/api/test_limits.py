"""Rate limits: by token and by address, told in every answer, with and without Redis."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support import arena
from support.callers import Answer, Caller, assert_problem

from api.app import create_app
from store import schema
from store.database import Database
from workers import broker
from workers.services import Services

Opener = Callable[..., Caller]


@pytest.fixture
def limited(tmp_path: Path) -> Iterator[Opener]:
    """Opens an API with limits of its own, as the organiser."""
    opened: list[Services] = []

    def open_api(**settings: str) -> Caller:
        database = Database(f"sqlite:///{tmp_path / f'{len(opened)}.db'}")
        schema.upgrade(database)
        opened.append(arena.install(database, **settings))
        return Caller(create_app(opened[-1]).test_client(), arena.TOKEN)

    yield open_api
    for services in opened:
        services.close()


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[str]:
    """The URL of a real server."""
    server = broker.embedded(tmp_path)
    with subprocess.Popen(server.command, stdout=subprocess.DEVNULL) as process:
        while not (tmp_path / "redis.sock").exists():
            assert process.poll() is None
        yield server.url
        process.terminate()


def statuses(caller: Caller, times: int, **more: Any) -> list[int]:
    return [caller.get("/games", **more).status_code for _ in range(times)]


def from_address(address: str) -> dict[str, Any]:
    return {"environ_overrides": {"REMOTE_ADDR": address}}


def assert_limited(answer: Answer) -> None:
    assert_problem(answer, 429, "too_many_requests")
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert answer.headers["RateLimit-Remaining"] == "0"


def test_a_token_may_ask_so_often(limited: Opener) -> None:
    organiser = limited(FUDABA_RATE_LIMIT_TOKEN="3/minute")
    other = Caller(organiser.client, organiser.post("/tokens").json["token"])
    told = [organiser.get("/games").headers for _ in range(2)]
    assert [headers["RateLimit-Remaining"] for headers in told] == ["1", "0"]
    assert told[0]["RateLimit-Limit"] == "3"
    assert told[0]["RateLimit-Policy"] == "3;w=60"
    assert 1 <= int(told[0]["RateLimit-Reset"]) <= 60
    assert_limited(organiser.get("/games"))
    assert_limited(organiser.post("/tokens"))
    assert other.get("/games").status_code == 200


def test_an_address_may_ask_so_often_whatever_its_tokens(limited: Opener) -> None:
    organiser = limited(FUDABA_RATE_LIMIT_ADDRESS="3/minute")
    made_up = [Caller(organiser.client, f"token-{number}") for number in range(4)]
    assert [caller.get("/accounts/me").status_code for caller in made_up] == [401, 401, 401, 429]
    assert organiser.get("/games", **from_address("192.0.2.9")).status_code == 200


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
    ],
)
def test_a_network_of_one_customer_is_one_address(
    limited: Opener, one: str, other: str, is_same: bool
) -> None:
    organiser = limited(FUDABA_RATE_LIMIT_ADDRESS="1/minute")
    assert organiser.get("/games", **from_address(one)).status_code == 200
    assert organiser.get("/games", **from_address(other)).status_code == (429 if is_same else 200)


def test_a_forwarded_address_counts_only_behind_a_trusted_proxy(limited: Opener) -> None:
    for proxies, expected in (("0", 429), ("1", 200)):
        organiser = limited(FUDABA_RATE_LIMIT_ADDRESS="1/minute", FUDABA_TRUSTED_PROXIES=proxies)
        told = [
            organiser.get("/games", headers={"X-Forwarded-For": f"198.51.100.7, 192.0.2.{number}"})
            for number in range(2)
        ]
        assert [answer.status_code for answer in told] == [200, expected]


def test_health_is_never_limited_and_no_limit_is_none(limited: Opener) -> None:
    organiser = limited(FUDABA_RATE_LIMIT_ADDRESS="1/minute", FUDABA_RATE_LIMIT_TOKEN="1/minute")
    for _ in range(3):
        assert organiser.get("/healthz").status_code == 200
    free = limited(FUDABA_RATE_LIMIT_ADDRESS="", FUDABA_RATE_LIMIT_TOKEN="")
    assert statuses(free, 30) == [200] * 30
    assert "RateLimit-Limit" not in free.get("/games").headers


@pytest.mark.integration
def test_processes_count_together_in_redis_and_alone_without_it(limited: Opener, redis: str) -> None:
    settings = {"REDIS_URL": redis, "FUDABA_RATE_LIMIT_ADDRESS": "4/minute"}
    one, other = limited(**settings), limited(**settings)
    assert statuses(one, 2) + statuses(other, 3) == [200, 200, 200, 200, 429]
    alone = limited(FUDABA_RATE_LIMIT_ADDRESS="4/minute")  # nothing answers at its Redis
    assert statuses(alone, 5) == [200, 200, 200, 200, 429]
