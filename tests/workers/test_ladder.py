"""Ladders played in this process: rounds, ratings once and in order, versions, benches, seasons."""

import random
from threading import Thread
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select
from support import arena
from support import ladders as build
from support.arena import SECRET
from support.ladders import TWO, Order

from engine import online, seeds
from engine.online import Skill
from store import boards, climbs, ladders, matches, members, seasons
from store.database import Database
from store.errors import Conflict
from store.models.bots import Bot, Version
from store.models.ladders import LadderMeeting, LadderSeat, Rung
from store.models.matches import Batch, BatchState
from store.models.tournaments import Entrant, Event
from workers import batch, ladder


@pytest.fixture
def made(database: Database) -> Any:
    return arena.install(database)


def board(database: Database, ladder_id: UUID) -> list[tuple[str, float, float, int]]:
    with database.transaction() as tx:
        found = boards.rows(tx, ladders.season(ladders.get(tx, ladder_id)))
    return [(row.name, row.mu, row.sigma, row.matches) for row in found]


def shuffled(seed: int) -> Order:
    return random.Random(seed).choice


def test_rounds_are_paired_played_and_rated_one_after_the_other(made: Any) -> None:
    names = [*arena.HOUSE, *arena.crowd(made.database, 2)]
    one = build.made(made.database, names, events=(TWO,))
    build.play_rounds(made, one.id, 4)
    season = build.last(made.database, one.id)
    assert (season.rounds, season.applied) == (5, 4)
    rows = board(made.database, one.id)
    assert {name for name, *_ in rows} == set(names)
    assert all(sigma < Skill().sigma for _, _, sigma, _ in rows)
    with made.database.transaction() as tx:
        listed = list(tx.scalars(select(LadderMeeting).order_by(LadderMeeting.number)))
    assert [meeting.round for meeting in listed] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert [meeting.applied_at is not None for meeting in listed] == [True] * 8 + [False] * 2


@pytest.mark.slow
@pytest.mark.parametrize("order", [max, shuffled(1), shuffled(2), shuffled(3)])
def test_the_order_in_which_results_arrive_changes_nothing(order: Order, made: Any) -> None:
    names = [*arena.HOUSE, *arena.crowd(made.database, 4)]
    settings = (TWO, build.SHORT)
    reference = build.made(made.database, names, events=settings, season_rounds=6)
    other = build.made(made.database, names, events=settings, season_rounds=6)
    frozen = []
    for one, how in ((reference, min), (other, order)):
        frozen.append(build.play_season(made, one.id, 1, how))
    first, second = frozen
    assert first.standings == second.standings
    assert first.sha256 == second.sha256
    assert first.tournament.commitment == second.tournament.commitment


def test_every_match_is_applied_once_and_in_the_order_of_numbers(made: Any) -> None:
    one = build.made(made.database, arena.HOUSE, events=(TWO,), deals=2)
    build.play_rounds(made, one.id, 5, shuffled(3))
    with made.database.transaction() as tx:
        season = ladders.season(ladders.get(tx, one.id))
        played = list(reversed(climbs.page(tx, season, limit=1000)))
        now = {rung.entrant: Skill() for rung in tx.scalars(select(Rung))}
        assert [match.number for match in played] == list(range(5 * 4))
        for match in played:
            moved = online.after_match(now, match.entrants, match.places)
            for move in match.moves:
                assert (move.before, move.after) == (now[move.entrant], moved[move.entrant])
            now = moved
        assert {rung.entrant: Skill(mu=rung.mu, sigma=rung.sigma) for rung in tx.scalars(select(Rung))} == now
        assert sum(rung.matches for rung in tx.scalars(select(Rung))) == 2 * len(played)


def test_advancing_again_or_playing_a_batch_again_changes_nothing(made: Any) -> None:
    one = build.made(made.database, arena.HOUSE)
    build.play_rounds(made, one.id, 2)
    before, season = board(made.database, one.id), build.last(made.database, one.id)
    with made.database.transaction() as tx:
        done = list(tx.scalars(select(Batch.id).where(Batch.state == BatchState.DONE)))
    for batch_id in done:
        batch.play(made, batch_id)
    for _ in range(3):
        ladder.advance(made, season.tournament_id)
        ladder.rate(made, season.tournament_id)
    assert board(made.database, one.id) == before
    after = build.last(made.database, one.id)
    assert (after.rounds, after.applied, after.rated) == (season.rounds, season.applied, season.applied)


