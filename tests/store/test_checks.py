"""The database against its own rules; copies of it; a tournament as a file."""

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import delete, select, text, update
from sqlalchemy.exc import OperationalError
from support import arena, databases

from store import backups, checks, exports, schema, standings, tournaments
from store.backups import BackupFailed
from store.database import Database
from store.errors import Conflict
from store.exports import BadExport
from store.models.bots import Blob
from store.models.matches import Batch, Result
from store.models.tournaments import Edition, EntrantTotals, Event, Tournament

Damage = Callable[[Any], Any]


def finished(database: Database) -> Tournament:
    """Play a short tournament to its end."""
    made = arena.install(database)
    tournament = arena.started(database)
    arena.play_all(made)
    return tournament


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The lines of the export of a short tournament."""
    folder = tmp_path_factory.mktemp("exported")
    database = databases.sqlite(folder)
    exports.write(database, finished(database).id, folder / "cup")
    return gzip.decompress((folder / "cup").read_bytes()).splitlines(keepends=True)


def test_a_tournament_under_way_and_a_finished_one_are_right(database: Database) -> None:
    made = arena.install(database)
    arena.started(database, name="first")
    arena.play_all(made, most=2)
    assert list(checks.problems(database)) == []
    arena.play_all(made)
    assert list(checks.problems(database)) == []


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (delete(Result).where(Result.number == 3), "are counted as played"),
        (update(EntrantTotals).values(points=EntrantTotals.points + 1), "totals of entrants: (0,) is"),
        (update(Edition).values(standings=[]), "edition 1: its standings are not those that were frozen"),
        (update(Tournament).values(secret=b"x" * 32), "its secret is not the one"),
        (
            update(Batch).where(Batch.first == 0).values(state="open"),
            "has a result, but its batch is not done",
        ),
        (update(Batch).where(Batch.first == 0).values(count=Batch.count + 1), "in two batches"),
        (update(Event).values(next_number=Event.next_number + 5), "but the next one is"),
    ],
)
def test_what_was_changed_behind_its_back_is_found(tmp_path: Path, damage: Any, found: str) -> None:
    database = databases.sqlite(tmp_path)
    finished(database)
    with database.transaction() as tx:
        tx.change(damage)
    assert any(found in problem for problem in checks.problems(database)), list(checks.problems(database))


def test_an_upload_with_other_bytes_is_found(tmp_path: Path) -> None:
    database = databases.sqlite(tmp_path)
    with database.transaction() as tx:
        tx.add(Blob(sha256="0" * 64, content=b"no such hash"))
    (problem,) = checks.problems(database)
    assert "has other bytes than its hash says" in problem


def test_a_backup_holds_what_was_there_and_is_put_back_whole(database: Database, tmp_path: Path) -> None:
    tournament = finished(database)
    file = tmp_path / "copy"
    backups.take(database, file)
    assert file.stat().st_mode & 0o777 == 0o600
    with database.transaction() as tx:
        tx.change(delete(Edition))
    with pytest.raises(BackupFailed, match="not empty"):
        backups.put_back(database, file, replace=False)
    backups.put_back(database, file, replace=True)
    assert list(checks.problems(database)) == []
    with database.reading() as tx:
        assert tournaments.get(tx, tournament.id).state.value == "finished"
        assert tx.scalars(select(Edition)).all()


def test_a_backup_taken_in_mid_tournament_goes_on_to_the_same_end(database: Database, tmp_path: Path) -> None:
    made, file = arena.install(database), tmp_path / "copy"
    tournament = arena.started(database)
    arena.play_all(made, most=2)
    backups.take(database, file)
    ends = []
    for _ in range(2):
        arena.play_all(made)
        with database.reading() as tx:
            ends.append(
                tx.scalars(select(Edition.sha256).where(Edition.tournament_id == tournament.id)).all()
            )
        backups.put_back(database, file, replace=True)
        assert list(checks.problems(database)) == []
    assert len(ends[0]) == 1
    assert ends[0] == ends[1]


def test_a_backup_replaces_no_file_and_no_file_is_mistaken_for_one(tmp_path: Path) -> None:
    database = databases.sqlite(tmp_path)
    file = tmp_path / "text"
    file.write_text("no database")
    with pytest.raises(BackupFailed, match="exists already"):
        backups.take(database, file)
    with pytest.raises(BackupFailed, match="no backup"):
        backups.put_back(database, file, replace=True)
    with pytest.raises(BackupFailed, match="no file"):
        backups.put_back(database, tmp_path / "nowhere", replace=True)


def test_a_backup_of_a_newer_version_or_of_something_else_is_refused_before_anything_is_given_up(
    database: Database, tmp_path: Path
) -> None:
    arena.install(database)
    for number, (change, said) in enumerate(
        [
            ("UPDATE alembic_version SET version_num = 'ffffffffffff'", "a newer one made them"),
            ("DELETE FROM alembic_version", "names no revision"),
        ]
    ):
        file = tmp_path / f"copy{number}"
        with database.transaction() as tx:
            (kept,) = tx.scalars(text("SELECT version_num FROM alembic_version"))
            tx.execute(text(change))
        backups.take(database, file)
        with database.transaction() as tx:
            tx.execute(text("DELETE FROM alembic_version"))
            tx.execute(text("INSERT INTO alembic_version VALUES (:kept)"), {"kept": kept})
        with pytest.raises(BackupFailed, match=said):
            backups.put_back(database, file, replace=True)
        (tmp_path / "cut").write_bytes(file.read_bytes()[:5000])
        with pytest.raises(BackupFailed):
            backups.put_back(database, tmp_path / "cut", replace=True)
        assert schema.revision(database) == kept
        assert list(checks.problems(database)) == []


@pytest.fixture
def elsewhere(database: Database, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Another empty database of the same kind."""
    if database.is_sqlite:
        made = databases.sqlite(tmp_path)
    else:
        made = databases.postgresql(request.getfixturevalue("postgres_url"))
    yield made
    made.dispose()


