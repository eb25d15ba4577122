"""Batches: windows, leases, attempts, and what happens to work that fails or is lost."""

from datetime import timedelta

import pytest
from sqlalchemy import select
from support import arena
from support.arena import NOW

from store import batches, blocks, seating, shares, tournaments
from store.batches import Claim
from store.database import Database
from store.models.matches import Batch, BatchState
from store.models.tournaments import Event

LEASE = 30
LONG = {"game": "hana_awase", "options": {"rounds": 1}, "deals": 24}


@pytest.fixture(autouse=True)
def _installed(database: Database) -> None:
    arena.install(database)


def claim(database: Database, batch_id: int, owner: str = "w1", after: float = 0) -> Claim | None:
    with database.transaction() as tx:
        now = NOW + timedelta(seconds=after)
        return batches.claim(tx, batch_id, owner=owner, now=now, lease_seconds=LEASE)


def all_batches(database: Database) -> list[Batch]:
    with database.transaction() as tx:
        return list(tx.scalars(select(Batch).order_by(Batch.id)))


def test_a_block_is_covered_by_batches_of_whole_groups(database: Database) -> None:
    made = arena.started(database, LONG)
    covered = [range(batch.first, batch.first + batch.count) for batch in all_batches(database)]
    assert [number for numbers in covered for number in numbers] == list(range(3 * 12))
    assert all(len(numbers) % 12 == 0 for numbers in covered)
    assert made.events[0].next_number == 36


def test_no_more_than_a_window_is_open(database: Database) -> None:
    arena.started(database, {**LONG, "deals": 12}, entrants=(*arena.HOUSE,))
    big = arena.started(database, {"game": "seiten", "seats": 3, "deals": 120})
    with database.transaction() as tx:
        event = tx.get_one(Event, big.events[0].id)
        event.batch_groups = 1
        event.field = list(range(12))
        event.matches = seating.schedule_of(event).matches
        blocks.advance(tx, event.id, NOW)
        assert len(tx.scalars(select(Batch)).all()) == shares.OPEN_AT_LEAST


def test_all_workers_have_work_from_one_event_or_from_all_of_them(database: Database) -> None:
    """Entrants who meet in all tables of three make more batches than there is room for."""
    big = arena.draft(database, *[{"game": "seiten", "seats": 3, "deals": 120}] * 2)
    with database.transaction() as tx:
        tournaments.start(tx, big.id, NOW)
        for event in tx.scalars(select(Event)):
            event.batch_groups, event.block_deals, event.matches = 1, 1, 120 * 10_000
        tx.flush()
        one, other = (event.id for event in big.events)
        assert shares.rooms(tx, big.id, workers=0) == {one: 6, other: 6}
        assert shares.rooms(tx, big.id, workers=1000) == {one: 750, other: 750}
        tx.get_one(Event, one).next_number = 9_990
        tx.flush()
        assert shares.rooms(tx, big.id, workers=1000) == {one: 10, other: 1490}


def test_only_one_worker_gets_a_batch(database: Database) -> None:
    arena.started(database)
    batch_id = all_batches(database)[0].id
    first = claim(database, batch_id)
    assert first is not None
    assert first.attempt == 1
    assert claim(database, batch_id, "w2", after=LEASE - 1) is None


def test_a_lease_that_ran_out_is_taken_over_and_the_old_attempt_can_write_no_more(database: Database) -> None:
    arena.started(database)
    batch_id = all_batches(database)[0].id
    old = claim(database, batch_id)
    new = claim(database, batch_id, "w2", after=LEASE + 1)
    assert old is not None
    assert new is not None
    assert new.attempt == 2
    with database.transaction() as tx:
        assert not batches.renew(tx, old, now=NOW, lease_seconds=LEASE)
        assert not batches.close(tx, old, NOW)
        assert batches.renew(tx, new, now=NOW, lease_seconds=LEASE)
        assert batches.close(tx, new, NOW)
        assert not batches.close(tx, new, NOW)


def test_a_renewed_lease_lasts_from_then_on(database: Database) -> None:
    arena.started(database)
    batch_id = all_batches(database)[0].id
    held = claim(database, batch_id)
    assert held is not None
    with database.transaction() as tx:
        batches.renew(tx, held, now=NOW + timedelta(seconds=20), lease_seconds=LEASE)
    assert claim(database, batch_id, "w2", after=45) is None
    assert claim(database, batch_id, "w2", after=51) is not None


