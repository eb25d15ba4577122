"""Batches played in this process, without a broker: results, totals, blocks, benching, repetition."""

from typing import Any

import pytest
from sqlalchemy import select, text
from support import arena

from engine import games
from engine.match import MatchResult, play, points, run
from engine.policies import Ask, Fault, FaultCode, house_policy, house_stream
from store import batches, deals, matches, seating, standings, tournaments
from store.database import Database
from store.errors import Conflict
from store.models.matches import Batch, FaultRow, Result
from store.models.tournaments import Bench, EventState, Tournament, TournamentState
from store.schema import WrongTables
from workers import batch, contestants
from workers.runtimes.house import HouseBot, HousePlayer

EVENTS = ({"game": "hana_awase", "options": {"rounds": 1}, "deals": 4}, {"game": "hachinin_meri", "deals": 1})


@pytest.fixture
def made(database: Database) -> Any:
    return arena.install(database)


def by_hand(tournament: Tournament, event_index: int, number: int) -> MatchResult:
    """Play one match of house bots with nothing but the engine."""
    event = tournament.events[event_index]
    game = games.get(event.game)
    slot = seating.schedule_of(event).slot(number)
    seats = seating.seats_of(event, slot)
    bots = [
        house_policy(
            tournament.entrants[entrant].version.bot.name, game, house_stream(event_index, number, seat)
        )
        for seat, entrant in enumerate(seats)
    ]
    seed = deals.seed(tournament, event, slot, set())
    match = play(game, seats=event.seats, options=event.options, seed=seed)
    return run(match, lambda ask: bots[ask.seat].act(ask))


def test_every_match_is_stored_once_as_the_engine_alone_plays_it(made: Any) -> None:
    tournament = arena.started(made.database, *EVENTS)
    arena.play_all(made)
    finished = arena.again(made.database, tournament)
    assert finished.state is TournamentState.FINISHED
    for event in finished.events:
        with made.database.transaction() as tx:
            rows = tx.scalars(select(Result).where(Result.event_id == event.id).order_by(Result.number)).all()
        assert [row.number for row in rows] == list(range(event.matches))
        assert event.played == event.matches
        for row in rows:
            expected = by_hand(finished, event.index, row.number)
            assert (tuple(row.scores), tuple(row.places)) == (expected.scores, expected.places)
            with made.database.transaction() as tx:
                record = matches.record(tx, matches.match_id_of(event.id, row.number))
            assert record == expected.record


def test_totals_are_the_sums_of_all_results(made: Any) -> None:
    tournament = arena.started(made.database, *EVENTS)
    arena.play_all(made)
    with made.database.transaction() as tx:
        for event in tournament.events:
            views = matches.page(tx, tournament.id, event_index=event.index, limit=1000)
            for row in standings.of_event(tx, event.id):
                mine = [
                    (
                        view.points[view.entrants.index(row.entrant)],
                        view.scores[view.entrants.index(row.entrant)],
                    )
                    for view in views
                    if row.entrant in view.table
                ]
                assert row.matches == len(mine)
                assert row.points == sum(share for share, _ in mine) / len(mine)
                assert row.mean_score * len(mine) == sum(score for _, score in mine)


def test_playing_a_batch_again_changes_nothing(made: Any) -> None:
    arena.started(made.database)
    arena.play_all(made)
    before = snapshot(made.database)
    with made.database.transaction() as tx:
        ids = list(tx.scalars(select(Batch.id)))
    for batch_id in ids:
        batch.play(made, batch_id)
    assert snapshot(made.database) == before


def snapshot(database: Database) -> list[tuple[Any, ...]]:
    with database.transaction() as tx:
        query = select(Result).order_by(Result.event_id, Result.number)
        return [(row.number, row.scores, row.places, row.actions, row.played_at) for row in tx.scalars(query)]


