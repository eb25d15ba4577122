"""Ratings, intervals and early ends as stored: worked out at the ends of blocks, the same in any order."""

import json
from dataclasses import asdict
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, select, update
from support import arena

from engine import estimates as exact
from engine import verify
from engine.intervals import UnitSum, UnitSums, unit_of
from engine.ledger import WrongLine
from engine.match import points
from engine.ratings import EventSums
from store import controls, editions, estimates, records, seating, standings, sums, tournaments
from store.database import Database
from store.errors import BadRequest
from store.models.matches import Result
from store.models.tournaments import Event, EventEstimate, EventState, Tournament, UnitTotals
from store.plans import Plan
from workers.services import Services

PAIRS = {"game": "sutda", "seats": 2, "options": {"rounds": 6}, "deals": 60}
RULE = {"separation": 0.95, "top": 1}


@pytest.fixture
def made(database: Database) -> Services:
    return arena.install(database)


def record(database: Database, tournament: Tournament) -> list[bytes]:
    return b"".join(records.stream(database, tournament.id)).splitlines(keepends=True)


def without_ids(lines: list[bytes]) -> list[dict[str, Any]]:
    """Return the lines of a record without what is drawn anew for each tournament."""
    return [
        {name: value for name, value in json.loads(line).items() if name not in ("prev", "tournament")}
        for line in lines
    ]


def recounted(database: Database, event_id: UUID) -> UnitSums:
    """Return what the stored matches of an event add up to, one by one."""
    rows = []
    with database.transaction() as tx:
        event = tx.get_one(Event, event_id)
        schedule, sides = seating.schedule_of(event), seating.sides_of(event)
        for result in tx.scalars(select(Result).where(Result.event_id == event_id)):
            slot = schedule.slot(result.number)
            half_wins = points(result.places, sides, result.forfeits)
            rows += [
                UnitSum(unit=unit_of(slot.deal), entrant=entrant, matches=1, points=half_wins[seat])
                for entrant, seat in {e: s for s, e in enumerate(seating.seats_of(event, slot))}.items()
            ]
    return UnitSums.of(rows, event.sides)


@pytest.mark.parametrize("is_backwards", [False, True])
def test_units_are_counted_as_the_matches_say(made: Services, is_backwards: bool) -> None:
    events = ({**PAIRS, "deals": 70}, {"game": "hachinin_meri", "options": {"rounds": 1}, "deals": 2})
    tournament = arena.started(made.database, *events)
    arena.play_all(made, backwards=is_backwards)
    for event in arena.again(made.database, tournament).events:
        expected = recounted(made.database, event.id)
        with made.database.transaction() as tx:
            found = sums.units(tx, event, event.field)
            counted = tx.scalar(select(func.sum(UnitTotals.matches)).where(UnitTotals.event_id == event.id))
        assert found.entrants == expected.entrants
        assert (found.matches == expected.matches).all()
        assert (found.points == expected.points).all()
        assert counted == event.matches * event.sides


def test_rows_carry_the_estimates_of_what_was_played(made: Services) -> None:
    events = ({**PAIRS, "deals": 24}, {"game": "hachinin_meri", "options": {"rounds": 1}, "deals": 3})
    tournament = arena.started(made.database, *events)
    arena.play_all(made)
    units = [recounted(made.database, event.id) for event in tournament.events]
    of_all = []
    with made.database.transaction() as tx:
        for event in tournament.events:
            duels = sums.duels(tx, event, event.field)
            of_all.append(EventSums(duels=duels, units=units[event.index]))
            expected = exact.of_event(of_all[-1], range(3))
            rows = standings.of_event(tx, event.id)
            assert len(rows) == 3
            for row in rows:
                assert asdict(expected[row.entrant]).items() <= asdict(row).items()
        overall = standings.overall(tx, tournament.id)
        frozen = editions.get(tx, tournament.id, 1)
    assert {row.entrant: row.rating for row in overall} == {
        entrant: one.rating for entrant, one in exact.overall(of_all, range(3)).items()
    }
    assert all(row.rating_low is not None and row.points_low is not None for row in overall)
    assert [row["rating"] for row in frozen.standings[-1]["rows"]] == [row.rating for row in overall]


def test_estimates_stand_still_until_a_block_ends(made: Services) -> None:
    tournament = arena.started(made.database, {**PAIRS, "deals": 24})
    seen = []
    while arena.play_all(made, most=1):
        with made.database.transaction() as tx:
            rows = tx.scalars(select(EventEstimate).order_by(EventEstimate.entrant))
            now = [(row.entrant, row.rating, row.rating_low, row.points_high) for row in rows]
        if not seen or seen[-1] != now:
            seen.append(now)
    assert [len(now) for now in seen] == [0, 3, 3]
    assert arena.again(made.database, tournament).events[0].state is EventState.FINISHED


