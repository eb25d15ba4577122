"""Seasons of a ladder and who plays in them: newcomers, versions, siblings, benches, closing, freezing."""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import select
from support import arena, owners
from support import ladders as build
from support.arena import NOW
from support.ladders import TWO

from engine.online import SIGMA, Skill
from store import (
    access,
    boards,
    bots,
    climbs,
    controls,
    editions,
    idling,
    ladders,
    members,
    seasons,
    tournaments,
)
from store.database import Database, Transaction
from store.errors import BadRequest, Conflict, Forbidden, NotFound
from store.models.accounts import Account
from store.models.bots import Version
from store.models.ladders import LadderMeeting, LadderState, Member, MemberState, Rung, Season, SeasonPhase
from store.models.tournaments import Entrant, Tournament, TournamentState
from store.plans import EventPlan
from workers import ladder
from workers.services import Services


@pytest.fixture
def made(database: Database) -> Services:
    return arena.install(database)


def join(database: Database, ladder_id: UUID, *names: str, by: Account | None = None, after: int = 0) -> None:
    who = by or build.organiser(database)
    with database.transaction() as tx:
        members.join(tx, ladders.locked(tx, ladder_id), names, who, NOW + timedelta(seconds=after))


def states(database: Database, ladder_id: UUID) -> dict[str, MemberState]:
    with database.transaction() as tx:
        listed = members.of_ladder(tx, ladder_id)
        return {f"{member.bot.owner.name}/{member.bot.name}": member.state for member in listed}


def rungs(tx: Transaction, name: str) -> list[Rung]:
    query = (
        select(Rung)
        .join(Entrant, (Entrant.tournament_id == Rung.tournament_id) & (Entrant.number == Rung.entrant))
        .where(Entrant.name == name)
    )
    return list(tx.scalars(query.order_by(Rung.entrant)))


def on_board(database: Database, ladder_id: UUID) -> set[str]:
    with database.transaction() as tx:
        return {row.name for row in boards.rows(tx, ladders.season(ladders.get(tx, ladder_id)))}


def test_a_new_member_plays_in_the_next_round(made: Services) -> None:
    one = build.made(made.database, [*arena.HOUSE, *arena.crowd(made.database, 5)], events=(TWO,))
    build.play_rounds(made, one.id, 3)
    ann = owners.owner(made.database, "ann")
    owners.qualified_bot(made.database, ann)
    join(made.database, one.id, "ann/b", by=ann, after=60)
    with pytest.MonkeyPatch.context() as patched:
        build.play_as_house(patched)
        build.play_rounds(made, one.id, 5)
    with made.database.transaction() as tx:
        (rung,) = rungs(tx, "ann/b")
        assert rung.matches == 2
        assert rung.sigma < SIGMA


