"""Benched endpoints on a ladder: when they are tried out, and that they come back only when they play."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import select
from support import arena, owners
from support import ladders as build
from support.arena import NOW
from support.endpoints import first_legal
from support.ladders import TWO

from store import bots, probes
from store.bots import Endpoint
from store.database import Database
from store.models.bots import Version
from store.models.ladders import Ladder, Member, MemberState, Rung
from workers import probe, stage
from workers.services import Services

pytestmark = [pytest.mark.integration]


@pytest.fixture
def made(database: Database) -> Iterator[Services]:
    yield arena.install(database, FUDABA_ALLOW_PRIVATE_ENDPOINTS="true")
    stage.close()


def benched(made: Services, monkeypatch: pytest.MonkeyPatch, url: str) -> tuple[Ladder, Version]:
    """A ladder on which the endpoint at this URL was benched."""
    ann = owners.owner(made.database, "ann")
    with made.database.transaction() as tx:
        version, _ = bots.submit_endpoint(tx, ann, "b", Endpoint(url=url), (), NOW)
        owners.qualify(tx, version.id)
    with monkeypatch.context() as patched:
        build.play_as_house(patched, {version.id})
        names = ["house/greedy", "house/first", "ann/b"]
        one = build.made(made.database, names, events=(TWO,), deals=2)
        build.play_rounds(made, one.id, 5)
    assert state(made.database, one.id, version.bot_id) is MemberState.BENCHED
    return one, version


def state(database: Database, ladder_id: UUID, bot_id: UUID) -> MemberState:
    """What a member is."""
    with database.transaction() as tx:
        return tx.get_one(Member, (ladder_id, bot_id)).state


def due(database: Database, seconds: float) -> list[tuple[UUID, UUID]]:
    """Who is to be tried out so long after the beginning."""
    with database.transaction() as tx:
        return probes.due(tx, NOW + timedelta(seconds=seconds), 10)


def test_a_benched_endpoint_is_tried_out_at_longer_and_longer_intervals(
    made: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, version = benched(made, monkeypatch, "http://127.0.0.1:1/")
    place = [(one.id, version.bot_id)]
    # Seen first; then after one, two, four minutes.
    found = {second: due(made.database, second) for second in (0, 59, 60, 61, 179, 180, 419, 420)}
    assert found == {0: [], 59: [], 60: place, 61: [], 179: [], 180: place, 419: [], 420: place}
    for seconds in range(10_000, 100_000, 3_601):
        assert due(made.database, seconds) == place


def test_a_benched_module_is_not_tried_out(made: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    version = owners.qualified_bot(made.database, owners.owner(made.database, "ann"))
    build.play_as_house(monkeypatch, {version.id})
    one = build.made(made.database, ["house/greedy", "house/first", "ann/b"], events=(TWO,), deals=2)
    build.play_rounds(made, one.id, 5)
    assert state(made.database, one.id, version.bot_id) is MemberState.BENCHED
    assert due(made.database, 0) == due(made.database, 1000) == []


def test_an_endpoint_that_plays_again_comes_back_from_the_next_round_on(
    made: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    with first_legal() as url:
        one, version = benched(made, monkeypatch, url)
        probe.run(made, one.id, version.bot_id)
        assert state(made.database, one.id, version.bot_id) is MemberState.ACTIVE
        probe.run(made, one.id, version.bot_id)
    with made.database.transaction() as tx:
        (rung,) = [rung for rung in tx.scalars(select(Rung)) if rung.bot_id == version.bot_id]
        assert rung.recent == []
        before = rung.matches
    build.play_as_house(monkeypatch)
    build.play_rounds(made, one.id, 9)
    with made.database.transaction() as tx:
        (rung,) = [rung for rung in tx.scalars(select(Rung)) if rung.bot_id == version.bot_id]
        assert rung.matches > before
    assert state(made.database, one.id, version.bot_id) is MemberState.ACTIVE


def test_an_endpoint_that_is_still_gone_stays_benched(
    made: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, version = benched(made, monkeypatch, "http://127.0.0.1:1/")
    probe.run(made, one.id, version.bot_id)
    assert state(made.database, one.id, version.bot_id) is MemberState.BENCHED
