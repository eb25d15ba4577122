"""Withdrawals: from a draft at once, from an event whole at the end of a block, by the chosen rule."""

from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import select
from support import arena
from support.arena import NOW
from support.owners import owner, qualified_bot

from engine import verify
from engine.ledger import WrongLine
from engine.standings import Row, Totals
from engine.tallies import Tally
from store import accounts, blocks, records, seating, standings, sums, tournaments, withdrawals
from store.database import Database
from store.errors import BadRequest, Conflict, Forbidden
from store.models.accounts import Account
from store.models.matches import FaultRow, Result
from store.models.tournaments import Event, EventState, Tournament, TournamentState
from store.models.withdrawals import WithdrawalRule
from store.withdrawals import View
from workers.services import Services

FORFEIT, DROP = WithdrawalRule.FORFEIT, WithdrawalRule.DROP
TWO_BLOCKS = {"game": "hana_awase", "options": {"rounds": 1}, "deals": 13}
ONE_BLOCK = {"game": "hana_awase", "options": {"rounds": 1}, "deals": 1}
LEAVES = 1  # the entrant that leaves


@pytest.fixture
def made(database: Database) -> Services:
    return arena.install(database)


def organiser(database: Database) -> Account:
    with database.transaction() as tx:
        return accounts.get(tx, arena.organiser_id(database))


def withdraw(
    database: Database, tournament: Tournament, number: int, rule: WithdrawalRule, by: Account | None = None
) -> View:
    who = by or organiser(database)
    with database.transaction() as tx:
        return withdrawals.withdraw(tx, tournament.id, number, rule, who, NOW)


def started(made: Services, *events: Mapping[str, Any], entrants: int = 4, **plan: Any) -> Tournament:
    names = arena.crowd(made.database, entrants - len(arena.HOUSE))
    return arena.started(made.database, *events, entrants=(*arena.HOUSE, *names), **plan)


def finished(made: Services, tournament: Tournament) -> Tournament:
    arena.play_all(made)
    found = arena.again(made.database, tournament)
    assert found.state is TournamentState.FINISHED
    return found


def played(database: Database, event: Event) -> dict[int, tuple[Result, set[int]]]:
    """Return the matches of an event that were played, with who sat at the table."""
    with database.transaction() as tx:
        rows = tx.scalars(select(Result).where(Result.event_id == event.id)).all()
        slots = seating.slots(tx, event, [row.number for row in rows])
    return {row.number: (row, set(seating.table_of(event, slots[row.number]))) for row in rows}


def counted(database: Database, event: Event, without: set[int]) -> dict[int, Totals]:
    """Add up by hand the matches at tables without some entrants."""
    tally = Tally(seating.sides_of(event))
    schedule = seating.schedule_of(event)
    with database.transaction() as tx:
        faults = [(row.number, row.seat) for row in tx.scalars(select(FaultRow))]
    for number, (row, table) in sorted(played(database, event).items()):
        if without.isdisjoint(table):
            tally.add(
                seating.seats_of(event, schedule.slot(number)),
                scores=row.scores,
                places=row.places,
                forfeits=row.forfeits,
                fault_seats=[seat for other, seat in faults if other == number],
            )
    return tally.totals()


def stored(database: Database, event: Event) -> dict[int, Totals]:
    with database.transaction() as tx:
        return sums.totals(tx, event, sums.ranked(tx, event))


def rows_of(database: Database, event: Event) -> dict[int, Row]:
    with database.transaction() as tx:
        return {row.entrant: row for row in standings.of_event(tx, event.id)}


def verified(made: Services, tournament: Tournament) -> verify.Summary:
    body = b"".join(records.stream(made.database, tournament.id))
    return verify.check(body.splitlines(keepends=True))


def test_an_entrant_leaves_a_draft_at_once(made: Services) -> None:
    draft = arena.draft(made.database)
    view = withdraw(made.database, draft, LEAVES, DROP)
    assert (view.name, view.rule, view.from_blocks) == ("house/greedy", None, {})
    found = arena.again(made.database, draft)
    assert [(one.number, one.name) for one in found.entrants] == [(0, "house/random"), (1, "house/first")]


def test_owners_take_their_own_bots_out_of_drafts_alone(made: Services) -> None:
    ann, bea = owner(made.database, "ann"), owner(made.database, "bea")
    qualified_bot(made.database, ann)
    draft = arena.draft(made.database, entrants=("house/first", "ann/b"))
    with pytest.raises(Forbidden):
        withdraw(made.database, draft, 1, FORFEIT, bea)
    assert withdraw(made.database, draft, 1, FORFEIT, ann).name == "ann/b"
    running = arena.started(made.database, entrants=(*arena.HOUSE, "ann/b"))
    with pytest.raises(Forbidden):
        withdraw(made.database, running, 3, FORFEIT, ann)


