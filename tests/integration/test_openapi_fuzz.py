"""A whole service, with Redis and workers, on both databases, under generated requests in sequences."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from support import databases, fuzzing, installation, postgres
from support.installation import TOKEN

from api.client import Client

pytestmark = [pytest.mark.integration, pytest.mark.slow, pytest.mark.timeout(1200)]

EXAMPLES, MOST_SECONDS = 10, 300
ALONE, SEQUENCES = ("examples", "coverage", "fuzzing"), ("stateful",)
UNLIMITED = {f"FUDABA_RATE_LIMIT_{of}": "" for of in ("TOKEN", "ADDRESS", "REGISTRATION")}
SHORT = {"game": "hana_awase", "seats": 3, "options": {"rounds": 1}, "deals": 2}
CODE = b"def act(observation):\n    return observation['legal'][0]\n"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an installation on one of the databases."""
    if request.param == "sqlite":
        with installation.running(tmp_path, "--workers", "1", **UNLIMITED) as up:
            yield up.url
        return
    with postgres.server() as server:
        database = databases.postgresql(server)
        database.dispose()
        variables = {**UNLIMITED, "FUDABA_DATABASE_URL": database.url}
        with installation.running(tmp_path, "--workers", "1", **variables) as up:
            yield up.url


def test_nothing_is_answered_otherwise_than_documented(url: str) -> None:
    with Client(url, TOKEN) as organiser:
        fuzzer = organiser.create_account("fuzzer", "organiser")["id"]
        ids = things(url, organiser)
        tokens = fuzzing.tokens_from(lambda: str(organiser.issue_token(fuzzer)["token"]))
        for phases in (ALONE, SEQUENCES):
            enabled = {name: {"enabled": name in phases} for name in (*ALONE, *SEQUENCES)}
            config = fuzzing.config(EXAMPLES, ids, phases=enabled, **{"max-time": MOST_SECONDS})
            schema = schemathesis.openapi.from_url(f"{url}/api/v1/openapi.json", config=config)
            schema.auth(refresh_interval=2)(tokens)
            findings = fuzzing.run(schema)
            assert findings.problems == []
            asked = {operation for operation, _ in findings.answers}
            assert phases is SEQUENCES or len(asked) == schema.statistic.operations.total
        assert organiser.ready()["status"] == "ok"


def things(url: str, organiser: Client) -> dict[str, list[str | int]]:
    """Make one thing of each kind and return the ids, by the parameter in the path."""
    author = organiser.create_account("ann")
    with Client(url, author["token"]) as client:
        bot = client.submit_module("richest", "bot.py", CODE)
        client.wait_qualified(bot["id"], bot["version"])
    plan = {"name": "cup", "events": [SHORT], "entrants": ["ann/richest", "house/first", "house/greedy"]}
    cups = [organiser.create_tournament(plan)["id"] for _ in range(2)]
    organiser.start(cups[0])
    installation.wait_finished(organiser, cups[0])
    ladder = organiser.create_ladder({"name": "rung", "round_seconds": 5})["id"]
    organiser.join_ladder(ladder, ["ann/richest", "house/greedy"])
    return {
        "game_id": ["sutda"],
        "bot_id": [bot["id"]],
        "number": [1],
        "tournament_id": list(cups),
        "match_id": [match["id"] for match in organiser.matches(cups[0])][:3],
        "ladder_id": [ladder],
    }
