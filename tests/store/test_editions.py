"""Editions and records: what is final, stored once and never moved, and what others verify it by."""

import json
from math import comb
from typing import Any

import pytest
from sqlalchemy import delete, select, update
from support import arena
from support.arena import NOW

from engine import games, ledger, verify
from engine.policies import Ask, Fault, FaultCode, house_policy
from store import batches, editions, records, standings, tournaments
from store.database import Database
from store.errors import Conflict, NotFound
from store.models.bots import Bot, BotKind
from store.models.matches import Batch, Result
from store.models.tournaments import Edition, EntrantTotals, Tournament, TournamentState
from workers import contestants
from workers.runtimes.house import HousePlayer
from workers.services import Services

SHORT = {"game": "hana_awase", "options": {"rounds": 1}, "deals": 2}
EVENTS = (SHORT, {"game": "hachinin_meri", "deals": 1}, {"game": "seiten", "seats": 4, "deals": 2})


@pytest.fixture
def made(database: Database) -> Services:
    return arena.install(database)


def written(database: Database, tournament: Tournament) -> list[bytes]:
    return b"".join(records.stream(database, tournament.id)).splitlines(keepends=True)


def parsed(record: list[bytes], kind: str) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, record) if line["kind"] == kind]


def all_editions(database: Database, tournament: Tournament) -> list[Edition]:
    with database.transaction() as tx:
        return editions.of_tournament(tx, tournament.id)


def test_the_standings_are_frozen_with_the_last_match(made: Services) -> None:
    tournament = arena.started(made.database, *EVENTS)
    assert all_editions(made.database, tournament) == []
    arena.play_all(made)
    (edition,) = all_editions(made.database, tournament)
    assert edition.number == 1
    assert edition.created_at == arena.again(made.database, tournament).finished_at
    assert edition.sha256 == ledger.digest(edition.standings)
    with made.database.transaction() as tx:
        assert ledger.overall_rows(edition.standings) == standings.overall(tx, tournament.id)
        for event in tournament.events:
            frozen = ledger.event_rows(edition.standings, event.index)
            assert frozen == standings.of_event(tx, event.id)
        assert editions.latest(tx, tournament.id) == editions.get(tx, tournament.id, 1)


def test_an_edition_does_not_move_with_the_totals(made: Services) -> None:
    tournament = arena.started(made.database)
    arena.play_all(made)
    (before,) = all_editions(made.database, tournament)
    with made.database.transaction() as tx:
        tx.change(update(EntrantTotals).values(points=0))
        assert standings.tables(tx, tournament.id) != before.standings
    (after,) = all_editions(made.database, tournament)
    assert (after.sha256, after.standings) == (before.sha256, before.standings)


def test_the_next_edition_leaves_the_one_before(made: Services) -> None:
    tournament = arena.started(made.database)
    arena.play_all(made)
    (before,) = all_editions(made.database, tournament)
    with made.database.transaction() as tx:
        tx.change(update(EntrantTotals).where(EntrantTotals.entrant == 0).values(points=0, wins=0))
        second = editions.freeze(tx, tournament.id, NOW)
    assert second.number == 2
    assert second.sha256 != before.sha256
    with made.database.transaction() as tx:
        assert editions.latest(tx, tournament.id).number == 2  # type: ignore[union-attr]
        assert editions.get(tx, tournament.id, 1).sha256 == before.sha256


def test_the_same_secret_gives_the_same_edition_in_any_order_of_batches(made: Services) -> None:
    found = []
    for is_backwards in (False, True):
        tournament = arena.started(made.database, *EVENTS)
        arena.play_all(made, backwards=is_backwards)
        found += all_editions(made.database, tournament)
    assert found[0].sha256 == found[1].sha256


def test_an_edition_that_there_is_not_is_not_found(made: Services) -> None:
    tournament = arena.started(made.database)
    with made.database.transaction() as tx, pytest.raises(NotFound, match="no edition 1"):
        editions.get(tx, tournament.id, 1)


def test_a_cancelled_tournament_has_neither_edition_nor_record(made: Services) -> None:
    tournament = arena.started(made.database)
    with made.database.transaction() as tx:
        tournaments.cancel(tx, tournament.id, NOW)
    arena.play_all(made)
    assert all_editions(made.database, tournament) == []
    with pytest.raises(Conflict, match="cancelled"):
        records.stream(made.database, tournament.id)


def test_there_is_no_record_before_the_end(made: Services) -> None:
    for tournament in (arena.draft(made.database), arena.started(made.database)):
        with pytest.raises(Conflict, match="only once it is finished"):
            records.stream(made.database, tournament.id)
    with pytest.raises(NotFound):
        records.stream(made.database, arena.organiser_id(made.database))


def test_a_record_verifies_and_says_what_the_database_does(made: Services) -> None:
    tournament = arena.started(made.database, *EVENTS)
    arena.play_all(made)
    record = written(made.database, tournament)
    summary = verify.check(record)
    finished = arena.again(made.database, tournament)
    assert summary.tournament == str(tournament.id)
    assert summary.matches == sum(event.matches for event in finished.events)
    assert (summary.entrants, summary.lines) == (len(finished.entrants), len(record))
    (edition,) = all_editions(made.database, tournament)
    assert summary.standings_sha256 == edition.sha256
    tables = [{"event": line["event"], "rows": line["rows"]} for line in parsed(record, "standings")]
    assert tables == edition.standings
    header = parsed(record, "header")[0]
    assert (header["commitment"], header["secret_seed"]) == (finished.commitment, finished.secret.hex())
    frozen = tournaments.frozen_entrants(finished)
    assert [{key: line[key] for key in frozen[0]} for line in parsed(record, "entrant")] == frozen
    assert [line["filler"] for line in parsed(record, "entrant")] == [False, False, False, True]