def test_a_batch_of_a_cancelled_tournament_is_not_played(database: Database) -> None:
    made = arena.started(database)
    first, second = all_batches(database)[:2]
    held = claim(database, first.id)
    with database.transaction() as tx:
        tournaments.cancel(tx, made.id, NOW)
    assert held is not None
    assert claim(database, second.id) is None
    with database.transaction() as tx:
        assert not batches.renew(tx, held, now=NOW, lease_seconds=LEASE)


def test_a_batch_that_is_handed_back_is_free_at_once_and_nothing_is_counted(database: Database) -> None:
    arena.started(database)
    held = claim(database, all_batches(database)[0].id)
    assert held is not None
    with database.transaction() as tx:
        assert batches.hand_back(tx, held, NOW)
    assert claim(database, held.batch_id, "w2") is not None
    batch = all_batches(database)[0]
    assert (batch.failures, batch.deaths) == (0, 0)


def fail(database: Database, batch_id: int, times: int) -> None:
    for _ in range(times):
        held = claim(database, batch_id)
        assert held is not None
        with database.transaction() as tx:
            batches.fail(tx, held, "our own error", NOW)


def test_a_batch_that_fails_is_split_until_the_match_is_found_and_set_aside(database: Database) -> None:
    made = arena.started(database)
    before = all_batches(database)[0]
    fail(database, before.id, batches.MOST_FAILURES - 1)
    assert all_batches(database)[0].state is BatchState.OPEN
    fail(database, before.id, 1)
    split, *_ = all_batches(database)
    halves = [b for b in all_batches(database) if b.id > max(3, before.id) and b.first < 2]
    assert split.state is BatchState.SPLIT
    assert [(b.first, b.count) for b in halves] == [(0, 1), (1, 1)]
    fail(database, halves[0].id, batches.MOST_FAILURES)
    aside = next(b for b in all_batches(database) if b.id == halves[0].id)
    assert (aside.state, aside.reason) == (BatchState.SET_ASIDE, "our own error")
    with database.transaction() as tx:
        blocks.advance(tx, made.events[0].id, NOW)
    assert arena.again(database, made).events[0].set_aside == 1


def test_single_deaths_do_not_count_towards_setting_aside_but_repeated_ones_do(database: Database) -> None:
    arena.started(database)
    batch_id = all_batches(database)[0].id
    for death in range(batches.MOST_DEATHS):
        assert claim(database, batch_id, after=death * (LEASE + 1)) is not None
    assert all_batches(database)[0].deaths == batches.MOST_DEATHS - 1
    assert claim(database, batch_id, after=batches.MOST_DEATHS * (LEASE + 1)) is None
    assert all_batches(database)[0].state is BatchState.SPLIT


def test_the_sweep_finds_what_nobody_plays_and_no_message_asks_for(database: Database) -> None:
    arena.started(database)
    ids = [batch.id for batch in all_batches(database)]
    claim(database, ids[0])
    with database.transaction() as tx:
        batches.mark_sent(tx, ids[1:2], NOW)
    later = NOW + timedelta(seconds=3)
    with database.transaction() as tx:
        assert batches.lost(tx, later, 5, lease_seconds=30) == ids[2:]
        assert batches.lost(tx, later, 5, lease_seconds=30) == []
        assert batches.lost(tx, later + timedelta(seconds=4), 5, lease_seconds=30) == ids[1:2]
        assert batches.lost(tx, later + timedelta(seconds=60), 5, lease_seconds=30) == ids


def test_a_lease_of_a_clock_that_was_set_back_is_over(database: Database) -> None:
    arena.started(database)
    batch_id = all_batches(database)[0].id
    assert claim(database, batch_id) is not None
    assert claim(database, batch_id, "w2", after=-LEASE) is None
    with database.transaction() as tx:
        an_hour_before = NOW - timedelta(hours=1)
        assert batch_id in batches.lost(tx, an_hour_before, 5, lease_seconds=LEASE)
    assert claim(database, batch_id, "w2", after=-3600) is not None


def test_with_a_long_queue_only_batches_that_were_begun_are_sent_again(database: Database) -> None:
    arena.started(database)
    ids = [batch.id for batch in all_batches(database)]
    with database.transaction() as tx:
        batches.mark_sent(tx, ids, NOW - timedelta(seconds=10))
    assert claim(database, ids[0]) is not None
    later = NOW + timedelta(seconds=LEASE + 1)
    with database.transaction() as tx:
        assert batches.lost(tx, later, 5, lease_seconds=LEASE, is_queue_long=True) == ids[:1]
        assert batches.lost(tx, later, 5, lease_seconds=LEASE, is_queue_long=True) == []
