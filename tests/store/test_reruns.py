"""Re-runs: chosen matches are played again on the same deals, count nowhere meanwhile, and can be undone."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update
from support import arena, databases
from support.arena import NOW

from engine import ledger, verify
from engine.ledger import WrongLine
from engine.policies import Ask, Fault, FaultCode
from engine.tallies import Tally
from store import (
    accounts,
    batches,
    checks,
    editions,
    exports,
    records,
    reruns,
    seating,
    standings,
    sums,
    tournaments,
    withdrawals,
)
from store.database import Database
from store.errors import BadRequest, Conflict, NotFound
from store.models.matches import Batch, BatchState, FaultRow, Result
from store.models.reruns import RerunState, VoidedResult
from store.models.tournaments import Bench, Event, Tournament, TournamentState
from store.models.withdrawals import WithdrawalRule
from store.reruns import View
from store.selections import Choice
from workers import contestants
from workers.runtimes.house import HousePlayer
from workers.services import Services

SHORT = {"game": "hana_awase", "options": {"rounds": 1}, "deals": 2}
TWO_BLOCKS = {"game": "hana_awase", "options": {"rounds": 1, "combinations": "none"}, "deals": 13}
PLAYING, DONE, UNDONE = RerunState.PLAYING, RerunState.DONE, RerunState.UNDONE


@pytest.fixture
def made(database: Database) -> Services:
    return arena.install(database)


def apply(made: Services, tournament: Tournament, **choice: Any) -> View:
    with made.database.transaction() as tx:
        view = reruns.apply(tx, tournament.id, Choice(**choice), "the network was down", NOW)
    arena.move_on(made, tournament)
    return view


def undo(made: Services, tournament: Tournament, number: int = 1) -> View:
    with made.database.transaction() as tx:
        view = reruns.undo(tx, tournament.id, number, NOW)
    arena.move_on(made, tournament)
    return view


def over(made: Services, tournament: Tournament) -> Tournament:
    found = arena.again(made.database, tournament)
    assert found.state is TournamentState.FINISHED
    return found


def results(database: Database, event: Event) -> dict[int, tuple[Any, ...]]:
    """Return all that was played of an event, but for when."""
    with database.transaction() as tx:
        rows = tx.scalars(select(Result).where(Result.event_id == event.id)).all()
    return {row.number: (row.scores, row.places, row.forfeits, row.faults, row.actions) for row in rows}


def all_editions(database: Database, tournament: Tournament) -> list[tuple[int, str]]:
    with database.transaction() as tx:
        return [(one.number, one.sha256) for one in editions.of_tournament(tx, tournament.id)]


def record_of(database: Database, tournament: Tournament) -> list[bytes]:
    return b"".join(records.stream(database, tournament.id)).splitlines(keepends=True)


def require_sums(database: Database, event: Event) -> None:
    """Assert that the totals are those of the matches that are there."""
    tally = Tally(seating.sides_of(event))
    schedule = seating.schedule_of(event)
    with database.transaction() as tx:
        faults = tx.execute(select(FaultRow.number, FaultRow.seat).where(FaultRow.event_id == event.id)).all()
        rows = tx.scalars(select(Result).where(Result.event_id == event.id)).all()
        found, duels = sums.totals(tx, event, event.field), sums.duels(tx, event, event.field)
        units = sums.units(tx, event, event.field)
        assert tx.get_one(Event, event.id).played == len(rows)
    for row in rows:
        tally.add(
            seating.seats_of(event, schedule.slot(row.number)),
            unit=schedule.slot(row.number).deal % 64,
            scores=row.scores,
            places=row.places,
            forfeits=row.forfeits,
            fault_seats=[seat for number, seat in faults if number == row.number],
        )
    assert {entrant: of for entrant, of in found.items() if of.matches} == tally.totals()
    assert duels == tally.duels()
    assert units.matches.sum() == sum(unit.matches for unit in tally.units())


def state_of(made: Services, tournament: Tournament, number: int = 1) -> RerunState:
    with made.database.transaction() as tx:
        return reruns.get(tx, tournament.id, number).state


def test_the_matches_of_a_table_are_played_again_on_the_same_deals(made: Services) -> None:
    names = arena.crowd(made.database, 1)
    tournament = arena.finished(made, SHORT, SHORT, entrants=(*arena.HOUSE, *names))
    event, other = tournament.events
    before, first = results(made.database, event), record_of(made.database, tournament)
    view = apply(made, tournament, event=0, table=2)
    assert (view.number, view.state, view.matches, view.results) == (1, PLAYING, 6, 6)
    assert [(part.event, [(run.first, run.count) for run in part.ranges]) for part in view.events] == [
        (0, [(12, 6)])
    ]
    running = arena.again(made.database, tournament)
    assert running.state is TournamentState.RUNNING
    assert set(before) - set(results(made.database, event)) == set(range(12, 18))
    require_sums(made.database, event)
    assert not list(checks.problems(made.database))
    assert arena.play_all(made) > 0
    assert results(made.database, event) == before
    require_sums(made.database, event)
    over(made, tournament)
    assert not list(checks.problems(made.database))
    assert state_of(made, tournament) is DONE
    (one, old), (two, new) = all_editions(made.database, tournament)
    assert (one, two) == (1, 2)
    assert old == new  # the bots are deterministic
    again = record_of(made.database, tournament)
    assert verify.check(again).matches == event.matches + other.matches
    assert (b'"reruns":[]' in first[0], b'"reruns":[]' in again[0]) == (True, False)


def test_what_was_taken_out_stands_in_no_table_meanwhile(made: Services) -> None:
    tournament = arena.finished(made)
    event = tournament.events[0]
    with made.database.transaction() as tx:
        reruns.apply(tx, tournament.id, Choice(event=0, numbers=(0,)), "a power cut", NOW)
        rows = standings.of_event(tx, event.id)
        assert {row.matches for row in rows} == {event.matches - 2}
        assert all(row.rating is None for row in rows)
        assert {row.matches for row in standings.overall(tx, tournament.id)} == {event.matches - 2}
        assert tx.scalar(select(func.count()).select_from(VoidedResult)) == 2
        assert editions.get(tx, tournament.id, 1).standings[0]["rows"][0]["matches"] == event.matches
    with pytest.raises(Conflict, match="only once it is finished"):
        records.stream(made.database, tournament.id)
    arena.move_on(made, tournament)
    with made.database.transaction() as tx:  # by the matches that are left
        assert all(row.rating is not None for row in standings.of_event(tx, event.id))


@pytest.mark.slow
def test_a_re_run_can_be_undone_before_and_after_it_is_played(made: Services) -> None:
    for plays_first in (False, True):
        tournament = arena.finished(made, TWO_BLOCKS)
        event = tournament.events[0]
        with made.database.transaction() as tx:  # so that both are told apart
            tx.change(update(Result).where(Result.number == 3).values(decisions=999))
        apply(made, tournament, event=0, numbers=(3, 38))
        arena.play_all(made, most=10_000 if plays_first else 1)
        undone = undo(made, tournament)
        arena.play_all(made)
        assert undone.state is UNDONE
        with made.database.transaction() as tx:
            assert tx.get_one(Result, (event.id, 3)).decisions == 999
            assert tx.scalar(select(func.count()).select_from(VoidedResult)) == 0
        require_sums(made.database, event)
        over(made, tournament)
        numbers, hashes = zip(*all_editions(made.database, tournament), strict=True)
        assert numbers == ((1, 2, 3) if plays_first else (1, 2))
        assert len(set(hashes)) == 1
        header = record_of(made.database, tournament)
        assert verify.check(header).matches == event.matches
        assert b'"undone":true' in header[0]


@pytest.mark.slow
def test_a_running_tournament_goes_back_and_then_on(made: Services) -> None:
    tournament = arena.started(made.database, TWO_BLOCKS)
    expected = arena.finished(made, TWO_BLOCKS)
    arena.play_all(made)
    running = arena.started(made.database, TWO_BLOCKS)
    while arena.again(made.database, running).events[0].block == 0:
        arena.play_all(made, most=1)
    arena.play_all(made, most=1)
    event = arena.again(made.database, running).events[0]
    in_flight = claim_any(made.database)
    apply(made, running, event=0, table=0)
    back = arena.again(made.database, running).events[0]
    assert (back.block, back.next_number) == (0, event.next_number)
    with made.database.transaction() as tx:
        assert not batches.close(tx, in_flight, NOW)  # it was played under decisions that may change
    arena.play_all(made)
    assert state_of(made, running) is DONE
    assert results(made.database, over(made, running).events[0]) == results(made.database, expected.events[0])
    require_sums(made.database, running.events[0])
    assert [number for number, _ in all_editions(made.database, running)] == [1]
    verify.check(record_of(made.database, running))
    assert over(made, tournament)


def claim_any(database: Database) -> batches.Claim:
    with database.transaction() as tx:
        batch_id = tx.scalars(select(Batch.id).where(Batch.state == BatchState.OPEN)).first()
        assert batch_id is not None
        claim = batches.claim(tx, batch_id, owner="w", now=NOW, lease_seconds=30)
        assert claim is not None
        return claim


class Failing(HousePlayer):
    """A player that faults at every decision, as if its machine were away."""

    async def act(self, ask: Ask) -> Fault:
        return Fault(code=FaultCode.CONNECT, detail="refused")


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """While it holds anything, house/first faults at every decision."""
    real, is_broken = contestants.open_bot, [True]

    def open_bot(services: Any, contestant: Any, *rest: Any) -> Any:
        bot: Any = real(services, contestant, *rest)
        if contestant.name == "first" and is_broken:
            player = bot.player
            bot.player = lambda name, seat: Failing(player(name, seat)._policy)
        return bot

    monkeypatch.setattr(contestants, "open_bot", open_bot)
    return is_broken


def benched(database: Database, event: Event) -> list[tuple[int, int]]:
    with database.transaction() as tx:
        rows = tx.scalars(select(Bench).where(Bench.event_id == event.id)).all()
    return [(row.entrant, row.from_block) for row in rows]


@pytest.mark.slow
def test_who_was_benched_for_what_is_played_again_plays_on(made: Services, broken: list[bool]) -> None:
    tournament = arena.finished(made, TWO_BLOCKS)
    event = tournament.events[0]
    assert benched(made.database, event) == [(2, 1)]
    broken.clear()
    view = apply(made, tournament, fault=FaultCode.CONNECT, entrant=2)
    assert view.matches == 36
    arena.play_all(made)
    assert benched(made.database, event) == []
    with made.database.transaction() as tx:
        (part,) = reruns.get(tx, tournament.id, 1).events
        assert tx.scalar(select(func.count()).select_from(FaultRow)) == 0
    assert sum(run.count for run in part.followed) == event.matches - 36
    assert not any(forfeits for _, _, forfeits, _, _ in results(made.database, event).values())
    assert results(made.database, event) == results(made.database, arena.finished(made, TWO_BLOCKS).events[0])
    require_sums(made.database, event)
    verify.check(record_of(made.database, over(made, tournament)))
    undo(made, tournament)
    arena.play_all(made)
    assert benched(made.database, event) == [(2, 1)]
    require_sums(made.database, event)
    first, second, third = all_editions(made.database, tournament)
    assert first[1] == third[1] != second[1]
    verify.check(record_of(made.database, tournament))


@pytest.mark.slow
def test_an_event_that_ended_early_may_end_elsewhere(made: Services, broken: list[bool]) -> None:
    stop = {"separation": 0.6, "top": 1}
    event_plan = {**TWO_BLOCKS, "deals": 60}
    tournament = arena.finished(
        made, event_plan, stop=stop, entrants=("house/greedy", "house/first", "house/random")
    )
    ended = tournament.events[0].stopped_after_block
    assert ended is not None
    broken.clear()
    apply(made, tournament, event=0, fault=FaultCode.CONNECT)
    arena.play_all(made)
    again = over(made, tournament).events[0]
    untroubled = arena.finished(
        made, event_plan, stop=stop, entrants=("house/greedy", "house/first", "house/random")
    ).events[0]
    assert again.stopped_after_block == untroubled.stopped_after_block
    assert results(made.database, again) == results(made.database, untroubled)
    require_sums(made.database, again)
    verify.check(record_of(made.database, tournament))
    undo(made, tournament)
    arena.play_all(made)
    assert over(made, tournament).events[0].stopped_after_block == ended
    verify.check(record_of(made.database, tournament))


def play_all_but_one(made: Services) -> None:
    """Play what is started, but for its first match, which is set aside."""
    with made.database.transaction() as tx:
        tx.change(update(Batch).where(Batch.first == 0).values(count=1, state=BatchState.SET_ASIDE))
        batch = tx.scalars(select(Batch).where(Batch.first == 0)).one()
        tx.add(batches.add(tx, tx.get_one(Event, batch.event_id), range(1, 2), NOW))
    arena.play_all(made)


def test_matches_that_were_set_aside_are_played_after_all(made: Services) -> None:
    tournament = arena.started(made.database)
    play_all_but_one(made)
    tournament = over(made, tournament)
    event = tournament.events[0]
    assert (event.set_aside, event.played) == (1, event.matches - 1)
    view = apply(made, tournament, set_aside=True)
    assert (view.matches, view.results) == (2, 1)
    arena.play_all(made)
    event = over(made, tournament).events[0]
    assert (event.set_aside, event.played) == (0, event.matches)
    assert verify.check(record_of(made.database, tournament)).set_aside == 0
    undo(made, tournament)
    arena.play_all(made)
    event = over(made, tournament).events[0]
    assert (event.set_aside, event.played) == (1, event.matches - 1)
    assert verify.check(record_of(made.database, tournament)).set_aside == 1


def test_an_export_takes_along_what_was_played_again(tmp_path: Path) -> None:
    """Where other batches are, so that those of the file get other numbers; it can be undone there."""
    made, file = arena.install(databases.sqlite(tmp_path)), tmp_path / "cup"
    tournament = arena.started(made.database)
    play_all_but_one(made)
    apply(made, tournament, set_aside=True)
    arena.play_all(made)
    exports.write(made.database, tournament.id, file)
    (tmp_path / "other").mkdir()
    other = arena.install(databases.sqlite(tmp_path / "other"))
    beside = arena.finished(other)
    exports.read(other.database, file)
    assert record_of(other.database, tournament) == record_of(made.database, tournament)
    undo(other, tournament)
    arena.play_all(other)
    assert over(other, tournament).events[0].set_aside == 1
    assert over(other, beside).events[0].set_aside == 0
    assert not list(checks.problems(other.database))


@pytest.mark.slow
def test_who_is_dropped_meanwhile_is_not_played_again(made: Services) -> None:
    names = arena.crowd(made.database, 1)
    tournament = arena.finished(made, TWO_BLOCKS, entrants=(*arena.HOUSE, *names))
    apply(made, tournament, event=0, table=0)
    with made.database.transaction() as tx:
        organiser = accounts.get(tx, arena.organiser_id(made.database))
        withdrawals.withdraw(tx, tournament.id, 0, WithdrawalRule.DROP, organiser, NOW)
    arena.play_all(made)
    verify.check(record_of(made.database, over(made, tournament)))
    undo(made, tournament)
    arena.play_all(made)
    event = over(made, tournament).events[0]
    assert event.played + event.dropped == event.matches
    verify.check(record_of(made.database, tournament))
    with pytest.raises(BadRequest, match="no match that is over"):
        apply(made, tournament, entrant=0)


@pytest.mark.slow
def test_re_runs_are_undone_the_last_one_first(made: Services) -> None:
    tournament = arena.finished(made)
    for number in (1, 2):
        assert apply(made, tournament, numbers=(0,), event=0).number == number
        arena.play_all(made)
    with pytest.raises(Conflict, match="re-run 2 came later"):
        undo(made, tournament, 1)
    undo(made, tournament, 2)
    with pytest.raises(Conflict, match="undone already"):
        undo(made, tournament, 2)
    undo(made, tournament, 1)
    arena.play_all(made)
    with made.database.transaction() as tx:
        assert [one.state for one in reruns.of_tournament(tx, tournament.id)] == [UNDONE, UNDONE]
        with pytest.raises(NotFound):
            reruns.get(tx, tournament.id, 3)
    assert len({sha256 for _, sha256 in all_editions(made.database, tournament)}) == 1


def test_a_paused_tournament_stays_paused(made: Services) -> None:
    tournament = arena.started(made.database)
    arena.play_all(made, most=1)
    with made.database.transaction() as tx:
        tx.change(update(Tournament).values(state=TournamentState.PAUSED))
    apply(made, tournament, event=0, numbers=(0,))
    assert arena.again(made.database, tournament).state is TournamentState.PAUSED


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        ({}, "the choice is empty"),
        ({"table": 0}, "those of an event"),
        ({"event": 1}, "no event 1"),
        ({"entrant": 3}, "no entrant 3"),
        ({"event": 0, "table": 1}, "has 1 tables"),
        ({"event": 0, "numbers": (6,)}, "has 6 matches"),
        ({"fault": FaultCode.CRASH}, "no match that is over"),
        ({"set_aside": True}, "no match that is over"),
    ],
)
def test_a_choice_that_cannot_be_used_is_refused(made: Services, choice: Any, reason: str) -> None:
    tournament = arena.finished(made)
    with pytest.raises(BadRequest, match=reason):
        apply(made, tournament, **choice)


def test_what_is_not_over_is_left_out(made: Services) -> None:
    tournament = arena.started(made.database)
    with pytest.raises(BadRequest, match="2 that do are still to be played"):
        apply(made, tournament, event=0, numbers=(0,))
    with made.database.transaction() as tx:
        tournaments.cancel(tx, tournament.id, NOW)
    for unfit in (tournament, arena.draft(made.database)):
        with pytest.raises(Conflict, match="nothing of it can be played again"):
            apply(made, unfit, event=0)


def test_only_one_re_run_is_played_at_a_time(made: Services) -> None:
    tournament = arena.finished(made)
    apply(made, tournament, event=0, numbers=(0,))
    with pytest.raises(Conflict, match="re-run 1 is still being played"):
        apply(made, tournament, event=0, numbers=(3,))


def test_a_preview_says_what_apply_does_and_does_nothing(made: Services) -> None:
    names = arena.crowd(made.database, 1)
    tournament = arena.finished(made, SHORT, SHORT, entrants=(*arena.HOUSE, *names))
    choice = Choice(event=0, entrant=3)
    before = results(made.database, tournament.events[0])
    with made.database.reading() as tx:
        found = reruns.preview(tx, tournament.id, choice)
    assert results(made.database, tournament.events[0]) == before
    tables = list(combinations(range(4), 3))
    assert found.matches == found.results == 6 * sum(3 in table for table in tables)
    assert (found.set_aside, found.unfinished) == (0, 0)
    assert any("secret" in note for note in found.notes)
    apply(made, tournament, event=0, entrant=3)
    with made.database.transaction() as tx:
        live = {row.entrant: row for row in standings.of_event(tx, tournament.events[0].id)}
        overall = {row.entrant: row for row in standings.overall(tx, tournament.id)}
    for row in found.events[0].rows:
        now = live[row.entrant]
        assert (row.place_without, row.points_without, row.matches_without) == (
            now.place,
            now.points,
            now.matches,
        )
    assert {row.entrant for row in found.events[0].rows} == set(live)
    for row in found.overall:
        now_all = overall[row.entrant]
        assert (row.place_without, row.points_without) == (now_all.place, now_all.points)


def test_the_record_names_what_was_played_again(made: Services) -> None:
    tournament = arena.finished(made)
    apply(made, tournament, event=0, numbers=(5,))
    arena.play_all(made)
    lines = record_of(made.database, over(made, tournament))
    header = ledger.Reader(lines).take(ledger.Header)
    (rerun,) = header.reruns
    assert (rerun.number, rerun.reason, rerun.undone) == (1, "the network was down", False)
    assert (rerun.events[0].event, rerun.events[0].ranges) == (0, [(4, 2)])
    lines[0] = lines[0].replace(b"[[4,2]]", b"[[4,9]]")
    with pytest.raises(WrongLine, match="line 1: re-run 1 has matches"):
        verify.check(lines)
