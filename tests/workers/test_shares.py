"""What is played at the same time shares the workers by weight, whoever came first."""

from pathlib import Path

import pytest
from support import arena, databases, ladders, shifts
from support.arena import NOW
from support.shifts import SECONDS, Shift

from store import blocks, checks, seating, shares, tournaments
from store import ladders as store_ladders
from store.database import Database
from store.models.reruns import Gap
from store.models.tournaments import Tournament, TournamentState
from workers import advance
from workers.services import Services

WORKERS = 4
SHORT = {"game": "hana_awase", "options": {"rounds": 1}, "deals": 1}
ON_THE_WAY = shares.OPEN_AT_LEAST / WORKERS * SECONDS  # until what was open before is played


@pytest.fixture
def services(database: Database) -> Services:
    made = arena.install(database)
    arena.crowd(database, 12)
    return made


def cup(services: Services, events: int, owners: int = 12, weight: int = 1) -> tuple[Tournament, int]:
    """Start a tournament of so many events, and return it with the number of its batches."""
    entrants = tuple(f"owner{number}/greedy" for number in range(owners))
    draft = arena.draft(services.database, *[SHORT] * events, entrants=entrants, weight=weight)
    with services.database.transaction() as tx:
        tournaments.start(tx, draft.id, NOW)
    count = shifts.batches_of_groups(services, draft.id)
    arena.move_on(services, draft)
    return draft, count


def is_over(services: Services, tournament: Tournament) -> bool:
    return arena.again(services.database, tournament).state is TournamentState.FINISHED


def seconds_of(shift: Shift, tournament: Tournament) -> float:
    """Play until a tournament is over; return how long that took."""
    begun = shift.clock.seconds
    shift.work_until(lambda: is_over(shift.services, tournament))
    return shift.clock.seconds - begun


def test_units_are_shared_by_weight_at_least_one_each_and_the_rest_to_those_behind() -> None:
    assert shares.share_out(12, [(1, 99), (1, 99)], least=1) == [6, 6]
    assert shares.share_out(12, [(2, 99), (1, 99)], least=1) == [8, 4]
    assert shares.share_out(12, [(1, 99), (1, 2), (1, 99)], least=1) == [5, 2, 5]
    assert shares.share_out(7, [(1, 99), (1, 99)], least=1) == [4, 3]
    assert shares.share_out(12, [(100, 99), (1, 99)], least=1) == [11, 1]
    assert shares.share_out(2, [(1, 5)] * 4, least=1) == [1, 1, 1, 1]
    assert shares.share_out(2, [(1, 5)] * 4, least=0) == [1, 1, 0, 0]
    assert shares.share_out(12, [(1, 3), (1, 4)], least=1) == [3, 4]


def test_the_rest_of_a_short_last_block_is_shared_out_by_its_own_groups(tmp_path: Path) -> None:
    """It was played before: what is missing waits in a gap, as after a choice of matches to play again."""
    services = arena.install(databases.sqlite(tmp_path))
    event = {**SHORT, "deals": 13}  # a block of 12, and one of a single deal
    draft = arena.draft(services.database, event, entrants=(*arena.HOUSE, *arena.crowd(services.database, 3)))
    with services.database.transaction() as tx:
        tournaments.start(tx, draft.id, NOW)
        [started] = tournaments.get(tx, draft.id).events
        last = seating.schedule_of(started).block_range(1)
        started.block, started.next_number, started.batch_groups = 1, last.stop, 2
        tx.flush()
        assert shares.rooms(tx, draft.id, WORKERS) == {}
        tx.add(Gap(event_id=started.id, first=last.start, count=9, block=1))
        tx.flush()
        assert shares.rooms(tx, draft.id, WORKERS) == {started.id: 5}
    with services.database.transaction() as tx:
        assert len(blocks.advance(tx, started.id, NOW, WORKERS)) == 5


def test_one_that_starts_behind_another_of_six_events_has_half_of_the_workers(tmp_path: Path) -> None:
    services = arena.install(databases.sqlite(tmp_path))
    arena.crowd(services.database, 12)
    shift = Shift(services, WORKERS)
    huge, _ = cup(services, events=6)
    shift.work_until(lambda: shift.done.get(huge.id, 0) == WORKERS)
    small, count = cup(services, events=1, owners=4)
    expected = count * SECONDS / (WORKERS / 2)
    assert expected - SECONDS <= seconds_of(shift, small) <= 1.1 * expected + ON_THE_WAY
    assert shift.done[small.id] == count
    assert not list(checks.problems(services.database))


@pytest.mark.slow
@pytest.mark.parametrize(("events", "others", "weight"), [(6, 1, 1), (1, 6, 2), (6, 6, 3)])
def test_a_tournament_ends_in_the_time_of_its_weight(
    services: Services, events: int, others: int, weight: int
) -> None:
    shift = Shift(services, WORKERS)
    other, _ = cup(services, others, owners=12)
    shift.work_until(lambda: shift.done.get(other.id, 0) == shares.OPEN_AT_LEAST)
    mine, count = cup(services, events, owners=5 if events == 1 else 4, weight=weight)
    expected = count * SECONDS / (WORKERS * weight / (weight + 1))
    assert 0.9 * expected <= seconds_of(shift, mine) <= 1.1 * expected + ON_THE_WAY
    assert shift.done[mine.id] == count
    assert shift.done[other.id] >= 0.9 * count / weight  # it was not stopped meanwhile
    assert not list(checks.problems(services.database))


@pytest.mark.slow
def test_a_ladder_and_a_tournament_share_the_workers(services: Services) -> None:
    """A ladder has a little less than its share, since a round waits for its last match."""
    shift = Shift(services, WORKERS)
    bots = [f"owner{number}/greedy" for number in range(12)]
    ladder = ladders.made(services.database, bots, events=(ladders.TWO,))
    season = ladders.last(services.database, ladder.id).tournament_id
    advance.tournament(services, season)
    shift.work_until(lambda: shift.done.get(season, 0) == 12)
    mine, count = cup(services, events=1, owners=6)
    expected = count * SECONDS / (WORKERS / 2)
    assert 0.7 * expected <= seconds_of(shift, mine) <= 1.1 * expected + ON_THE_WAY
    assert 0.6 * count <= shift.done[season] - 12 <= 1.1 * count + 12
    assert not list(checks.problems(services.database))


@pytest.mark.slow
def test_a_ladder_that_closes_has_its_weight_once(services: Services) -> None:
    """The round robin of a season and the rounds of the next one share what the ladder has."""
    shift = Shift(services, WORKERS)
    bots = [f"owner{number}/greedy" for number in range(12)]
    ladder = ladders.made(services.database, bots, events=(ladders.TWO,), closing_deals=1)
    ladders.play_rounds(services, ladder.id, 1)
    with services.database.transaction() as tx:
        store_ladders.end_season(tx, ladder.id)
    first = ladders.last(services.database, ladder.id)
    advance.tournament(services, first.tournament_id)
    shift.work_until(lambda: shift.done.get(first.tournament_id, 0) == 6)
    second = ladders.last(services.database, ladder.id)
    closing = ladders.again(services.database, ladder.id).seasons[0].closing_id
    assert closing is not None
    shifts.batches_of_groups(services, closing)
    other, _ = cup(services, events=1)
    for host in (closing, second.tournament_id):
        advance.tournament(services, host)
    shift.work_until(lambda: shift.done.get(other.id, 0) == 40)
    assert 15 <= shift.done[closing] <= 25
    assert 15 <= shift.done[second.tournament_id] <= 25
