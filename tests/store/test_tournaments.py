"""Tournaments: drafts, their completion, the start, and what is refused."""

from typing import Any

import pytest
from support import arena
from support.arena import HOUSE, NOW, SECRET

from engine import games, seeds
from store import accounts, tournaments
from store.database import Database
from store.errors import BadRequest, Conflict, NotFound
from store.models.accounts import Account
from store.models.tournaments import EventState, TournamentState
from store.plans import EventPlan, Plan


@pytest.fixture(autouse=True)
def _installed(database: Database) -> None:
    arena.install(database)


def organiser(database: Database) -> Account:
    with database.transaction() as tx:
        return accounts.get(tx, arena.organiser_id(database))


def test_a_plan_without_events_holds_all_games(database: Database) -> None:
    owner = arena.organiser_id(database)
    with database.transaction() as tx:
        made = tournaments.create(tx, Plan(name="all"), organiser_id=owner, now=NOW)
    assert [event.game for event in made.events] == [game.id for game in games.all_games()]
    assert all(event.deals >= 12 for event in made.events)
    assert made.commitment == seeds.commitment(made.secret)
    assert len(made.secret) == 32


def test_two_drafts_have_different_secrets(database: Database) -> None:
    owner = arena.organiser_id(database)
    with database.transaction() as tx:
        first, second = (
            tournaments.create(tx, Plan(name="x"), organiser_id=owner, now=NOW) for _ in range(2)
        )
    assert first.secret != second.secret


def test_entrants_are_numbered_in_order_of_entry(database: Database) -> None:
    made = arena.draft(database, entrants=("house/first", "house/random"))
    assert [(e.number, e.name, e.filler) for e in made.entrants] == [
        (0, "house/first", False),
        (1, "house/random", False),
    ]
    by = organiser(database)
    with database.transaction() as tx:
        entered = tournaments.enter(tx, made.id, ["house/greedy"], by, NOW)
    assert [e.number for e in entered.entrants] == [0, 1, 2]


def test_the_start_freezes_the_field_and_fills_tables_up(database: Database) -> None:
    made = arena.draft(
        database,
        {"game": "seiten", "seats": 4, "deals": 6},
        {"game": "hana_awase", "deals": 2},
        entrants=("house/first", "house/random"),
    )
    with database.transaction() as tx:
        running = tournaments.start(tx, made.id, NOW)
    assert running.state is TournamentState.RUNNING
    assert [(e.number, e.name, e.filler) for e in running.entrants[2:]] == [
        (2, "house/greedy", True),
        (3, "house/greedy", True),
    ]
    assert [event.field for event in running.events] == [[0, 1, 2, 3], [0, 1, 2]]
    assert [event.matches for event in running.events] == [4 * 6, 3 * 2]
    assert all(event.state is EventState.RUNNING for event in running.events)
    frozen = tournaments.frozen_entrants(running)
    assert running.entrants_sha256 == seeds.entrants_hash(frozen)
    assert frozen[0] == {
        "number": 0,
        "owner": "house",
        "bot": "first",
        "version": 1,
        "sha256": running.entrants[0].version.sha256,
    }


def test_only_a_draft_can_be_started_or_entered(database: Database) -> None:
    made = arena.started(database)
    with pytest.raises(Conflict, match="running"), database.transaction() as tx:
        tournaments.start(tx, made.id, NOW)
    by = organiser(database)
    with pytest.raises(Conflict, match="running"), database.transaction() as tx:
        tournaments.enter(tx, made.id, ["house/first"], by, NOW)


def test_a_tournament_without_entrants_cannot_be_started(database: Database) -> None:
    made = arena.draft(database, entrants=())
    with pytest.raises(Conflict, match="no entrants"), database.transaction() as tx:
        tournaments.start(tx, made.id, NOW)
    assert arena.again(database, made).state is TournamentState.DRAFT


def test_cancelling_something_finished_is_a_conflict(database: Database) -> None:
    made = arena.started(database)
    with database.transaction() as tx:
        assert tournaments.cancel(tx, made.id, NOW).state is TournamentState.CANCELLED
    with pytest.raises(Conflict, match="cancelled"), database.transaction() as tx:
        tournaments.cancel(tx, made.id, NOW)


def test_an_unknown_tournament_is_not_found(database: Database) -> None:
    with pytest.raises(NotFound), database.transaction() as tx:
        tournaments.get(tx, arena.organiser_id(database))


@pytest.mark.parametrize(
    ("change", "field", "says"),
    [
        ({"entrants": ("house/nobody",)}, "entrants.0", "house/nobody"),
        ({"entrants": ("house/first", "house/first")}, "entrants.1", "entered already"),
        ({"limits": {"decision_ms": "fast"}}, "limits", "decision_ms"),
        ({"secret_seed": b"short"}, "secret_seed", "5 bytes"),
        ({"events": ()}, "events", "empty"),
        ({"events": (EventPlan(game="whist"),)}, "events.0.game", "whist"),
        ({"events": (EventPlan(game="seiten", seats=5),)}, "events.0.seats", "seats is 5"),
        ({"events": (EventPlan(game="seiten", options={"luck": 1}),)}, "events.0.options", "luck"),
        ({"events": (EventPlan(game="seiten", deals=0),)}, "events.0.deals", "deals is 0"),
        ({"events": (EventPlan(game="seiten", deals=True),)}, "events.0.deals", "True"),
        ({"events": (EventPlan(game="seiten", schedule="swiss"),)}, "events.0.schedule", "swiss"),
    ],
)
def test_a_plan_that_cannot_be_played_is_refused_by_field(
    database: Database, change: dict[str, Any], field: str, says: str
) -> None:
    plan = Plan(**{"name": "x", "entrants": HOUSE, "secret_seed": SECRET, **change})
    owner = arena.organiser_id(database)
    for command in (
        lambda tx: tournaments.create(tx, plan, organiser_id=owner, now=NOW),
        lambda tx: tournaments.dry_run(tx, plan),
    ):
        with pytest.raises(BadRequest, match=says) as refused, database.transaction() as tx:
            command(tx)
        assert refused.value.field == field
    with database.transaction() as tx:
        assert tournaments.page(tx, limit=10) == []


def test_a_dry_run_counts_and_stores_nothing(database: Database) -> None:
    plan = Plan(
        name="x",
        entrants=HOUSE,
        events=(EventPlan(game="seiten", seats=4, deals=6), EventPlan(game="hana_awase", deals=2)),
    )
    with database.transaction() as tx:
        counted = tournaments.dry_run(tx, plan)
        assert tournaments.page(tx, limit=10) == []
    assert [row["matches"] for row in counted["events"]] == [24, 6]
    assert [row["fillers"] for row in counted["events"]] == [1, 0]
    assert counted["matches"] == 30


def test_pages_are_newest_first_and_skip_nothing(database: Database) -> None:
    made = [arena.draft(database, name=f"cup {number}").id for number in range(5)]
    with database.transaction() as tx:
        seen: list[Any] = []
        after = None
        while page := tournaments.page(tx, limit=2, after=after):
            seen += [tournament.id for tournament in page]
            after = (page[-1].created_at, page[-1].id)
    assert sorted(seen) == sorted(made)
