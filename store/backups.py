"""Copies of a whole database: taken while the service runs, and put back while it does not."""

import os
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from sqlalchemy import Engine, inspect

from engine.errors import FudabaError
from store import schema
from store.database import Database

_PAGES = 500  # that are copied at a time, so that writers get their turn


class BackupFailed(FudabaError):
    """A copy could not be made or put back; nothing was changed."""

    code = "backup_failed"


def take(database: Database, file: Path) -> None:
    """Write a copy of the database, as of one moment, to a new file that only its owner may read.

    For SQLite the copy is a database itself; for PostgreSQL it is an archive of pg_dump. Raises BackupFailed.
    """
    if file.exists():
        raise BackupFailed(f"{file} exists already; a backup replaces no file")
    part = file.with_name(f".{file.name}.part")
    part.unlink(missing_ok=True)
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        if database.is_sqlite:
            _copy(_path(database.engine), part)
        else:
            _run("pg_dump", database.engine, "--format=custom", f"--file={part}")
        os.replace(part, file)
    except (OSError, sqlite3.Error) as error:
        raise BackupFailed(f"{file} cannot be written: {error}") from error
    finally:
        part.unlink(missing_ok=True)


def put_back(database: Database, file: Path, *, replace: bool) -> None:
    """Make the database what it was when the copy was taken; what is in it goes only with `replace`.

    The service must be stopped. Raises BackupFailed, also for a copy that a newer version has made.
    """
    if not file.is_file():
        raise BackupFailed(f"there is no file {file}")
    if not replace and inspect(database.engine).get_table_names():
        raise BackupFailed("the database is not empty; --replace gives up what is in it")
    _require_usable(file, _sqlite_revision(file) if database.is_sqlite else _dumped_revision(database, file))
    if database.is_sqlite:
        target = _path(database.engine)
        database.dispose()
        try:
            _copy(file, target)
        except sqlite3.Error as error:
            raise BackupFailed(f"{target} cannot be written: {error}") from error
        return
    where = f"--dbname={database.engine.url.database}"
    words = ("--clean", "--if-exists", "--no-owner", "--exit-on-error", "--single-transaction", where)
    _run("pg_restore", database.engine, *words, str(file))


def _path(engine: Engine) -> Path:
    return Path(str(engine.url.database))


def _copy(source: Path, target: Path) -> None:
    """Copy an SQLite database with its own means, which see a whole transaction or nothing of it."""
    with closing(_opened(source)) as reader, closing(sqlite3.connect(target)) as writer:
        reader.backup(writer, pages=_PAGES, sleep=0.01)
        writer.execute("PRAGMA journal_mode=DELETE")


def _require_usable(file: Path, revision: str | None) -> None:
    if revision is None:
        raise BackupFailed(f"{file} is no backup of Fudaba's database: it names no revision of the tables")
    try:
        schema.require_known(revision)
    except schema.WrongTables as error:
        raise BackupFailed(f"{file} cannot be put back: {error}") from error


def _sqlite_revision(file: Path) -> str | None:
    """Return the revision of the tables in a copy from SQLite; raises BackupFailed unless it is sound."""
    try:
        with closing(_opened(file)) as reader:
            (verdict,) = reader.execute("PRAGMA integrity_check(1)").fetchone()
            found = reader.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise BackupFailed(f"{file} is no backup of Fudaba's database: {error}") from error
    if verdict != "ok":
        raise BackupFailed(f"{file} is damaged: {verdict}")
    return None if found is None else str(found[0])


def _dumped_revision(database: Database, file: Path) -> str | None:
    """Return the revision of the tables in a copy from PostgreSQL; BackupFailed if it is none."""
    words = ("--data-only", "--table=alembic_version", "--file=-", str(file))
    rows = re.search(r"^COPY [^;]+;\n(\S+)\n\\\.$", _run("pg_restore", database.engine, *words), re.M)
    return None if rows is None else rows[1]


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=30)


def _run(program: str, engine: Engine, *words: str) -> str:
    """Return what one of PostgreSQL's programs prints of a database; its password goes by the environment."""
    found = shutil.which(program)
    if found is None:
        raise BackupFailed(f"{program} is not installed; it comes with PostgreSQL's client programs")
    url = engine.url
    query = {name: value if isinstance(value, str) else value[0] for name, value in url.query.items()}
    connection = {
        "PGHOST": url.host or query.get("host"),
        "PGPORT": url.port and str(url.port),
        "PGUSER": url.username,
        "PGDATABASE": url.database,
        "PGPASSWORD": url.password,
        "PGSSLMODE": query.get("sslmode"),
        "PGSSLROOTCERT": query.get("sslrootcert"),
    }
    given = {name: str(value) for name, value in connection.items() if value}
    done = subprocess.run(
        [found, *words], env={"PATH": os.defpath, **given}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BackupFailed(f"{program} failed: {done.stderr.strip() or done.returncode}")
    return done.stdout