def test_a_filler_is_in_the_fit_and_not_in_the_standings(made: Services) -> None:
    event = {"game": "seiten", "seats": 4, "deals": 2}
    tournament = arena.started(made.database, event)
    arena.play_all(made)
    with made.database.transaction() as tx:
        rows = standings.of_event(tx, tournament.events[0].id)
        everyone = sums.units(tx, tournament.events[0], tournament.events[0].field).entrants
    assert len(everyone) == 4
    assert sorted(row.entrant for row in rows) == [0, 1, 2]
    assert all(row.rating is not None for row in rows)


def stopped(made: Services, *, is_backwards: bool = False, **plan: Any) -> Tournament:
    given = {"entrants": ("house/random", "house/greedy"), "stop": RULE, **plan}
    tournament = arena.started(made.database, PAIRS, **given)
    arena.play_all(made, backwards=is_backwards)
    return arena.again(made.database, tournament)


def test_an_event_ends_at_the_block_that_separates_its_places(made: Services) -> None:
    tournament = stopped(made)
    (event,) = tournament.events
    assert event.stopped_after_block is not None
    assert event.stopped_after_block < 4
    assert event.matches == event.played == 24 * (event.stopped_after_block + 1)
    assert event.state is EventState.FINISHED
    assert verify.check(record(made.database, tournament)).matches == event.matches
    header = json.loads(record(made.database, tournament)[0])
    assert header["stop"] == RULE
    assert header["events"][0]["stopped_after_block"] == event.stopped_after_block
    assert header["events"][0]["matches"] == event.matches


def test_equals_play_all_deals(made: Services) -> None:
    tournament = stopped(made, entrants=arena.crowd(made.database, 2))
    (event,) = tournament.events
    assert (event.stopped_after_block, event.played, event.matches) == (None, 120, 120)
    assert verify.check(record(made.database, tournament)).matches == 120


def test_fillers_stop_nothing(made: Services) -> None:
    (event,) = stopped(made, entrants=("house/greedy",)).events
    assert (event.stopped_after_block, event.played) == (None, 120)


def test_the_order_of_the_batches_changes_nothing(made: Services) -> None:
    forwards, backwards = stopped(made), stopped(made, is_backwards=True)
    assert forwards.events[0].stopped_after_block is not None
    one, other = (without_ids(record(made.database, tournament)) for tournament in (forwards, backwards))
    assert one == other


@pytest.mark.parametrize(
    ("separation", "says"),
    [
        (0.9999, r"stops after block \d; by its rule it goes on"),
        (0.5, r"goes on after block 0; its rule stops it there"),
    ],
)
def test_a_record_that_ended_too_early_or_too_late_is_refused(
    made: Services, separation: float, says: str
) -> None:
    tournament = stopped(made)
    with made.database.transaction() as tx:
        tx.get_one(Tournament, tournament.id).stop = {"separation": separation, "top": 1}
    with pytest.raises(WrongLine, match=says):
        verify.check(record(made.database, tournament))


def worked_out(database: Database, tournament: Tournament) -> estimates.Estimates:
    """Return the estimates of a tournament, as if those of no event that is over had been stored."""
    with database.transaction() as tx:
        are_over = (Event.tournament_id == tournament.id, Event.state == EventState.FINISHED)
        tx.change(update(Event).where(*are_over).values(rated_block=-1))
    with database.reading() as tx:
        basis = estimates.basis(tx, tournament.id)
    assert basis is not None
    return estimates.work_out(basis)


def test_estimates_over_all_events_follow_from_the_last_of_them(made: Services) -> None:
    tournament = arena.started(made.database, {**PAIRS, "deals": 6}, {**PAIRS, "deals": 6})
    while arena.again(made.database, tournament).events[0].state is not EventState.FINISHED:
        assert arena.play_all(made, most=1)
    early = worked_out(made.database, tournament)
    arena.play_all(made)
    late = worked_out(made.database, tournament)
    assert [of.is_due for of in early.basis] == [True, False]
    assert [of.is_due for of in late.basis] == [True, True]
    with made.database.transaction() as tx:
        estimates.store(tx, tournament.id, early)
        estimates.store(tx, tournament.id, late)
        assert estimates.of_event(tx, tournament.events[0].id) == early.events[tournament.events[0].id]
        assert estimates.overall(tx, tournament.id) == late.overall != early.overall


def test_a_copy_has_the_same_rule(made: Services) -> None:
    origin = arena.draft(made.database, PAIRS, stop=RULE)
    with made.database.transaction() as tx:
        copy = controls.clone(
            tx,
            origin.id,
            name=None,
            with_entrants=True,
            organiser_id=origin.organiser_id,
            now=arena.NOW,
        )
        assert copy.stop == RULE


def test_a_rule_that_cannot_be_used_is_refused(made: Services) -> None:
    plan = Plan(name="cup", stop={"separation": 2.0, "top": 1})
    with made.database.transaction() as tx, pytest.raises(BadRequest, match="separation") as refused:
        tournaments.dry_run(tx, plan)
    assert refused.value.field == "stop"
