"""The database: engines for SQLite (WAL) and PostgreSQL, and transactions with work for after the commit."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from sqlalchemy import CursorResult, Engine, Executable, create_engine, event, text
from sqlalchemy.orm import Session, sessionmaker

from store.errors import ArchiveUnavailable

BUSY_SECONDS = 30
_NOTICE_SILENCE = {  # so that a server whose machine is gone is noticed within half a minute, not in hours
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds
}
_READS = "fudaba_reads"  # the execution option of a connection that only reads


class Transaction(Session):
    """A session that is one transaction; what is given to `after_commit` runs once it has been committed."""

    @property
    def archive(self) -> Path:
        """The folder of what was archived of this database; raises ArchiveUnavailable when none is named."""
        folder: Path | None = self.info["archive"]
        if folder is None:
            raise ArchiveUnavailable("there is no folder of archives; FUDABA_ARCHIVE names one that lasts")
        return folder

    def after_commit(self, call: Callable[..., object], *args: object) -> None:
        """Run `call(*args)` after the commit, in order; nothing runs after a rollback."""
        self.info.setdefault("after_commit", []).append((call, args))

    def change(self, statement: Executable) -> int:
        """Execute an UPDATE or DELETE and return how many rows it changed; what is loaded stays as it is."""
        done = self.execute(statement, execution_options={"synchronize_session": False})
        return cast("CursorResult[Any]", done).rowcount


class Database:
    """One database by URL, and the folder of its archives; connections are made when first needed."""

    def __init__(self, url: str, archive: Path | None = None) -> None:
        self.url = url
        self.engine = _make_engine(url)
        info = {"archive": archive}
        self._session = sessionmaker(self.engine, class_=Transaction, expire_on_commit=False, info=info)

    @property
    def is_sqlite(self) -> bool:
        """Whether this is SQLite (otherwise it is PostgreSQL)."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Commit at the end of the block, roll back when it raises; then run the `after_commit` calls.

        Rows stay readable afterwards. On SQLite the write lock is taken at the start, so that two
        transactions that read and then write never fail half-way.
        """
        with self._session() as tx:
            with tx.begin():
                yield tx
            calls = tx.info.pop("after_commit", [])
        for call, args in calls:
            call(*args)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Yield a transaction that sees one moment and writes nothing; on SQLite it waits for no writer."""
        with self._session() as tx, tx.begin():
            tx.connection(execution_options=self._reads())
            yield tx
            if tx.new or tx.dirty or tx.deleted:
                raise AssertionError("a reading transaction has something to write")

    def size_bytes(self, tx: Transaction) -> int:
        """Return how much room the database takes."""
        if self.is_sqlite:
            sizes = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
            return int(tx.scalar(text(sizes)) or 0)
        return int(tx.scalar(text("SELECT pg_database_size(current_database())")) or 0)

    def _reads(self) -> dict[str, Any]:
        """Return the options of a connection that sees one moment, as SQLite's always do."""
        if self.is_sqlite:
            return {_READS: True}
        return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}

    def dispose(self) -> None:
        """Close every pooled connection."""
        self.engine.dispose()


def _make_engine(url: str) -> Engine:
    if not url.startswith("sqlite"):
        url = url.replace("postgresql://", "postgresql+psycopg://", 1)
        return create_engine(url, pool_pre_ping=True, connect_args=_NOTICE_SILENCE)
    path = url.removeprefix("sqlite:///")
    if path and path != ":memory:":
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, record: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Any) -> None:
        is_reading = connection.get_execution_options().get(_READS, False)
        connection.exec_driver_sql("BEGIN" if is_reading else "BEGIN IMMEDIATE")

    return engine
