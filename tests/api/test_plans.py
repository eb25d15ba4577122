"""No query of the service reads a big table from end to end, on either database."""

from datetime import timedelta
from pathlib import Path

import pytest
from support import arena, plans, tour
from support.callers import Caller

from api import metrics
from api.app import create_app
from store import archiving, retention
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
    _read_an_archive(services, organiser)


def _read_an_archive(services: Services, organiser: Caller) -> None:
    """Put a finished tournament away and read what is in its files."""
    cup = arena.finished(services, name="old")
    with services.database.reading() as tx:
        assert archiving.due(tx, services.clock())
    archiving.put_away(services.database, cup.id, services.clock())
    match = organiser.get(f"/tournaments/{cup.id}/matches").json["items"][0]["id"]
    for path in (f"/tournaments/{cup.id}/record", f"/matches/{match}/replay"):
        assert organiser.get(path).status_code == 200


def test_no_query_reads_a_big_table_whole(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_archive = Database(database.url, tmp_path / "archive")
    services = arena.install(with_archive)
    with plans.recorded(with_archive) as statements:
        _all_work(services, monkeypatch)
    with_archive.dispose()
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
