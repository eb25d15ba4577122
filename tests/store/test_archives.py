"""Archives: old matches move into files, read the same from there, and none is lost at any moment."""

import gzip
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine, delete, select, update
from sqlalchemy import event as sql_event
from support import arena
from support.arena import NOW
from support.databases import SQLITE_FIRST

from engine import verify
from store import archiving, checks, exports, matches, records, reruns, standings, timings, tournaments
from store.archives import Files
from store.database import Database
from store.errors import ArchiveUnavailable, Conflict, NotFound
from store.models.archives import Archive, ArchivePage
from store.models.matches import Result
from store.models.tournaments import Tournament
from store.selections import Choice
from workers.services import Services

pytestmark = SQLITE_FIRST

LATER = NOW + timedelta(days=400)
EVENTS = (
    {"game": "hana_awase", "options": {"rounds": 1}, "deals": 2},
    {"game": "sutda", "options": {"rounds": 1}, "deals": 3},
)


@pytest.fixture
def made(database: Database, tmp_path: Path) -> Iterator[Services]:
    """An installation whose archives have a folder."""
    with_archive = Database(database.url, tmp_path / "archive")
    yield arena.install(with_archive)
    with_archive.dispose()


@pytest.fixture
def cup(made: Services, monkeypatch: pytest.MonkeyPatch) -> Tournament:
    """A finished tournament of several pages, of some of whose matches times are known."""
    monkeypatch.setattr(archiving, "PAGE", 10)
    tournament = arena.finished(made, *EVENTS)
    with made.database.transaction() as tx:
        some = update(Result).where(Result.number % 2 == 0)
        tx.change(some.values(spent=timings.pack({0: 1500, 7: 22_000})))
    return tournament


def said(database: Database, tournament: Tournament) -> tuple[bytes, Mapping[str, Any], list[Any]]:
    """Return the record, every replay, and the standings."""
    body = b"".join(records.stream(database, tournament.id))
    with database.reading() as tx:
        ids = [match.id for match in matches.page(tx, tournament.id, limit=1000)]
        replays = {match_id: matches.replay(tx, match_id) for match_id in ids}
        return body, replays, standings.tables(tx, tournament.id)


def rows(database: Database) -> list[tuple[Any, ...]]:
    with database.reading() as tx:
        query = select(Result.event_id, Result.number, Result.actions, Result.spent)
        return [tuple(row) for row in tx.execute(query.order_by(Result.event_id, Result.number))]


def files_of(database: Database, tournament: Tournament) -> Files:
    with database.reading() as tx:
        return Files.of(tx.archive, tournament.id)


def test_what_is_archived_reads_as_before_and_comes_back(made: Services, cup: Tournament) -> None:
    database = made.database
    before, rows_before = said(database, cup), rows(database)
    assert archiving.put_away(database, cup.id, LATER) == len(rows_before)
    assert all((actions, spent) == (None, None) for _, _, actions, spent in rows(database))
    with database.reading() as tx:
        assert len(tx.scalars(select(ArchivePage)).all()) > len(EVENTS)
        assert archiving.due(tx, LATER) == []
    assert said(database, cup) == before
    with gzip.open(files_of(database, cup).record) as lines:
        assert verify.check(lines).matches == len(rows_before)
    assert list(checks.problems(database)) == []
    assert archiving.put_away(database, cup.id, LATER) == 0
    assert archiving.bring_back(database, cup.id) == len(rows_before)
    assert rows(database) == rows_before
    assert not files_of(database, cup).record.exists()
    assert list(checks.problems(database)) == []
    with pytest.raises(NotFound, match="not archived"):
        archiving.bring_back(database, cup.id)


class Killed(BaseException):
    """The process is gone."""


def killed_at(step: int, engine: Engine, patch: pytest.MonkeyPatch, work: Callable[[], object]) -> bool:
    """Do some work that is killed just before its change number `step`; return whether it came so far.

    Changes are commits, and files that get their name or go.
    """
    left = [step]

    def count() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Killed

    def counted(change: Callable[..., Any]) -> Callable[..., Any]:
        def changed(*args: Any, **kwargs: Any) -> Any:
            count()
            return change(*args, **kwargs)

        return changed

    def on_commit(connection: object) -> None:
        count()

    sql_event.listen(engine, "commit", on_commit)
    with patch.context() as within:
        within.setattr(os, "replace", counted(os.replace))
        within.setattr(Path, "unlink", counted(Path.unlink))
        try:
            work()
        except Killed:
            return True
        finally:
            sql_event.remove(engine, "commit", on_commit)
    return False