def test_who_forfeits_keeps_what_was_played_and_loses_the_rest(made: Services) -> None:
    running = started(made, TWO_BLOCKS)
    arena.play_all(made, most=1)
    view = withdraw(made.database, running, LEAVES, FORFEIT)
    assert (view.rule, view.from_blocks) == (FORFEIT, {})  # the block that is being played ends first
    tournament = finished(made, running)
    event = tournament.events[0]
    second_block = seating.schedule_of(event).block_range(1)
    for number, (row, table) in played(made.database, event).items():
        assert bool(row.forfeits) is (number in second_block and LEAVES in table)
    standing = rows_of(made.database, event)[LEAVES]
    assert (standing.matches, standing.forfeits) == (3 * 3 * 13, 3 * 3)
    with made.database.transaction() as tx:
        (found,) = withdrawals.of_tournament(tx, running.id)
    assert found.from_blocks == {0: 1}
    assert verified(made, tournament).matches == event.matches


def test_who_is_dropped_counts_for_nobody_and_plays_no_more(made: Services) -> None:
    running = started(made, TWO_BLOCKS)
    arena.play_all(made, most=1)
    withdraw(made.database, running, LEAVES, DROP)
    tournament = finished(made, running)
    event = tournament.events[0]
    second_block = seating.schedule_of(event).block_range(1)
    with_it = [n for n, (_, table) in played(made.database, event).items() if LEAVES in table]
    assert with_it
    assert not set(with_it) & set(second_block)
    assert (event.dropped, event.played) == (3 * 3, event.matches - 3 * 3)
    assert stored(made.database, event) == counted(made.database, event, {LEAVES})
    rows = rows_of(made.database, event)
    assert set(rows) == {0, 2, 3}
    assert {row.matches for row in rows.values()} == {3 * 13}
    summary = verified(made, tournament)
    assert (summary.matches, summary.set_aside) == (event.played, 0)


def test_several_leave_by_both_rules(made: Services) -> None:
    running = started(made, TWO_BLOCKS, ONE_BLOCK, entrants=6)
    arena.play_all(made, most=2)
    withdraw(made.database, running, 1, DROP)
    withdraw(made.database, running, 2, DROP)
    withdraw(made.database, running, 3, FORFEIT)
    tournament = finished(made, running)
    for event in tournament.events:
        assert stored(made.database, event) == counted(made.database, event, {1, 2})
        assert set(rows_of(made.database, event)) == {0, 3, 4, 5}
        assert event.played + event.dropped == event.matches
    assert verified(made, tournament).entrants == 6


def test_a_drop_reaches_events_that_are_over(made: Services) -> None:
    running = started(made, ONE_BLOCK, TWO_BLOCKS)
    while arena.again(made.database, running).events[0].state is not EventState.FINISHED:
        assert arena.play_all(made, most=1) == 1
    over = arena.again(made.database, running).events[0]
    view = withdraw(made.database, running, LEAVES, DROP)
    assert view.from_blocks == {0: 1}
    assert LEAVES not in rows_of(made.database, over)
    tournament = finished(made, running)
    with made.database.transaction() as tx:
        assert [row.entrant for row in standings.overall(tx, tournament.id) if row.entrant == LEAVES] == []
    verified(made, tournament)


def test_a_record_that_hides_a_drop_does_not_verify(made: Services) -> None:
    running = started(made, TWO_BLOCKS)
    withdraw(made.database, running, LEAVES, DROP)
    tournament = finished(made, running)
    lines = list(b"".join(records.stream(made.database, tournament.id)).splitlines(keepends=True))
    lines[0] = lines[0].replace(b'"dropped":[1]', b'"dropped":[]')
    with pytest.raises(WrongLine):
        verify.check(lines)


def test_nobody_leaves_twice_or_what_is_over(made: Services) -> None:
    running = started(made, ONE_BLOCK)
    withdraw(made.database, running, LEAVES, FORFEIT)
    with pytest.raises(Conflict, match="has left the tournament already"):
        withdraw(made.database, running, LEAVES, DROP)
    tournament = finished(made, running)
    with pytest.raises(Conflict, match="finished"):
        withdraw(made.database, tournament, 0, FORFEIT)


def test_only_who_has_entered_leaves_and_a_table_stays(made: Services) -> None:
    running = arena.started(made.database, ONE_BLOCK, entrants=("house/first", "house/random"))
    for number in (2, 9):  # a filler, and nobody
        with pytest.raises(BadRequest):
            withdraw(made.database, running, number, FORFEIT)
    with pytest.raises(Conflict, match="would have no table left"):
        withdraw(made.database, running, 0, DROP)


def test_the_same_entrants_leave_whoever_plays_first(made: Services) -> None:
    tables = []
    for backwards in (False, True):
        tournament = arena.started(made.database, TWO_BLOCKS, entrants=arena.HOUSE, secret_seed=arena.SECRET)
        withdraw(made.database, tournament, 0, FORFEIT)
        arena.play_all(made, backwards=backwards)
        with made.database.transaction() as tx:
            assert blocks.running(tx) == []
            tables.append([(row.entrant, row.points) for row in standings.overall(tx, tournament.id)])
        assert tournaments.is_over(arena.again(made.database, tournament))
    assert tables[0] == tables[1]
