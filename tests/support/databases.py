"""Migrated, empty databases, made by copying one that was migrated once in this process."""

import atexit
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, text

from store import schema
from store.database import Database

# For tests of which one database says nearly all: PostgreSQL is left to the slow ones.
SQLITE_FIRST = pytest.mark.parametrize(
    "database",
    ["sqlite", pytest.param("postgresql", marks=[pytest.mark.needs("postgresql"), pytest.mark.slow])],
    indirect=True,
)


def sqlite(folder: Path) -> Database:
    """Return a new SQLite database in a file of `folder`."""
    path = folder / "fudaba.db"
    shutil.copyfile(_migrated_file(), path)
    return Database(f"sqlite:///{path}")


def postgresql(server_url: str) -> Database:
    """Return a new database on a server."""
    return Database(_created(server_url, f"t{uuid4().hex}", _migrated_database(server_url)))


@lru_cache
def _migrated_file() -> Path:
    folder = tempfile.mkdtemp(prefix="fudaba-tests-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "migrated.db"
    database = Database(f"sqlite:///{path}")
    schema.upgrade(database)
    with database.engine.connect() as connection:
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.exec_driver_sql("BEGIN")
    database.dispose()
    return path


@lru_cache
def _migrated_database(server_url: str) -> str:
    database = Database(_created(server_url, "migrated", "template1"))
    schema.upgrade(database)
    database.dispose()
    return "migrated"


def _created(server_url: str, name: str, template: str) -> str:
    """Make a database as a copy of another one and return its URL."""
    engine = create_engine(server_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
    engine.dispose()
    return server_url.replace("/postgres?", f"/{name}?")