def kills(database: Database, patch: pytest.MonkeyPatch, work: Callable[[], object]) -> Iterator[None]:
    """Do some work again and again, killed at each of its changes, until it is done; yield each time."""
    step, state = 0, lasting(database)
    while killed_at(step, database.engine, patch, work):
        yield
        before, state = state, lasting(database)
        step = step + 1 if state == before else 0


def lasting(database: Database) -> tuple[Any, ...]:
    """Return how far an archive is: which rows are emptied, and whether its files count."""
    with database.reading() as tx:
        emptied = tx.scalars(select(Result.number).where(Result.actions.is_(None))).all()
        counts = [row.done_at for row in tx.scalars(select(Archive))]
    return emptied, counts


@pytest.mark.slow
@pytest.mark.parametrize("comes_back", [False, True])
def test_nothing_is_lost_when_it_is_killed_at_any_moment(
    made: Services, cup: Tournament, monkeypatch: pytest.MonkeyPatch, comes_back: bool
) -> None:
    database = made.database
    before, rows_before = said(database, cup), rows(database)
    away = partial(archiving.put_away, database, cup.id, LATER)
    back = partial(archiving.bring_back, database, cup.id)
    if comes_back:
        away()
    times = 0
    for _ in kills(database, monkeypatch, back if comes_back else away):
        assert list(checks.problems(database)) == []
        assert said(database, cup) == before
        times += 1
    assert times > 10
    assert said(database, cup) == before
    assert (rows(database) == rows_before) == comes_back


@pytest.mark.slow
def test_only_what_is_finished_and_old_is_due(made: Services) -> None:
    old = arena.finished(made)
    running = arena.started(made.database, name="running")
    draft = arena.draft(made.database, name="draft")
    with made.database.reading() as tx:
        finished_at = tournaments.get(tx, old.id).finished_at
        assert finished_at is not None
        assert archiving.due(tx, finished_at) == []
        assert archiving.due(tx, finished_at + timedelta(seconds=1)) == [old.id]
    for other in (running, draft):
        with pytest.raises(Conflict, match=f"the tournament is {other.name}"):
            archiving.put_away(made.database, other.id, LATER)
    with pytest.raises(NotFound):
        archiving.put_away(made.database, arena.organiser_id(made.database), LATER)


def test_what_needs_its_rows_waits_until_it_is_back(made: Services, cup: Tournament, tmp_path: Path) -> None:
    archiving.put_away(made.database, cup.id, LATER)
    with made.database.transaction() as tx, pytest.raises(Conflict, match="unarchive"):
        reruns.apply(tx, cup.id, Choice(event=0), "a power cut", NOW)
    with pytest.raises(Conflict, match="unarchive"):
        exports.write(made.database, cup.id, tmp_path / "cup")
    assert not (tmp_path / "cup").exists()


def test_two_runs_do_not_work_in_one_folder(made: Services) -> None:
    nothing = uuid4()
    away = partial(archiving.put_away, made.database, nothing, LATER)
    back = partial(archiving.bring_back, made.database, nothing)
    for work in (away, back):
        with archiving.alone(made.database), pytest.raises(Conflict, match="another run"):
            work()
        with pytest.raises(NotFound):
            work()


@pytest.fixture
def nowhere(made: Services) -> Iterator[Database]:
    """The same database where no folder of archives is named."""
    unnamed = Database(made.database.url)
    yield unnamed
    unnamed.dispose()


def test_nothing_is_archived_where_no_folder_is_named(nowhere: Database) -> None:
    with pytest.raises(ArchiveUnavailable, match="FUDABA_ARCHIVE"):
        archiving.put_away(nowhere, uuid4(), LATER)