def test_an_exported_tournament_is_the_same_elsewhere(
    database: Database, elsewhere: Database, tmp_path: Path
) -> None:
    tournament, file = finished(database), tmp_path / "cup"
    exports.write(database, tournament.id, file)
    assert file.stat().st_mode & 0o777 == 0o600
    arena.install(elsewhere)
    assert exports.read(elsewhere, file) == tournament.id
    assert list(checks.problems(elsewhere)) == []
    tables = []
    for one in (database, elsewhere):
        with one.reading() as tx:
            results = [(row.number, row.scores, row.actions) for row in tx.scalars(select(Result))]
            tables.append((standings.tables(tx, tournament.id), sorted(results)))
    assert tables[0] == tables[1]
    with pytest.raises(Conflict, match="is here already"):
        exports.read(elsewhere, file)
    with pytest.raises(Conflict, match="an export replaces no file"):
        exports.write(database, tournament.id, file)


def test_a_tournament_under_way_is_not_exported(tmp_path: Path) -> None:
    database = databases.sqlite(tmp_path)
    arena.install(database)
    with pytest.raises(Conflict, match="only one that is over"):
        exports.write(database, arena.started(database).id, tmp_path / "cup")


def test_a_file_that_was_cut_or_changed_is_refused_and_nothing_is_stored(
    tmp_path: Path, exported: list[bytes]
) -> None:
    file, elsewhere = tmp_path / "cup", databases.sqlite(tmp_path)
    for broken in (exported[:-1], [*exported[:3], *exported[4:]], [b"{}\n"], []):
        file.write_bytes(gzip.compress(b"".join(broken)))
        with pytest.raises(BadExport):
            exports.read(elsewhere, file)
    whole = gzip.compress(b"".join(exported))
    for place in range(20, len(whole), len(whole) // 20):
        file.write_bytes(whole[:place] + bytes(8) + whole[place + 8 :])
        with pytest.raises(BadExport):
            exports.read(elsewhere, file)
    assert_nothing_is_in(elsewhere)


def assert_nothing_is_in(database: Database) -> None:
    with database.reading() as tx:
        assert tx.scalars(select(Tournament)).all() == []
        assert tx.scalars(select(Blob)).all() == []


@pytest.mark.parametrize(
    ("table", "damage"),
    [
        ("accounts", lambda row: None),
        ("tournaments", lambda row: row | {"state": "lost"}),
        ("tournaments", lambda row: row | {"created_at": "yesterday"}),
        ("events", lambda row: {**row, "id": None}),
    ],
)
def test_a_whole_file_with_a_row_that_nobody_wrote_is_refused(
    tmp_path: Path, exported: list[bytes], table: str, damage: Damage
) -> None:
    file, elsewhere = tmp_path / "cup", databases.sqlite(tmp_path)
    header, *rows, _ = exported
    changed = [(name, damage(row) if name == table else row) for name, row in map(json.loads, rows)]
    _write_again(file, header, [(name, row) for name, row in changed if row is not None])
    with pytest.raises(BadExport, match=r"a row of .* cannot be stored"):
        exports.read(elsewhere, file)
    assert_nothing_is_in(elsewhere)


@pytest.mark.parametrize(
    ("table", "damage", "said"),
    [
        ("accounts", lambda _: ("tokens", {"id": "of an intruder"}), "a row of tokens is no part"),
        ("results", lambda row: ("results", {**row, "event_id": str(UUID(int=7))}), "another tournament"),
        (
            "editions",
            lambda row: ("editions", {**row, "tournament_id": str(UUID(int=7))}),
            "another tournament",
        ),
        ("blobs", lambda row: ("blobs", {**row, "content": "AAAA"}), "other bytes than its hash says"),
    ],
)
def test_a_whole_file_writes_into_nothing_but_its_own_tournament(
    tmp_path: Path, exported: list[bytes], table: str, damage: Damage, said: str
) -> None:
    file, elsewhere = tmp_path / "cup", databases.sqlite(tmp_path)
    header, *rows, _ = exported
    found = [(name, row) for name, row in map(json.loads, rows)]
    added = [damage(row) for name, row in found if name == table] or [damage({"sha256": "0" * 64})]
    _write_again(file, header, [*found, *added])
    with pytest.raises(BadExport, match=said):
        exports.read(elsewhere, file)
    assert_nothing_is_in(elsewhere)


def _write_again(file: Path, header: bytes, rows: list[tuple[str, Any]]) -> None:
    """Write rows as an export whose last line fits them."""
    lines = [header.strip(), *(json.dumps(pair).encode() for pair in rows)]
    end = {"rows": len(rows), "sha256": hashlib.sha256(b"".join(lines)).hexdigest()}
    file.write_bytes(gzip.compress(b"\n".join([*lines, json.dumps(end).encode()])))


def test_an_export_that_breaks_off_leaves_no_file(tmp_path: Path) -> None:
    database = databases.sqlite(tmp_path)
    tournament = finished(database)
    with database.transaction() as tx:
        tx.execute(text("DROP TABLE voided_faults"))
    with pytest.raises(OperationalError):
        exports.write(database, tournament.id, tmp_path / "cup")
    assert not (tmp_path / "cup").exists()
