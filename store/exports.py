"""A finished tournament as a file, with all that belongs to it, to be kept or taken elsewhere."""

import gzip
import hashlib
import os
import zlib
from base64 import b64decode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import ColumnElement, Enum, Table, insert, select
from sqlalchemy.exc import IntegrityError

from engine.errors import FudabaError
from store import archives, checks, schema, tournaments
from store.columns import UtcTime
from store.database import Database, Transaction
from store.errors import Conflict
from store.models import Base
from store.models.tournaments import Tournament, TournamentState

FORMAT = 1
_PAGE = 500
_TABLES = Base.metadata.tables
# In the order in which rows may be written: each table after those that it refers to.
_OF_BOTS = ("accounts", "bots", "blobs", "versions")
_OF_TOURNAMENT = ("entrants", "events", "withdrawals", "editions", "overall_estimates", "reruns")
_OF_EVENTS = (
    *("batches", "gaps", "results", "faults", "entrant_totals", "pair_totals", "unit_totals"),
    *("event_estimates", "benches", "event_withdrawals", "rerun_parts", "voided_results", "voided_faults"),
)
_EXPORTED = frozenset((*_OF_BOTS, "tournaments", *_OF_TOURNAMENT, *_OF_EVENTS))
_SECRET = {"versions": ("secret",)}


class BadExport(FudabaError):
    """A file is no whole export of this format and schema; nothing was stored."""

    code = "bad_export"


class _Header(msgspec.Struct, kw_only=True):
    """What a file is: its format, the revision of the tables, and which tournament."""

    format: int
    revision: str | None
    tournament: UUID