@pytest.mark.slow
def test_a_tournament_that_changes_meanwhile_is_not_archived(
    made: Services, cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = verify.check

    def changed(*args: Any) -> Any:
        with made.database.transaction() as tx:
            reruns.apply(tx, cup.id, Choice(event=0, numbers=(0,)), "a power cut", NOW)
        return check(*args)

    monkeypatch.setattr(verify, "check", changed)
    before = rows(made.database)
    with pytest.raises(Conflict, match="was changed while"):
        archiving.put_away(made.database, cup.id, LATER)
    assert set(rows(made.database)) < set(before)
    assert all(actions is not None for _, _, actions, _ in rows(made.database))


@pytest.fixture
def elsewhere(made: Services, tmp_path: Path) -> Iterator[Database]:
    """The same database on a host whose folder of archives is another one."""
    other = Database(made.database.url, tmp_path / "elsewhere")
    yield other
    other.dispose()


@pytest.mark.slow
def test_what_another_host_archives_meanwhile_is_archived_there_alone(
    made: Services, cup: Tournament, elsewhere: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    check, before = verify.check, said(made.database, cup)

    def meanwhile(*args: Any) -> Any:
        monkeypatch.setattr(verify, "check", check)
        archiving.put_away(elsewhere, cup.id, LATER)
        return check(*args)

    monkeypatch.setattr(verify, "check", meanwhile)
    with pytest.raises(Conflict, match="another run has archived"):
        archiving.put_away(made.database, cup.id, LATER)
    assert not files_of(made.database, cup).are_there()
    assert said(elsewhere, cup) == before
    assert list(checks.problems(elsewhere)) == []


@pytest.mark.slow
def test_no_row_is_emptied_of_what_another_host_brought_back_meanwhile(
    made: Services, cup: Tournament, elsewhere: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages, before = archiving._pages, rows(made.database)

    def meanwhile(database: Database, tournament_id: UUID) -> list[ArchivePage]:
        found = pages(database, tournament_id)
        monkeypatch.setattr(archiving, "_pages", pages)
        archiving.bring_back(elsewhere, tournament_id)
        return found

    monkeypatch.setattr(archiving, "_pages", meanwhile)
    with pytest.raises(Conflict, match="brought the tournament back"):
        archiving.put_away(made.database, cup.id, LATER)
    assert rows(made.database) == before
    assert list(checks.problems(made.database)) == []
    assert archiving.put_away(made.database, cup.id, LATER) == len(before)


@pytest.mark.slow
def test_a_row_that_is_not_as_in_the_file_is_kept(
    made: Services, cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = partial(archiving.put_away, made.database, cup.id, NOW)
    for _ in kills(made.database, monkeypatch, work):
        if any(actions is None for _, _, actions, _ in rows(made.database)):
            break
    with made.database.transaction() as tx:
        tx.change(update(Result).values(spent=timings.pack({3: 9_900})))
    with pytest.raises(ArchiveUnavailable, match="is another one in the file"):
        archiving.put_away(made.database, cup.id, LATER)
    assert any(actions is not None for _, _, actions, _ in rows(made.database))


@pytest.mark.slow
def test_files_that_are_lost_while_rows_are_whole_are_no_hindrance(
    made: Services, cup: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows(made.database)
    away = partial(archiving.put_away, made.database, cup.id, LATER)
    for _ in kills(made.database, monkeypatch, away):
        emptied, counts = lasting(made.database)
        if counts:
            break
    assert not emptied
    for file in (files_of(made.database, cup).record, files_of(made.database, cup).times):
        file.unlink()
    with pytest.raises(ArchiveUnavailable, match="cannot be read"):
        away()
    assert archiving.bring_back(made.database, cup.id) == 0
    assert rows(made.database) == before
    assert list(checks.problems(made.database)) == []
    assert away() == len(before)


@pytest.mark.slow
def test_the_check_goes_on_where_no_folder_is_named(
    made: Services, cup: Tournament, nowhere: Database
) -> None:
    archiving.put_away(made.database, cup.id, LATER)
    with made.database.transaction() as tx:
        tx.change(update(Archive).values(edition=7))
    unnamed, wrong = checks.problems(nowhere)
    assert "it is archived, but there is no folder of archives; FUDABA_ARCHIVE" in unnamed
    assert "edition 7 is archived" in wrong


@pytest.mark.slow
def test_the_check_names_what_is_wrong_with_an_archive(made: Services, cup: Tournament) -> None:
    archiving.put_away(made.database, cup.id, LATER)
    files = files_of(made.database, cup)
    whole = files.times.read_bytes()
    files.times.write_bytes(whole[:-1] + b"x")
    (problem,) = checks.problems(made.database)
    assert "has other bytes than were archived" in problem
    files.times.unlink()
    (problem,) = checks.problems(made.database)
    assert problem.endswith(f"{files.times.name} is not in {files.times.parent}")
    match_id = matches.match_id_of(cup.events[0].id, 0)
    with made.database.reading() as tx, pytest.raises(ArchiveUnavailable, match="cannot be read"):
        matches.record(tx, match_id)
    files.times.write_bytes(whole)
    with made.database.transaction() as tx:
        tx.change(delete(ArchivePage))
        tx.change(delete(Archive))
    assert "nothing is archived" in next(checks.problems(made.database))
