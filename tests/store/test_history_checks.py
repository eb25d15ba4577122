"""What was played on ladders and again, against its own rules: what was changed behind its back is named."""

import contextlib
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import delete, null, update
from support import arena, ladders
from support.arena import NOW
from support.databases import SQLITE_FIRST

from store import checks, reruns
from store.database import Database
from store.models.ladders import LadderSeat, Rung, Season
from store.models.reruns import Rerun, RerunState, VoidedResult
from store.models.tournaments import Tournament
from store.selections import Choice
from workers.services import Services

pytestmark = SQLITE_FIRST


class Undone(Exception):
    """What was changed is to be as before."""


def found(database: Database, tournament_id: UUID, damage: Any) -> list[str]:
    """Return what a check says of a tournament once something is changed, and change it back."""
    problems: list[str] = []
    with contextlib.suppress(Undone), database.transaction() as tx:
        tx.change(damage)
        problems += checks.of_tournament(tx, tournament_id)
        raise Undone
    return problems


@pytest.fixture
def made(database: Database) -> Services:
    return arena.install(database)


RATINGS = (
    (update(Rung).where(Rung.entrant == 0).values(mu=Rung.mu + 1), "it went from its last meeting with"),
    (update(Rung).where(Rung.entrant == 1).values(matches=0), "0 matches are counted, but"),
    (update(LadderSeat).values(mu_after=LadderSeat.mu_after + 1), "but its matches say"),
    (update(Season).values(applied=Season.applied - 1), "is not in the ratings, but it is otherwise"),
    (update(LadderSeat).values(mu_before=LadderSeat.mu_before + 1), "but had gone with"),
)


def test_ratings_that_do_not_follow_from_matches_are_found(made: Services) -> None:
    ladder = ladders.made(made.database, arena.HOUSE, events=(ladders.SHORT, ladders.TWO))
    ladders.play_rounds(made, ladder.id, 4)
    assert list(checks.problems(made.database)) == []
    season = ladders.last(made.database, ladder.id).tournament_id
    for damage, named in RATINGS:
        problems = found(made.database, season, damage)
        assert any(named in problem for problem in problems), (named, problems)
    another_computer = update(LadderSeat).values(mu_after=LadderSeat.mu_after + 1e-9)
    assert not any("its matches say" in problem for problem in found(made.database, season, another_computer))


def test_frozen_standings_of_a_season_are_held_to_their_hash(made: Services) -> None:
    ladder = ladders.made(made.database, arena.HOUSE)
    ladders.play_rounds(made, ladder.id, 1)
    season = ladders.end_season(made, ladder.id).tournament_id
    assert list(checks.problems(made.database)) == []
    first = update(Season).where(Season.number == 1)
    expected = "the standings of the season are not those that were frozen"
    assert found(made.database, season, first.values(standings=[])) == [expected]
    expected = "the season is over, but its standings were not frozen"
    assert found(made.database, season, first.values(standings=null())) == [expected]


@pytest.fixture
def rerun(made: Services) -> Tournament:
    """A tournament of which matches were played again."""
    cup = arena.finished(made)
    with made.database.transaction() as tx:
        reruns.apply(tx, cup.id, Choice(event=0, numbers=(0,)), "a power cut", NOW)
    assert list(checks.problems(made.database)) == []
    arena.move_on(made, cup)
    arena.play_all(made)
    assert list(checks.problems(made.database)) == []
    return cup


KEPT = (
    (delete(VoidedResult), "0 results are kept of what was taken out, expected"),
    (update(Rerun).values(state=RerunState.UNDONE), "are kept of what was taken out, expected 0"),
    (update(Rerun).values(state=RerunState.PLAYING), "it is finished, but re-run 1 is still to be played"),
    (update(Rerun).values(number=2), "re-run 1 is missing"),
    (update(VoidedResult).values(faults=3), "0 faults are kept of what was taken out, expected"),
)


def test_what_a_rerun_took_out_is_kept_whole(made: Services, rerun: Tournament) -> None:
    for damage, named in KEPT:
        problems = found(made.database, rerun.id, damage)
        assert any(named in problem for problem in problems), (named, problems)


def test_an_undone_rerun_keeps_nothing(made: Services, rerun: Tournament) -> None:
    with made.database.transaction() as tx:
        reruns.undo(tx, rerun.id, 1, NOW)
    arena.move_on(made, rerun)
    assert list(checks.problems(made.database)) == []