def test_a_record_is_the_same_each_time_and_for_any_size_of_page(
    made: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = arena.started(made.database, *EVENTS)
    arena.play_all(made)
    whole = written(made.database, tournament)
    for size in (1, 6, 7, 1000):
        monkeypatch.setattr(records, "PAGE", size)
        assert written(made.database, tournament) == whole


def test_a_record_is_read_without_holding_the_database(
    made: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "PAGE", 2)
    tournament = arena.started(made.database)
    arena.play_all(made)
    pages = records.stream(made.database, tournament.id)
    next(pages)
    other = arena.draft(made.database)  # another transaction writes while the record is half read
    assert arena.again(made.database, other).name == "cup"
    assert list(pages)[-1].startswith(b'{"kind":"end"')


class Failing(HousePlayer):
    """A player that faults at every decision."""

    async def act(self, ask: Ask) -> Fault:
        return Fault(code=FaultCode.EXCEPTION, detail="it raised", evidence={"traceback": "secret"})


def test_faults_forfeits_and_benches_are_recorded_without_their_evidence(
    made: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = contestants.open_bot

    def open_bot(services: Any, contestant: Any, *rest: Any) -> Any:
        bot: Any = real(services, contestant, *rest)
        if contestant.name == "first":
            policy = house_policy("first", games.get("hana_awase"), None)  # type: ignore[arg-type]
            bot.player = lambda name, seat: Failing(policy)
        return bot

    monkeypatch.setattr(contestants, "open_bot", open_bot)
    event = {"game": "hana_awase", "options": {"rounds": 1, "combinations": "none"}, "deals": 24}
    tournament = arena.started(made.database, event)
    arena.play_all(made)
    record = written(made.database, tournament)
    assert verify.check(record).matches == 72
    (bench,) = parsed(record, "bench")
    assert (bench["entrant"], bench["from_block"], bench["forfeits"], bench["matches"]) == (2, 1, 36, 36)
    played = parsed(record, "match")
    assert [len(line["faults"]) for line in played] == [3] * 36 + [0] * 36
    assert all([line["entrants"][seat] for seat in line["forfeits"]] == [2] for line in played)
    assert b"secret" not in b"".join(record).replace(b"secret_seed", b"")


def test_matches_that_were_set_aside_are_listed(made: Services) -> None:
    tournament = arena.started(made.database)
    with made.database.transaction() as tx:
        batch_id = tx.scalars(select(Batch.id).order_by(Batch.id)).first()
    give_up(made.database, batch_id)
    with made.database.transaction() as tx:
        halves = list(tx.scalars(select(Batch.id).where(Batch.first.in_([0, 1]), Batch.count == 1)))
    give_up(made.database, halves[0])
    arena.play_all(made)
    assert arena.again(made.database, tournament).state is TournamentState.FINISHED
    record = written(made.database, tournament)
    aside = [(line["event"], line["number"]) for line in parsed(record, "set_aside")]
    assert aside == [(0, 0)]
    summary = verify.check(record)
    assert (summary.matches, summary.set_aside) == (5, 1)


def give_up(database: Database, batch_id: Any) -> None:
    """Let a batch fail until it is split, or set aside."""
    for _ in range(batches.MOST_FAILURES):
        with database.transaction() as tx:
            held = batches.claim(tx, batch_id, owner="w", now=NOW, lease_seconds=30)
            assert held is not None
            batches.fail(tx, held, "our own error", NOW)


@pytest.mark.parametrize("shares", [False, True])
def test_tables_with_an_endpoint_have_deals_of_their_own_unless_shared(made: Services, shares: bool) -> None:
    tournament = arena.started(made.database, endpoint_duplicates=shares)
    arena.play_all(made)
    with (
        made.database.transaction() as tx
    ):  # what was played so was not dealt so: that is what is to be found
        tx.change(update(Bot).where(Bot.name == "first").values(kind=BotKind.ENDPOINT))
    record = written(made.database, tournament)
    found = {(line["deal"], line["seed"]) for line in parsed(record, "match")}
    assert len(found) == (2 if shares else 6)


def test_the_record_of_a_balanced_schedule_verifies(made: Services) -> None:
    event = {**SHORT, "schedule": "balanced", "deals": 1}
    tournament = arena.started(made.database, event, entrants=arena.crowd(made.database, 7))
    arena.play_all(made)
    record = written(made.database, tournament)
    matches = verify.check(record).matches
    assert matches == arena.again(made.database, tournament).events[0].matches
    (part,) = parsed(record, "header")[0]["events"]
    assert part["schedule"] == "balanced"
    tables = {tuple(sorted(line["entrants"])) for line in parsed(record, "match")}
    assert 3 * len(tables) == matches < 3 * comb(7, 3)


def test_a_result_that_was_changed_in_the_database_is_found(made: Services) -> None:
    tournament = arena.started(made.database)
    arena.play_all(made)
    with made.database.transaction() as tx:
        row = tx.scalars(select(Result).where(Result.number == 3)).one()
        row.scores = [row.scores[0] + 1, *row.scores[1:]]
    with pytest.raises(ledger.WrongLine, match="line 8: scores"):
        verify.check(written(made.database, tournament))


def test_a_result_that_was_removed_from_the_database_is_found(made: Services) -> None:
    tournament = arena.started(made.database)
    arena.play_all(made)
    with made.database.transaction() as tx:
        tx.change(delete(Result).where(Result.number == 3))
    with pytest.raises(ledger.WrongLine, match="line 11: row"):
        verify.check(written(made.database, tournament))