def test_a_crash_between_the_results_and_the_ratings_is_made_good(
    made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [*arena.HOUSE, *arena.crowd(made.database, 1)]
    one = build.made(made.database, names, events=(TWO,), season_rounds=3)
    other = build.made(made.database, names, events=(TWO,), season_rounds=3)
    expected = build.play_season(made, one.id, 1)

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    season = build.last(made.database, other.id)
    for number in range(3):
        ladder.advance(made, season.tournament_id)
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(seasons, "advance", crash)
            build.play_open(made, {season.tournament_id})
        assert build.last(made.database, other.id).applied == number
        build.play_open(made, {season.tournament_id})
        ladder.advance(made, season.tournament_id)
    assert build.play_season(made, other.id, 1).standings == expected.standings


def test_a_crash_while_the_ratings_are_written_leaves_none_of_them(
    made: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = build.made(made.database, arena.HOUSE, events=(TWO,))
    build.play_rounds(made, one.id, 1)
    before = board(made.database, one.id)

    def crash(*_: object) -> None:
        raise ZeroDivisionError("a bug of ours")

    with monkeypatch.context() as patched, pytest.raises(ZeroDivisionError):
        patched.setattr(members, "bench", crash)
        build.play_rounds(made, one.id, 2)
    assert board(made.database, one.id) == before
    build.play_rounds(made, one.id, 2)
    assert board(made.database, one.id) != before


def test_a_round_is_paired_and_rated_once_however_many_ask_at_the_same_moment(made: Any) -> None:
    names = [*arena.HOUSE, *arena.crowd(made.database, 3)]
    one = build.made(made.database, names, events=(TWO,), round_seconds=1000)
    season = build.last(made.database, one.id)
    for _ in range(2):
        together = [Thread(target=ladder.advance, args=(made, season.tournament_id)) for _ in range(6)]
        for thread in together:
            thread.start()
        for thread in together:
            thread.join()
        build.play_open(made, {season.tournament_id})
    found = build.last(made.database, one.id)
    assert (found.rounds, found.applied) == (1, 1)
    assert sum(matches for *_, matches in board(made.database, one.id)) == 6 * 2
    with made.database.transaction() as tx:
        assert len(list(tx.scalars(select(Batch)))) == 3
        assert tx.scalars(select(Event)).one().matches == 6


def test_seeds_follow_from_the_secret_and_who_plays(made: Any) -> None:
    one = build.made(made.database, arena.HOUSE, events=(TWO,), deals=2)
    build.play_rounds(made, one.id, 2)
    with made.database.transaction() as tx:
        season = ladders.season(ladders.get(tx, one.id))
        played = climbs.page(tx, season, limit=100)
        host = tx.get_one(Event, UUID(hex=played[0].id.partition("-")[0])).tournament_id
        entrants = {
            number: {"number": number, "owner": "house", "bot": bot, "version": version, "sha256": sha256}
            for number, bot, version, sha256 in tx.execute(
                select(Entrant.number, Bot.name, Version.number, Version.sha256)
                .join(Version, Version.id == Entrant.version_id)
                .join(Bot, Bot.id == Version.bot_id)
                .where(Entrant.tournament_id == host)
            )
        }
        seeds_seen = set()
        for match in played:
            view, record = matches.get(tx, match.id), matches.record(tx, match.id)
            meeting = tx.get_one(LadderMeeting, (view.event_id, match.number // 4))
            query = select(LadderSeat.entrant).where(LadderSeat.meeting == meeting.number)
            table = [entrants[number] for number in tx.scalars(query.order_by(LadderSeat.side))]
            assert meeting.entrants_sha256 == seeds.entrants_hash(table)
            assert record.seed == seeds.deal_seed(SECRET, seeds.entrants_hash(table), 0, str(view.deal))
            assert tuple(record.final().placements()) == match.places
            seeds_seen.add(record.seed)
    assert len(seeds_seen) == len(played) / 2


def test_cards_stay_hidden_while_the_round_is_played(made: Any) -> None:
    names = [*arena.HOUSE, *arena.crowd(made.database, 1)]
    one = build.made(made.database, names, events=(TWO,))
    season = build.last(made.database, one.id)
    ladder.advance(made, season.tournament_id)
    with made.database.transaction() as tx:
        first = tx.scalars(select(Batch.id).order_by(Batch.id)).first()
        event = tx.scalars(select(Event)).one()
    batch.play(made, first)
    with made.database.transaction() as tx, pytest.raises(Conflict, match="hidden"):
        matches.record(tx, matches.match_id_of(event.id, 0))
    build.play_open(made, {season.tournament_id})
    with made.database.transaction() as tx:
        assert matches.replay(tx, matches.match_id_of(event.id, 0))["steps"]