def test_an_attempt_that_lost_its_lease_writes_nothing(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    arena.started(made.database)
    with made.database.transaction() as tx:
        batch_id = tx.scalars(select(Batch.id).order_by(Batch.id)).first()
    real = batches.close

    def stolen(tx: Any, claim: Any, now: Any) -> bool:
        tx.get_one(Batch, claim.batch_id).attempt += 1
        tx.flush()
        return real(tx, claim, now)

    monkeypatch.setattr(batches, "close", stolen)
    batch.play(made, batch_id)
    assert snapshot(made.database) == []


def test_a_lease_lost_in_mid_play_ends_the_attempt_without_a_trace(
    made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena.started(made.database)
    with made.database.transaction() as tx:
        batch_id = tx.scalars(select(Batch.id).order_by(Batch.id)).first()
    monkeypatch.setattr(batches, "renew", lambda *_, **__: False)
    monkeypatch.setattr(batch._Table, "_renew_seconds", -1.0)
    batch.play(made, batch_id)
    assert snapshot(made.database) == []
    with made.database.transaction() as tx:
        assert tx.get_one(Batch, batch_id).failures == 0


def test_our_own_error_gives_the_batch_back_with_its_reason(
    made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena.started(made.database)
    with made.database.transaction() as tx:
        batch_id = tx.scalars(select(Batch.id).order_by(Batch.id)).first()

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug of ours")

    with monkeypatch.context() as patched:
        patched.setattr(HouseBot, "player", broken)
        batch.play(made, batch_id)
    with made.database.transaction() as tx:
        row = tx.get_one(Batch, batch_id)
        assert row.failures == 1
        assert "a bug of ours" in (row.reason or "")
    arena.play_all(made)
    assert len(snapshot(made.database)) == 6


class Failing(HousePlayer):
    """A player that faults at every decision."""

    async def act(self, ask: Ask) -> Fault:
        return Fault(code=FaultCode.EXCEPTION, detail="it raised", evidence={"traceback": "line 1"})


def test_faults_are_stored_with_evidence_and_a_bot_that_forfeits_a_block_is_benched(
    made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = contestants.open_bot

    def open_bot(services: Any, contestant: Any, *rest: Any) -> Any:
        bot = real(services, contestant, *rest)
        if contestant.name == "first":
            bot.player = lambda name, seat: Failing(house_policy("first", games.get("hana_awase"), None))  # type: ignore[arg-type]
        return bot

    monkeypatch.setattr(contestants, "open_bot", open_bot)
    event = {"game": "hana_awase", "options": {"rounds": 1, "combinations": "none"}, "deals": 24}
    tournament = arena.started(made.database, event)
    arena.play_all(made)
    with made.database.transaction() as tx:
        bench = tx.scalars(select(Bench)).one()
        assert (bench.entrant, bench.from_block, bench.forfeits, bench.matches) == (2, 1, 36, 36)
        faults = tx.scalars(select(FaultRow)).all()
        assert len(faults) == 36 * 3
        assert {row.code for row in faults} == {"exception"}
        assert faults[0].evidence == {"traceback": "line 1"}
        rows = standings.of_event(tx, tournament.events[0].id)
        last = rows[-1]
        assert (last.entrant, last.forfeits, last.faults, last.wins, last.points) == (2, 72, 108, 0, 0)
        for view in matches.page(tx, tournament.id, limit=100):
            assert view.points[view.entrants.index(2)] == 0


def test_blocks_open_one_after_another(made: Any) -> None:
    event = {"game": "hana_awase", "options": {"rounds": 1}, "deals": 36}
    tournament = arena.started(made.database, event)
    blocks = set()
    while True:
        with made.database.transaction() as tx:
            lost = batches.lost(tx, made.clock(), -1, lease_seconds=30)
            blocks.add(frozenset(tx.get_one(Batch, batch_id).block for batch_id in lost))
        if not lost:
            break
        batch.play(made, lost[-1])
    assert blocks == {frozenset({0}), frozenset({1}), frozenset({2}), frozenset()}
    assert arena.again(made.database, tournament).events[0].state is EventState.FINISHED


def test_replays_of_a_running_event_are_refused(made: Any) -> None:
    tournament = arena.started(made.database)
    with made.database.transaction() as tx:
        batch_id = tx.scalars(select(Batch.id).order_by(Batch.id)).first()
    batch.play(made, batch_id)
    match_id = matches.match_id_of(tournament.events[0].id, 0)
    with made.database.transaction() as tx:
        assert matches.get(tx, match_id).number == 0
        for look in (matches.record, matches.replay):
            with pytest.raises(Conflict, match="hidden"):
                look(tx, match_id)
    arena.play_all(made)
    with made.database.transaction() as tx:
        replay = matches.replay(tx, match_id, viewer=1)
    assert all(set(step["observations"]) == {"1"} for step in replay["steps"])
    assert replay["steps"][-1]["seat"] is None


def test_replays_of_a_cancelled_tournament_are_shown(made: Any) -> None:
    tournament = arena.started(made.database)
    with made.database.transaction() as tx:
        batch_id = tx.scalars(select(Batch.id).order_by(Batch.id)).first()
    batch.play(made, batch_id)
    with made.database.transaction() as tx:
        tournaments.cancel(tx, tournament.id, arena.NOW)
        record = matches.record(tx, matches.match_id_of(tournament.events[0].id, 0))
    assert record.final().to_move is None


def test_points_of_a_match_add_up(made: Any) -> None:
    tournament = arena.started(made.database, *EVENTS)
    arena.play_all(made)
    with made.database.transaction() as tx:
        for view in matches.page(tx, tournament.id, limit=1000):
            event = tournament.events[view.event_index]
            sides = seating.sides_of(event)
            assert sum(points(view.places, sides, ())) == len(sides) // event.sides * event.sides * (
                event.sides - 1
            )


def test_nothing_is_played_with_the_tables_of_another_version(made: Any) -> None:
    arena.started(made.database)
    with made.database.transaction() as tx:
        batch_id = tx.scalars(select(Batch.id).order_by(Batch.id)).first()
        tx.execute(text("UPDATE alembic_version SET version_num = 'later'"))
    with pytest.raises(WrongTables, match="the tables are at revision later"):
        batch.play(made, batch_id)
    assert snapshot(made.database) == []
