"""The OpenAPI document is true of generated requests: a few for each operation, the same each time.

Many more, in sequences, against a whole service and both databases: tests/integration/test_openapi_fuzz.py.
"""

from uuid import UUID

import pytest
import schemathesis
from flask import Flask
from support import arena, fuzzing, tour
from support.callers import Caller
from support.served import served

from store import accounts
from workers.services import Services

PHASES = {
    name: {"enabled": name in ("examples", "fuzzing")}
    for name in ("examples", "coverage", "fuzzing", "stateful")
}
UNREADY = {"include-path": "/api/v1/readyz", "enabled": False}  # it is not: there is no worker here


@pytest.mark.slow
@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_generated_requests_are_answered_as_documented(
    app: Flask, services: Services, organiser: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = {"name": "fuzzer", "role": "organiser"}
    fuzzer = UUID(organiser.post("/accounts", new).json["id"])
    ids = tour.ids(tour.whole(services, organiser, monkeypatch))

    def a_token() -> str:
        with services.database.transaction() as tx:
            return accounts.issue_token(tx, fuzzer, arena.NOW)[1]

    config = fuzzing.config(1, ids, phases=PHASES, operations=[UNREADY])
    with served(app) as url:
        schema = schemathesis.openapi.from_url(f"{url}/api/v1/openapi.json", config=config)
        schema.auth(refresh_interval=None)(fuzzing.tokens_from(a_token))
        findings = fuzzing.run(schema)
    assert findings.problems == []
    assert len({operation for operation, _ in findings.answers}) == schema.statistic.operations.selected