def test_another_version_is_uncertain_again_and_the_old_one_keeps_its_matches(
    made: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = owners.owner(made.database, "ann")
    version = owners.qualified_bot(made.database, ann)
    one = build.made(made.database, [*arena.HOUSE, "ann/b"], events=(TWO,))
    build.play_as_house(monkeypatch)
    build.play_rounds(made, one.id, 4)
    owners.qualified_bot(made.database, ann, code=owners.CODE + b"# better\n")
    build.play_rounds(made, one.id, 5)
    with made.database.transaction() as tx:
        before = rungs(tx, "ann/b")[0]
        old = (before.mu, before.sigma, before.matches)
    build.play_rounds(made, one.id, 8)
    with made.database.transaction() as tx:
        first, second = rungs(tx, "ann/b")
        assert (first.mu, first.sigma, first.matches) == old
        assert (first.is_current, second.is_current) == (False, True)
        assert first.sigma < second.sigma < SIGMA
        steps = climbs.history(tx, ladders.season(ladders.get(tx, one.id)), version.bot_id, limit=100)
        assert [step.version for step in steps] == sorted(step.version for step in steps)
        assert {step.version for step in steps} == {1, 2}
        assert [step.round for step in steps] == sorted({step.round for step in steps})
        assert (steps[-1].mu, steps[-1].sigma) == (second.mu, second.sigma)
    assert len(on_board(made.database, one.id)) == 4


def test_bots_of_one_owner_never_meet_while_there_are_others(
    made: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = owners.owner(made.database, "ann")
    for name in "abc":
        owners.qualified_bot(made.database, ann, name)
    build.play_as_house(monkeypatch)
    one = build.made(
        made.database, ["ann/a", "ann/b", "ann/c", "house/first"], events=(build.SHORT,), entries_per_owner=3
    )
    build.play_rounds(made, one.id, 6)
    with made.database.transaction() as tx:
        for match in climbs.page(tx, ladders.season(ladders.get(tx, one.id)), limit=100):
            assert match.is_rated
            assert sum(name.startswith("ann/") for name in match.names) == 1
            assert "house/greedy" in match.names  # it fills the third seat up
        assert all(rungs(tx, f"ann/{name}")[0].matches for name in "abc")
    assert "house/greedy" not in on_board(made.database, one.id)


def test_matches_among_bots_of_one_owner_are_played_and_not_rated(
    made: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = owners.owner(made.database, "ann")
    for name in "ab":
        owners.qualified_bot(made.database, ann, name)
    build.play_as_house(monkeypatch)
    one = build.made(made.database, ["ann/a", "ann/b"], events=(TWO,), entries_per_owner=2)
    build.play_rounds(made, one.id, 2)
    with made.database.transaction() as tx:
        season = ladders.season(ladders.get(tx, one.id))
        played = climbs.page(tx, season, limit=100)
        assert len(played) == 4
        assert not any(match.is_rated for match in played)
        assert all(move.before == move.after == Skill() for match in played for move in match.moves)
        assert boards.batch_ratings(tx, season.tournament_id) == {}


def test_a_version_that_forfeits_is_benched_until_there_is_another(
    made: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = owners.owner(made.database, "ann")
    version = owners.qualified_bot(made.database, ann)
    build.play_as_house(monkeypatch, {version.id})
    one = build.made(made.database, ["house/greedy", "house/first", "ann/b"], events=(TWO,), deals=2)
    build.play_rounds(made, one.id, 5)
    assert states(made.database, one.id)["ann/b"] is MemberState.BENCHED
    assert on_board(made.database, one.id) == {"house/greedy", "house/first"}
    with made.database.transaction() as tx:
        benched = rungs(tx, "ann/b")[0].matches
        assert benched < 5 * 4
    owners.qualified_bot(made.database, ann, code=owners.CODE + b"# better\n")
    build.play_rounds(made, one.id, 8)
    assert states(made.database, one.id)["ann/b"] is MemberState.ACTIVE
    with made.database.transaction() as tx:
        first, second = rungs(tx, "ann/b")
        assert first.matches == benched
        assert second.matches
        first_mu = first.mu
    assert first_mu < Skill().mu


def test_bots_that_are_switched_off_deleted_or_taken_off_play_no_more(made: Services) -> None:
    names = [*arena.HOUSE, *arena.crowd(made.database, 3)]
    one = build.made(made.database, names, events=(TWO,))
    build.play_rounds(made, one.id, 1)
    with made.database.transaction() as tx:
        off, gone, left = (bots.by_reference(tx, name) for name in names[3:])
        access.change(tx, off, visibility=None, is_off=True)
        access.delete(tx, gone, NOW)
        members.leave(tx, one.id, left.id, tx.get_one(Account, left.owner_id))
    build.play_rounds(made, one.id, 2)
    build.play_rounds(made, one.id, 3)
    assert on_board(made.database, one.id) == set(arena.HOUSE)
    assert states(made.database, one.id).get(names[3]) is MemberState.OFF
    with made.database.transaction() as tx:
        before = [rungs(tx, name)[0].matches for name in names[3:]]
        access.change(tx, tx.get_one(type(off), off.id), visibility=None, is_off=False)
    build.play_rounds(made, one.id, 6)
    with made.database.transaction() as tx:
        after = [rungs(tx, name)[0].matches for name in names[3:]]
    assert after[0] > before[0]
    assert after[1:] == before[1:]


def test_two_bots_are_enough_for_a_game_of_four(made: Services) -> None:
    four = EventPlan(game="seiten", seats=4)
    one = build.made(made.database, ["house/random", "house/first"], events=(four,))
    build.play_rounds(made, one.id, 1)
    assert on_board(made.database, one.id) == {"house/random", "house/first"}
    with made.database.transaction() as tx:
        assert boards.coverage(tx, ladders.season(ladders.get(tx, one.id))) == 1


def test_a_ladder_over_several_games_plays_them_in_turn(made: Services) -> None:
    events = (TWO, EventPlan(game="sutda", seats=3), build.SHORT)
    one = build.made(made.database, [*arena.HOUSE, *arena.crowd(made.database, 1)], events=events)
    build.play_rounds(made, one.id, 7)
    with made.database.transaction() as tx:
        season = ladders.season(ladders.get(tx, one.id))
        indexes = {match.round: match.event_index for match in climbs.page(tx, season, limit=200)}
    assert indexes == {number: number % 3 for number in range(7)}


def test_a_season_ends_with_equal_games_and_its_standings_never_move(made: Services) -> None:
    names = [*arena.HOUSE, *arena.crowd(made.database, 2)]
    one = build.made(made.database, names, events=(TWO,), season_rounds=3)
    season = build.play_season(made, one.id, 1)
    assert season.rounds == season.applied == 3
    with made.database.transaction() as tx:
        assert season.closing_id is not None
        closing = tournaments.get(tx, season.closing_id)
        edition = editions.latest(tx, closing.id)
        host = tournaments.get(tx, season.tournament_id)
        rows = boards.rows(tx, season)
    assert closing.state is host.state is TournamentState.FINISHED
    assert edition is not None
    assert closing.commitment == season.closing_commitment
    assert closing.events[0].matches == 10 * 2 * 2
    assert [row.place for row in rows] == sorted(row.place for row in rows)
    assert {row.name for row in rows} == set(names)
    assert all(row.rating is not None and row.closing_points is not None for row in rows)
    assert season.sha256 is not None
    build.play_rounds(made, one.id, 2)
    with made.database.transaction() as tx:
        assert boards.rows(tx, ladders.season(ladders.get(tx, one.id), 1)) == rows
        assert [one.id for one in tournaments.page(tx, limit=10)] == [closing.id]


def test_the_next_season_begins_uncertain_where_the_last_one_ended(made: Services) -> None:
    one = build.made(made.database, arena.HOUSE, events=(TWO,), season_rounds=3)
    build.play_season(made, one.id, 1)
    second = build.last(made.database, one.id)
    assert (second.number, second.phase) == (2, SeasonPhase.OPEN)
    ladder.advance(made, second.tournament_id)
    with made.database.transaction() as tx:
        for name in arena.HOUSE:
            old, new = sorted(rungs(tx, name), key=lambda rung: rung.tournament_id == second.tournament_id)
            assert (new.mu, new.sigma, new.matches) == (old.mu, SIGMA, 0)
    assert second.tournament.commitment != build.again(made.database, one.id).seasons[0].tournament.commitment


def test_a_closed_ladder_begins_no_season_and_takes_no_members(made: Services) -> None:
    one = build.made(made.database, arena.HOUSE, events=(TWO,))
    build.play_rounds(made, one.id, 1)
    with made.database.transaction() as tx:
        ladders.close(tx, one.id)
    build.play_season(made, one.id, 1)
    after = build.again(made.database, one.id)
    assert (after.state, len(after.seasons)) == (LadderState.CLOSED, 1)
    with pytest.raises(Conflict, match="closed"):
        join(made.database, one.id, "house/greedy")
    with made.database.transaction() as tx, pytest.raises(Conflict, match="closed"):
        ladders.end_season(tx, one.id)


def test_a_season_without_two_bots_is_frozen_as_it_stands(made: Services) -> None:
    one = build.made(made.database, ["house/greedy"], events=(TWO,))
    season = build.end_season(made, one.id)
    assert (season.phase, season.closing_id, season.rounds) == (SeasonPhase.OVER, None, 0)
    assert [row["name"] for row in season.standings or []] == ["house/greedy"]


def test_a_season_that_is_paused_waits_and_one_that_is_cancelled_is_over(made: Services) -> None:
    one = build.made(made.database, arena.HOUSE, events=(TWO,))
    season = build.last(made.database, one.id)
    with made.database.transaction() as tx:
        controls.pause(tx, season.tournament_id, NOW)
    ladder.advance(made, season.tournament_id)
    assert build.last(made.database, one.id).rounds == 0
    with made.database.transaction() as tx:
        controls.resume(tx, season.tournament_id, NOW)
        tournaments.cancel(tx, season.tournament_id, NOW)
    build.settle(made)
    listed = build.again(made.database, one.id).seasons
    assert [season.phase for season in listed] == [SeasonPhase.OVER, SeasonPhase.OPEN]


def test_rounds_keep_their_distance(made: Services) -> None:
    one = build.made(made.database, arena.HOUSE, events=(TWO,), round_seconds=300)
    season = build.last(made.database, one.id)
    for seconds, expected in ((0, 1), (10, 1), (299, 1), (300, 2), (301, 2), (3600, 3)):
        at_that_time = replace(made, clock=lambda after=seconds: NOW + timedelta(seconds=after))
        ladder.advance(at_that_time, season.tournament_id)
        build.play_open(at_that_time, {season.tournament_id})
        assert build.last(made.database, one.id).rounds == expected


def test_a_ladder_that_stands_still_is_noticed_when_two_bots_could_play(made: Services) -> None:
    one = build.made(made.database, ["house/greedy"], events=(TWO,))
    later = NOW + timedelta(hours=1)
    with made.database.transaction() as tx:
        assert idling.idle(tx, later) == []
    join(made.database, one.id, "house/first", after=3600)
    with made.database.transaction() as tx:
        assert idling.idle(tx, later) == []
        (idle,) = idling.idle(tx, later + timedelta(minutes=2))
        assert (idle.ladder_id, idle.since) == (one.id, NOW)
        assert "no round was paired" in idle.reason
    with made.database.transaction() as tx:
        seasons.advance(tx, one.seasons[0].tournament_id, later)
        assert idling.idle(tx, later + timedelta(seconds=59)) == []
        (idle,) = idling.idle(tx, later + timedelta(minutes=2))
        assert "1 batches" in idle.reason
        tx.get_one(Tournament, one.seasons[0].tournament_id).state = TournamentState.PAUSED
        tx.flush()
        (idle,) = idling.idle(tx, later + timedelta(minutes=2))
        assert idle.reason == "its season is paused"


def test_only_what_may_enter_enters(made: Services) -> None:
    ann, bea = (owners.owner(made.database, name) for name in ("ann", "bea"))
    for name in ("a", "b"):
        owners.qualified_bot(made.database, ann, name)
    one = build.made(made.database, events=(TWO,))
    join(made.database, one.id, "ann/a", by=ann)
    join(made.database, one.id, "ann/a", by=ann)
    with pytest.raises(Conflict, match="2 bots of one owner"):
        join(made.database, one.id, "ann/b", by=ann)
    with made.database.transaction() as tx:
        other = tx.scalars(select(Version).join(Version.bot).where(Version.bot.has(name="b"))).one()
        other.games = ["sutda"]
    with pytest.raises(BadRequest, match="none of the ladder's games"):
        join(made.database, one.id, "ann/b")
    assert set(states(made.database, one.id)) == {"ann/a"}
    with made.database.transaction() as tx:
        bot_id = bots.by_reference(tx, "ann/a").id
        with pytest.raises(Forbidden):
            members.leave(tx, one.id, bot_id, bea)
        members.leave(tx, one.id, bot_id, ann)
        with pytest.raises(NotFound):
            members.leave(tx, one.id, bot_id, ann)
    join(made.database, one.id, "ann/a", by=ann)
    assert states(made.database, one.id) == {"ann/a": MemberState.ACTIVE}


def test_the_published_ratings_are_those_of_all_matches_that_count(made: Services) -> None:
    one = build.made(made.database, [*arena.HOUSE, *arena.crowd(made.database, 1)], events=(TWO,))
    build.play_rounds(made, one.id, 6)
    season = build.last(made.database, one.id)
    ladder.rate(made, season.tournament_id)
    with made.database.transaction() as tx:
        expected = boards.batch_ratings(tx, season.tournament_id)
        sums = [pair for meeting in tx.scalars(select(LadderMeeting)) for pair in meeting.sums or []]
        rows = boards.rows(tx, ladders.season(ladders.get(tx, one.id)))
        assert not seasons.is_outdated(tx.get_one(Season, season.tournament_id))
        assert {member.state for member in tx.scalars(select(Member))} == {MemberState.ACTIVE}
    assert sum(matches for *_, matches, _ in sums) == sum(row.matches for row in rows) / 2
    for row in rows:
        interval = expected[row.entrant].interval
        assert interval is not None
        assert row.rating == pytest.approx(expected[row.entrant].rating)
        assert row.rating_low == pytest.approx(interval.low)
        assert row.rating_high == pytest.approx(interval.high)
