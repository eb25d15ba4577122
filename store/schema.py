"""The schema of the database: brought up to date, checked, and a new migration written."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from engine.errors import FudabaError
from store.database import Database, Transaction
from store.models import Base

_LOCK = 0x66756461  # any number of our own: two processes that start at once migrate one after the other


class WrongTables(FudabaError):
    """The tables are those of another version: nothing is read from them or written."""

    code = "wrong_tables"


def upgrade(database: Database) -> None:
    """Bring the database to the newest revision; does nothing when it is there.

    Raises WrongTables, and changes nothing, when it is at one that this version does not know.
    """
    require_known(revision(database))
    _run(database, lambda config: command.upgrade(config, "head"))


def write_revision(database: Database, message: str) -> None:
    """Write a new migration file with what the models have and the database has not."""
    _run(database, lambda config: command.revision(config, message, autogenerate=True))


def revision(database: Database) -> str | None:
    """Return the revision that the database is at; None when it is empty."""
    with database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


@lru_cache
def newest_revision() -> str | None:
    """Return the revision that this code expects."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def require_known(found: str | None) -> None:
    """Raise WrongTables unless a revision is one that this version can go on from; None is no tables yet."""
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if found is not None and found not in known:
        raise WrongTables(
            f"the tables are at revision {found}, which this version does not know: a newer one made them, so"
            " install that one"
        )


def require_current(tx: Transaction) -> None:
    """Raise WrongTables unless the tables are those of this code, at the moment of this transaction."""
    found = tx.scalar(text("SELECT version_num FROM alembic_version"))
    if found != newest_revision():
        raise WrongTables(
            f"the tables are at revision {found}, this process expects {newest_revision()}: restart it with"
            " the version that was installed, or run `fudaba admin migrate`"
        )


def differences(database: Database) -> list[object]:
    """Return what a migrated database lacks against the models; empty when they agree."""
    with database.engine.connect() as connection:
        found: list[object] = compare_metadata(MigrationContext.configure(connection), Base.metadata)
        return found


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    return config


def _run(database: Database, work: Callable[[Config], object]) -> None:
    config = _config()
    with database.engine.begin() as connection:
        _lock(database, connection)
        config.attributes["connection"] = connection
        work(config)


def _lock(database: Database, connection: Connection) -> None:
    if not database.is_sqlite:  # SQLite has taken its write lock at BEGIN
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
