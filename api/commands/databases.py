"""The database of an installation, for commands that work on it beside the service."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from engine.errors import FudabaError
from store import schema
from store.database import Database
from store.settings import Settings


class UnusableDatabase(FudabaError):
    """The database cannot be reached, is none, or lacks its tables; the message says what to do."""

    code = "unusable_database"


@contextmanager
def opened(settings: Settings) -> Iterator[Database]:
    """Yield the database of the settings, closed at the end; raises UnusableDatabase."""
    try:
        database = Database(settings.database_url, settings.archive)
    except OSError as error:
        raise UnusableDatabase(f"the folder of the database cannot be made: {error}") from error
    try:
        yield database
    except DBAPIError as error:
        raise UnusableDatabase(f"the database cannot be used: {error.orig}") from error
    finally:
        database.dispose()


@contextmanager
def opened_with_tables(settings: Settings) -> Iterator[Database]:
    """Yield the database of the settings, whose tables are those of this version; raises UnusableDatabase."""
    remedy = "`fudaba up` and `fudaba admin migrate` make them"
    if not settings.is_file_there():
        raise UnusableDatabase(f"there is no database yet, and so no tables; {remedy}")
    with opened(settings) as database:
        current, newest = schema.revision(database), schema.newest_revision()
        if current != newest:
            raise UnusableDatabase(
                f"the tables are at revision {current or 'none'}, expected {newest}; {remedy}"
            )
        yield database