class _Line(msgspec.Struct, array_like=True):
    """A row of a table, by column."""

    table: str
    row: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What rows of the file are called here, by their ids there; which tournament and events it has."""

    tournament: str
    accounts: dict[str, str] = field(default_factory=dict)
    bots: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    batches: dict[int, int] = field(default_factory=dict)
    events: set[str] = field(default_factory=set)


def write(database: Database, tournament_id: UUID, file: Path) -> int:
    """Write a tournament that is over to a new file; return the number of rows. Raises Conflict, NotFound.

    Only the owner of the file may read it, since it holds sources. What goes wrong leaves no file.
    """
    if file.exists():
        raise Conflict(f"{file} exists already; an export replaces no file")
    with database.reading() as tx:
        tournament = tournaments.get(tx, tournament_id)
        if tournament.state not in (TournamentState.FINISHED, TournamentState.CANCELLED):
            raise Conflict(f"the tournament is {tournament.state.value}; only one that is over is exported")
        if tournament.is_season:
            raise Conflict("this is the season of a ladder, which means nothing without it")
        archives.require_none(tx, tournament_id)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as raw:
            try:
                with gzip.open(raw, "wb") as out:
                    return _write_lines(out, tournament_id, _rows(tx, tournament))
            except BaseException:
                file.unlink()
                raise


def _write_lines(out: gzip.GzipFile, tournament_id: UUID, rows: Iterable[_Line]) -> int:
    """Write the header, the rows, and a last line with their number and hash; return the number."""
    header = _Header(format=FORMAT, revision=schema.newest_revision(), tournament=tournament_id)
    line = msgspec.json.encode(header)
    digest, count = hashlib.sha256(line), 0
    out.write(line + b"\n")
    for row in rows:
        count += 1
        line = msgspec.json.encode(row)
        digest.update(line)
        out.write(line + b"\n")
    out.write(msgspec.json.encode({"rows": count, "sha256": digest.hexdigest()}) + b"\n")
    return count


def read(database: Database, file: Path) -> UUID:
    """Store an exported tournament, with the accounts and bots that are not here yet; return its id.

    Raises BadExport or Conflict, and nothing is stored then. It is checked as `checks` does.
    """
    header, lines = _parsed(file)
    tournament_id = header.tournament
    with database.transaction() as tx:
        if tx.get(Tournament, tournament_id) is not None:
            raise Conflict(f"tournament {tournament_id} is here already")
        known = _Known(tournament=str(tournament_id))
        for line in lines:
            _store_checked(tx, line, known, file)
        tx.expire_all()
        wrong = list(checks.of_tournament(tx, tournament_id))
        if wrong:
            raise BadExport(f"{file}: {'; '.join(wrong[:3])}")
    return tournament_id


def _rows(tx: Transaction, tournament: Tournament) -> Iterator[_Line]:
    versions, bots = _TABLES["versions"], _TABLES["bots"]
    version_ids = [entrant.version_id for entrant in tournament.entrants]
    bot_ids = select(versions.c.bot_id).where(versions.c.id.in_(version_ids))
    owners = select(bots.c.owner_id).where(bots.c.id.in_(bot_ids))
    accounts, blobs = _TABLES["accounts"], _TABLES["blobs"]
    people = accounts.c.id.in_(owners) | (accounts.c.id == tournament.organiser_id)
    yield from _table(tx, accounts, people)
    yield from _table(tx, bots, bots.c.id.in_(bot_ids))
    hashes = select(versions.c.sha256).where(versions.c.id.in_(version_ids))
    yield from _table(tx, blobs, blobs.c.sha256.in_(hashes))
    yield from _table(tx, versions, versions.c.id.in_(version_ids))
    yield from _table(tx, _TABLES["tournaments"], _TABLES["tournaments"].c.id == tournament.id)
    for name in _OF_TOURNAMENT:
        yield from _table(tx, _TABLES[name], _TABLES[name].c.tournament_id == tournament.id)
    event_ids = [event.id for event in tournament.events]
    for name in _OF_EVENTS:
        yield from _table(tx, _TABLES[name], _TABLES[name].c.event_id.in_(event_ids))


def _table(tx: Transaction, table: Table, condition: ColumnElement[bool]) -> Iterator[_Line]:
    query = select(table).where(condition).order_by(*table.primary_key.columns)
    for row in tx.execute(query, execution_options={"yield_per": _PAGE}).mappings():
        hidden = dict.fromkeys(_SECRET.get(table.name, ()))
        yield _Line(str(table.name), {str(name): value for name, value in {**row, **hidden}.items()})


def _parsed(file: Path) -> tuple[_Header, list[_Line]]:
    """Return the header and the rows of a whole file; raises BadExport."""
    try:
        with gzip.open(file, "rb") as opened:
            lines = opened.read().splitlines()
        header, end = msgspec.json.decode(lines[0], type=_Header), msgspec.json.decode(lines[-1])
        rows = [msgspec.json.decode(line, type=_Line) for line in lines[1:-1]]
    except (OSError, EOFError, zlib.error, IndexError, msgspec.MsgspecError) as error:
        raise BadExport(f"{file} is no export of a tournament: {error}") from error
    if header.format != FORMAT or header.revision != schema.newest_revision():
        raise BadExport(
            f"{file} has format {header.format} and revision {header.revision},"
            f" expected {FORMAT} and {schema.newest_revision()}"
        )
    digest = hashlib.sha256(b"".join(lines[:-1])).hexdigest()
    if end != {"rows": len(rows), "sha256": digest}:
        raise BadExport(f"{file} is not whole: its last line does not fit the others")
    return header, rows


def _store_checked(tx: Transaction, line: _Line, known: _Known, file: Path) -> None:
    """Store a row; raises BadExport for one that nobody exported: it lacks something, or breaks a rule."""
    try:
        _store(tx, line, known)
    except (KeyError, TypeError, ValueError, msgspec.ValidationError, IntegrityError) as error:
        raise BadExport(
            f"{file}: a row of {line.table} cannot be stored: {getattr(error, 'orig', error)}"
        ) from error


def _store(tx: Transaction, line: _Line, known: _Known) -> None:
    """Write a row, or find what it is called here; ids of accounts, bots and versions are those from here."""
    _require_own(line, known)
    table, row = _TABLES[line.table], dict(line.row)
    for column, ids in (
        *(("owner_id", known.accounts), ("organiser_id", known.accounts)),
        *(("bot_id", known.bots), ("version_id", known.versions)),
    ):
        if column in row:
            row[column] = ids[row[column]]
    if table.name == "batches":
        _store_batch(tx, table, row, known)
        return
    if table.name == "rerun_parts":
        row["set_aside"] = [known.batches[batch_id] for batch_id in row["set_aside"]]
    same = _SAME.get(table.name)
    found = _found(tx, table, row, same) if same else None
    if table.name in ("accounts", "bots", "versions"):
        ids = {"accounts": known.accounts, "bots": known.bots, "versions": known.versions}[table.name]
        ids[row["id"]] = str(found["id"]) if found is not None else row["id"]
    if found is None:
        tx.execute(insert(table), [_typed(table, row)])
    elif table.name == "versions" and found["sha256"] != row["sha256"]:
        raise Conflict(f"version {row['number']} of a bot has other content here than in the file")


def _store_batch(tx: Transaction, table: Table, row: dict[str, Any], known: _Known) -> None:
    """Write a batch under the next number that is free here."""
    there = row.pop("id")
    (known.batches[there],) = tx.execute(insert(table).returning(table.c.id), _typed(table, row)).one()


def _require_own(line: _Line, known: _Known) -> None:
    """Raise BadExport for a row that an export of this tournament has no reason to hold."""
    table, row = line.table, line.row
    if table not in _EXPORTED:
        raise BadExport(f"a row of {table} is no part of a tournament")
    belongs = row["id"] if table == "tournaments" else row.get("tournament_id", known.tournament)
    if belongs != known.tournament or (table in _OF_EVENTS and row["event_id"] not in known.events):
        raise BadExport(f"a row of {table} belongs to another tournament")
    if table == "events":
        known.events.add(row["id"])
    if table == "blobs" and hashlib.sha256(b64decode(row["content"])).hexdigest() != row["sha256"]:
        raise BadExport(f"the upload {row['sha256']} has other bytes than its hash says")


_SAME = {
    "accounts": ("name",),
    "bots": ("owner_id", "name"),
    "blobs": ("sha256",),
    "versions": ("bot_id", "number"),
}


def _found(tx: Transaction, table: Table, row: dict[str, Any], same: Iterable[str]) -> dict[str, Any] | None:
    typed = _typed(table, row)
    query = select(table).where(*(table.c[name] == typed[name] for name in same))
    found = tx.execute(query).mappings().one_or_none()
    return None if found is None else dict(found)


def _typed(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the types of its columns."""
    return {name: _value(table, name, value) for name, value in row.items()}


def _value(table: Table, name: str, value: Any) -> Any:
    if name not in table.c:
        raise BadExport(f"{table.name} has no column {name!r}")
    kind = table.c[name].type
    if value is None:
        return None
    if isinstance(kind, Enum) and kind.enum_class is not None:
        return kind.enum_class(value)
    wanted = datetime if isinstance(kind, UtcTime) else kind.python_type
    return value if wanted in (dict, list) else msgspec.convert(value, wanted, strict=False)
