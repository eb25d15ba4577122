"""No query of the service reads a big table from end to end, on either database."""

from datetime import timedelta

import pytest
from support import arena, plans, tour
from support.callers import Caller

from api import metrics
from api.app import create_app
from store import retention
from store.database import Database
from workers import advance, ladder, sweep
from workers.services import Services


def _all_work(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask every operation of the API, and do what beat has done."""
    organiser = Caller(create_app(services).test_client(), arena.TOKEN)
    tour.whole(services, organiser, monkeypatch)
    metrics.text(services)
    cup = arena.started(services.database)
    advance.tournament(services, cup.id)
    ladder.tend(services)
    for queue_length in (0, 100):
        sweep.send_lost(services, services.clock(), queue_length)
    with services.database.transaction() as tx:
        day = timedelta(days=1)
        retention.forget(tx, services.clock(), retention.Keep(logs=day, deliveries=day))


def test_no_query_reads_a_big_table_whole(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    services = arena.install(database)
    with plans.recorded(database) as statements:
        _all_work(services, monkeypatch)
    assert len(statements) > 100
    wrong = {}
    with database.engine.connect() as connection:
        for statement in statements.values():
            tables = plans.full_reads(connection, statement)
            if tables:
                wrong[statement.text] = tables
    assert not wrong, "\n\n".join(f"{tables}: {text}" for text, tables in wrong.items())


def test_a_query_without_an_index_is_found(database: Database) -> None:
    statement = plans.Statement("SELECT number FROM results WHERE decisions = 7", ())
    with database.engine.connect() as connection:
        assert plans.full_reads(connection, statement) == ["results"]
        by_key = plans.Statement("SELECT text FROM bot_logs WHERE id = 7", ())
        assert plans.full_reads(connection, by_key) == []
