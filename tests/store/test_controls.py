"""What organisers do to tournaments: pause, resume, change, clone; and entries while they are open."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from support import arena
from support.arena import NOW
from support.owners import owner, qualified_bot

from store import access, accounts, batches, blocks, controls, entries, tournaments
from store.controls import Change
from store.database import Database
from store.errors import Conflict
from store.models.accounts import Account
from store.models.tournaments import Tournament, TournamentState
from workers.services import Services


@pytest.fixture(autouse=True)
def services(database: Database) -> Services:
    return arena.install(database)


def organiser(database: Database) -> Account:
    with database.transaction() as tx:
        return accounts.get(tx, arena.organiser_id(database))


def open_batches(database: Database) -> list[int]:
    with database.transaction() as tx:
        return batches.lost(tx, NOW, -1, lease_seconds=30)


def pause(database: Database, tournament: Tournament) -> None:
    with database.transaction() as tx:
        controls.pause(tx, tournament.id, NOW)


def resume(database: Database, tournament: Tournament) -> None:
    with database.transaction() as tx:
        controls.resume(tx, tournament.id, NOW)
        for event in tournament.events:
            blocks.advance(tx, event.id, NOW)


def enter(database: Database, tournament: Tournament, by: Account, *bots: str, later: int = 0) -> list[str]:
    with database.transaction() as tx:
        now = NOW + timedelta(seconds=later)
        entered = tournaments.enter(tx, tournament.id, list(bots), by, now)
    return [entrant.name for entrant in entered.entrants]


def test_a_paused_tournament_gives_out_no_batch(database: Database, services: Services) -> None:
    running = arena.started(database)
    batch_id = open_batches(database)[0]
    pause(database, running)
    assert open_batches(database) == []
    with database.transaction() as tx:
        assert batches.claim(tx, batch_id, owner="w", now=NOW, lease_seconds=30) is None
        assert blocks.running(tx) == []
        assert blocks.advance(tx, running.events[0].id, NOW) == []
    assert arena.play_all(services) == 0


def test_a_batch_that_is_being_played_comes_to_its_end(database: Database) -> None:
    running = arena.started(database)
    batch_id = open_batches(database)[0]
    with database.transaction() as tx:
        claim = batches.claim(tx, batch_id, owner="w", now=NOW, lease_seconds=30)
    assert claim is not None
    pause(database, running)
    with database.transaction() as tx:
        assert batches.renew(tx, claim, now=NOW, lease_seconds=30)
        assert batches.close(tx, claim, NOW)


def test_a_batch_of_a_cancelled_tournament_counts_no_more(database: Database) -> None:
    running = arena.started(database)
    batch_id = open_batches(database)[0]
    with database.transaction() as tx:
        claim = batches.claim(tx, batch_id, owner="w", now=NOW, lease_seconds=30)
        assert claim is not None
        tournaments.cancel(tx, running.id, NOW)
    with database.transaction() as tx:
        assert not batches.renew(tx, claim, now=NOW, lease_seconds=30)
        assert not batches.close(tx, claim, NOW)


def test_a_tournament_goes_on_after_a_pause_to_the_same_end(database: Database, services: Services) -> None:
    whole, paused = arena.started(database), arena.started(database)
    arena.play_all(services, most=1)
    pause(database, paused)
    arena.play_all(services)
    assert arena.again(database, whole).state is TournamentState.FINISHED
    assert arena.again(database, paused).state is TournamentState.PAUSED
    resume(database, paused)
    arena.play_all(services)
    assert arena.again(database, paused).state is TournamentState.FINISHED


@pytest.mark.parametrize("move", [controls.pause, controls.resume])
def test_only_what_runs_pauses_and_only_what_is_paused_resumes(database: Database, move: Any) -> None:
    draft = arena.draft(database)
    with database.transaction() as tx, pytest.raises(Conflict, match="the tournament is draft"):
        move(tx, draft.id, NOW)
    running = arena.started(database)
    with database.transaction() as tx:
        if move is controls.pause:
            controls.pause(tx, running.id, NOW)
        with pytest.raises(Conflict):
            move(tx, running.id, NOW)


def test_a_paused_tournament_can_be_cancelled(database: Database) -> None:
    running = arena.started(database)
    pause(database, running)
    with database.transaction() as tx:
        assert tournaments.cancel(tx, running.id, NOW).state is TournamentState.CANCELLED
    with pytest.raises(Conflict):
        resume(database, running)


def test_participants_enter_until_the_deadline(database: Database) -> None:
    ann = owner(database, "ann")
    qualified_bot(database, ann)
    draft = arena.draft(database, entrants=(), entries_close_at=NOW + timedelta(seconds=10))
    with pytest.raises(Conflict, match="entries closed at 2026-11-30 12:00:10 UTC"):
        enter(database, draft, ann, "ann/b", later=10)
    assert enter(database, draft, ann, "ann/b", later=9) == ["ann/b"]
    assert enter(database, draft, organiser(database), "house/first", later=99) == ["ann/b", "house/first"]


def test_an_owner_enters_so_many_bots_and_an_organiser_more(database: Database) -> None:
    ann = owner(database, "ann")
    for name in "abc":
        qualified_bot(database, ann, name)
    draft = arena.draft(database, entrants=(), entries_per_owner=2)
    with pytest.raises(Conflict, match="3 bots of one owner; allowed in this tournament: 2"):
        enter(database, draft, ann, "ann/a", "ann/b", "ann/c")
    assert len(enter(database, draft, ann, "ann/a", "ann/b")) == 2
    with pytest.raises(Conflict):
        enter(database, draft, ann, "ann/c")
    assert len(enter(database, draft, organiser(database), "ann/c")) == 3


def test_a_draft_is_changed_and_nothing_else(database: Database) -> None:
    wanted = Change(name="new", entries_close_at=NOW, entries_per_owner=3, weight=5)
    draft, running = arena.draft(database), arena.started(database)
    with database.transaction() as tx:
        controls.change(tx, tournaments.locked(tx, draft.id), wanted)
        with pytest.raises(Conflict, match="only a draft can be changed"):
            controls.change(tx, tournaments.locked(tx, running.id), wanted)
    found = arena.again(database, draft)
    assert (found.name, found.entries_close_at, found.entries_per_owner) == ("new", NOW, 3)
    assert found.weight == 5


def test_the_weight_of_a_tournament_changes_until_it_is_over(database: Database, services: Services) -> None:
    running = arena.started(database)
    wanted = Change(name=running.name, entries_close_at=None, entries_per_owner=1, weight=7)
    with database.transaction() as tx:
        assert controls.change(tx, tournaments.locked(tx, running.id), wanted).weight == 7
    arena.play_all(services)
    with database.transaction() as tx, pytest.raises(Conflict, match="is finished"):
        controls.change(tx, tournaments.locked(tx, running.id), replace(wanted, weight=8))


def test_a_clone_has_the_same_rules_and_another_secret(database: Database, services: Services) -> None:
    origin = arena.started(
        database, limits={"max_faults": 5}, endpoint_teams=False, owners_apart=True, weight=4
    )
    arena.play_all(services)
    with database.transaction() as tx:
        made = controls.clone(
            tx, origin.id, name=None, with_entrants=True, organiser_id=origin.organiser_id, now=NOW
        )
    rules = (
        "name",
        "limits",
        "endpoint_teams",
        "endpoint_duplicates",
        "owners_apart",
        "entries_per_owner",
        "weight",
    )
    assert [getattr(made, rule) for rule in rules] == [getattr(origin, rule) for rule in rules]
    settled = ("game", "seats", "options", "schedule", "sides", "deals", "block_deals")
    for event, copy in zip(origin.events, made.events, strict=True):
        assert [getattr(copy, one) for one in settled] == [getattr(event, one) for one in settled]
    assert [entrant.name for entrant in made.entrants] == [entrant.name for entrant in origin.entrants]
    assert (made.state, made.events[0].matches) == (TournamentState.DRAFT, 0)
    assert made.secret != origin.secret


def test_a_clone_leaves_out_who_cannot_play_any_more(database: Database) -> None:
    ann = owner(database, "ann")
    ids = [qualified_bot(database, ann, name).bot_id for name in "abc"]
    origin = arena.draft(database, entrants=("ann/a", "ann/b", "ann/c", "house/first"))
    with database.transaction() as tx:
        access.delete(tx, access.locked(tx, ids[0], ann), NOW)
        access.change(tx, access.locked(tx, ids[1], ann), visibility=None, is_off=True)
        made = controls.clone(
            tx, origin.id, name="again", with_entrants=True, organiser_id=origin.organiser_id, now=NOW
        )
        bare = controls.clone(
            tx, origin.id, name="bare", with_entrants=False, organiser_id=origin.organiser_id, now=NOW
        )
    assert (made.name, [entrant.name for entrant in made.entrants]) == ("again", ["ann/c", "house/first"])
    assert bare.entrants == []


def test_an_entrant_that_leaves_a_draft_can_come_back(database: Database) -> None:
    draft = arena.draft(database)
    with database.transaction() as tx:
        entries.remove(tx, draft.id, 1)
    assert enter(database, draft, organiser(database), "house/greedy") == [
        "house/random",
        "house/first",
        "house/greedy",
    ]
