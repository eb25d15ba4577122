"""What ladders show of their play: curves, places risen, who leads, who plays now, and duels by game."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from uuid import UUID

import pytest
from support import arena, databases
from support import ladders as build
from support.callers import NOBODY
from support.ladders import SHORT, TWO

from engine.online import Skill
from store import boards, careers, climbs, curves, duels, ladders, members, pairings, rungs, seasons
from store.database import Database
from store.models.ladders import Ladder, Season

ROUNDS = 4  # of the first season; two of the second are in the ratings, a third is being played


@dataclass(frozen=True, slots=True)
class Climb:
    """A database with a ladder in its second season."""

    database: Database
    ladder: Ladder

    @property
    def first(self) -> Season:
        """The season that is over."""
        return ladders.season(self.ladder, 1)

    @property
    def second(self) -> Season:
        """The season that is played."""
        return ladders.season(self.ladder, 2)


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.needs("postgresql"))]
)
def climb(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Climb]:
    """A ladder in two games in turn, played once for all tests of a database: they only read."""
    if request.param == "sqlite":
        database = databases.sqlite(tmp_path_factory.mktemp("climb"))
    else:
        database = databases.postgresql(request.getfixturevalue("postgres_url"))
    services = arena.install(database)
    made = build.made(database, arena.HOUSE, events=(TWO, SHORT))
    build.play_rounds(services, made.id, ROUNDS)
    build.end_season(services, made.id)
    build.play_rounds(services, made.id, 2)
    with database.transaction() as tx:
        seasons.advance(tx, build.last(database, made.id).tournament_id, arena.NOW)
    yield Climb(database, build.again(database, made.id))
    services.close()


def test_a_curve_is_the_history_and_thinned_it_keeps_the_last_point(climb: Climb) -> None:
    with climb.database.reading() as tx:
        bots = [member.bot_id for member in members.of_ladder(tx, climb.ladder.id)]
        whole = curves.of_bots(tx, climb.first, bots, points=100)
        thin = curves.of_bots(tx, climb.first, bots, points=3)
        steps = {bot_id: climbs.history(tx, climb.first, bot_id, limit=100) for bot_id in bots}
    assert set(whole) == set(bots)
    for bot_id in bots:
        told = [(step.round + 1, step.mu, step.sigma) for step in steps[bot_id]]
        assert [(number, skill.mu, skill.sigma) for number, skill in whole[bot_id]] == told
        assert len(thin[bot_id]) <= 3
        assert thin[bot_id][-1] == whole[bot_id][-1]
        assert set(thin[bot_id]) <= set(whole[bot_id])


def test_places_risen_are_told_from_the_ratings_before(climb: Climb) -> None:
    with climb.database.reading() as tx:
        rows = boards.rows(tx, climb.second)
        steps = {row.entrant: climbs.history(tx, climb.second, row.bot_id, limit=9) for row in rows}
        last = {row.entrant: climbs.history(tx, climb.first, row.bot_id, limit=9)[-1] for row in rows}
        climbed = curves.climbed(tx, climb.second, rows, rounds=1)
        still = curves.climbed(tx, climb.second, rows, rounds=0)
    begun = {entrant: Skill(mu=one.mu, sigma=one.sigma).renewed().order for entrant, one in last.items()}
    before = {
        entrant: next((one.mu - 3 * one.sigma for one in reversed(told) if one.round < 1), begun[entrant])
        for entrant, told in steps.items()
    }
    for row in rows:
        place = 1 + sum(order > before[row.entrant] + 1e-9 for order in before.values())
        assert climbed[row.entrant] == place - row.place
    assert set(still.values()) == {0}


def test_leaders_are_the_first_of_the_board(climb: Climb) -> None:
    with climb.database.reading() as tx:
        rows = boards.rows(tx, climb.second)
        found = boards.leaders(tx, [climb.second.tournament_id, UUID(NOBODY)], 2)
    assert list(found) == [climb.second.tournament_id]
    assert [(one.place, one.name, one.mu) for one in found[climb.second.tournament_id]] == [
        (row.place, row.name, row.mu) for row in rows[:2]
    ]


def test_who_plays_now_are_the_tables_that_are_not_in_the_ratings(climb: Climb) -> None:
    assert (climb.second.rounds, climb.second.applied) == (3, 2)
    with climb.database.reading() as tx:
        tables = pairings.current(tx, climb.second)
        skills = {row.name: row.mu for row in boards.rows(tx, climb.second)}
        assert pairings.current(tx, climb.first) == []
    assert [(table.game, table.is_rated) for table in tables] == [("sakura", True)]
    for side in tables[0].sides:
        assert side.mu == skills[side.name]
    assert pairings.next_game(climb.ladder, climb.second) == "hana_awase"
    assert pairings.next_game(climb.ladder, climb.first) is None


def test_duels_of_bots_are_what_they_did_against_each_other_in_each_game(climb: Climb) -> None:
    with climb.database.reading() as tx:
        bots = [member.bot_id for member in members.of_ladder(tx, climb.ladder.id)]
        met = duels.by_game(tx, bots)
        rivals = {(one, rival.bot_id): rival for one in bots for rival in careers.rivals(tx, one, 10)}
        assert duels.by_game(tx, bots[:1]) == {}
    assert list(met) == ["hana_awase", "sakura"]
    for pair, rival in rivals.items():
        of_games = [of_game[pair] for of_game in met.values() if pair in of_game]
        assert sum(matches for matches, _ in of_games) == rival.matches
        assert sum((matches * share for matches, share in of_games), Fraction(0)) == (
            rival.matches * rival.share
        )
    for of_game in met.values():
        for (one, other), (matches, share) in of_game.items():
            assert of_game[other, one] == (matches, 1 - share)


def test_a_bot_stands_on_its_ladders_in_their_last_season(climb: Climb) -> None:
    with climb.database.reading() as tx:
        rows = boards.rows(tx, climb.second)
        found = rungs.of_bots(tx, [row.bot_id for row in rows])
    assert {(one.season.number, one.season.ladder.name) for one in found} == {(2, "rung")}
    assert {(one.bot_id, one.mu, one.matches) for one in found} == {
        (row.bot_id, row.mu, row.matches) for row in rows
    }
