"""Boards of seasons: places, and what becomes of ratings that differ only beyond what is written."""

from pathlib import Path

import pytest
from sqlalchemy import select
from support import arena, databases, ladders

from store import boards
from store.models.ladders import Rung, Season


def test_a_frozen_board_has_the_places_of_what_is_written(tmp_path: Path) -> None:
    made = arena.install(databases.sqlite(tmp_path))
    ladder = ladders.made(made.database, arena.HOUSE)
    ladders.play_rounds(made, ladder.id, 1)
    with made.database.transaction() as tx:
        season = tx.get_one(Season, ladders.last(made.database, ladder.id).tournament_id)
        query = select(Rung).where(Rung.tournament_id == season.tournament_id).order_by(Rung.entrant)
        for rung, mu in zip(tx.scalars(query), (25.1000001, 25.1000002, 25.2), strict=True):
            rung.mu, rung.sigma = mu, 8.0
        tx.flush()
        live = [(row.place, row.entrant) for row in boards.rows(tx, season)]
        boards.freeze(tx, season)
        frozen = boards.rows(tx, season)
    assert live == [(1, 2), (2, 1), (3, 0)]
    assert [(row.place, row.entrant) for row in frozen] == [(1, 2), (2, 0), (2, 1)]
    assert [row.order for row in frozen] == pytest.approx([1.2, 1.1, 1.1], abs=1e-9)
