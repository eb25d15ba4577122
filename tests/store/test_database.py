"""The database: transactions, what runs after a commit, columns and migrations, on SQLite and PostgreSQL."""

from datetime import UTC, datetime, timedelta, timezone
from threading import Thread

import pytest
from sqlalchemy import select
from sqlalchemy.exc import StatementError
from support.arena import NOW

from store import schema
from store.database import Database
from store.models.accounts import Account, Role


def account(name: str, created_at: datetime = NOW) -> Account:
    return Account(name=name, role=Role.PARTICIPANT, created_at=created_at)


def names(database: Database) -> list[str]:
    with database.transaction() as tx:
        return list(tx.scalars(select(Account.name).order_by(Account.name)))


def test_calls_run_after_the_commit_in_order(database: Database) -> None:
    seen: list[object] = []
    with database.transaction() as tx:
        tx.add(account("ann"))
        tx.after_commit(lambda: seen.append(names(database)))
        tx.after_commit(seen.append, "second")
        assert seen == []
    assert seen == [["ann"], "second"]


def test_a_rollback_runs_and_keeps_nothing(database: Database) -> None:
    seen: list[str] = []
    with pytest.raises(ZeroDivisionError), database.transaction() as tx:
        tx.add(account("ann"))
        tx.after_commit(seen.append, "sent")
        tx.flush()
        raise ZeroDivisionError
    assert seen == []
    assert names(database) == []


def test_rows_stay_readable_after_the_transaction(database: Database) -> None:
    with database.transaction() as tx:
        row = account("ann")
        tx.add(row)
    assert row.name == "ann"
    assert row.id is not None


def test_times_come_back_aware_and_in_utc(database: Database) -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=timezone(timedelta(hours=9)))
    with database.transaction() as tx:
        tx.add(account("ann", moment))
    with database.transaction() as tx:
        stored = tx.scalars(select(Account)).one().created_at
    assert stored == moment
    assert stored.tzinfo is UTC


def test_a_time_without_zone_is_refused(database: Database) -> None:
    with pytest.raises(StatementError, match="no time zone"), database.transaction() as tx:
        tx.add(account("ann", datetime(2026, 1, 2)))
        tx.flush()


def test_transactions_that_read_and_then_write_do_not_fail(database: Database) -> None:
    def add(name: str) -> None:
        for number in range(10):
            with database.transaction() as tx:
                tx.scalars(select(Account)).all()
                tx.add(account(f"{name}{number}"))

    threads = [Thread(target=add, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(names(database)) == 30


def test_reading_waits_for_no_writer_and_sees_one_moment(database: Database) -> None:
    with database.transaction() as tx:
        tx.add(account("ann"))
    with database.reading() as reader:
        assert list(reader.scalars(select(Account.name))) == ["ann"]
        with database.transaction() as writer:
            writer.add(account("ben"))
            writer.flush()
            with database.reading() as other:
                assert list(other.scalars(select(Account.name))) == ["ann"]
    assert names(database) == ["ann", "ben"]


def test_a_reading_transaction_must_not_write(database: Database) -> None:
    with pytest.raises(AssertionError, match="something to write"), database.reading() as tx:
        tx.add(account("ann"))
    assert names(database) == []


def test_the_migrations_give_what_the_models_say(database: Database) -> None:
    assert schema.revision(database) == schema.newest_revision()
    assert schema.differences(database) == []


def test_migrating_twice_changes_nothing(database: Database) -> None:
    with database.transaction() as tx:
        tx.add(account("ann"))
    schema.upgrade(database)
    assert names(database) == ["ann"]
