"""Kept bodies: an answer is made once, and never outlives what it follows from."""

from collections.abc import Iterator

import pytest
from flask import Flask
from sqlalchemy import event as sql_event
from support import arena
from support.callers import Caller

from api.bodies import MOST_BYTES_OF_ONE, SHELF, Body, Shelf
from store.models.tournaments import Tournament, TournamentState
from workers.services import Services

TWO_BLOCKS = {"game": "hana_awase", "options": {"rounds": 1, "combinations": "none"}, "deals": 13}
READS = ("standings", "standings?event=0", "standings?format=csv", "crosstable")


def body(stamp: str, size: int = 1) -> Body:
    return Body(stamp, b"x" * size, "text/plain")


def test_a_body_is_found_by_its_place_and_its_stamp() -> None:
    shelf = Shelf()
    shelf.put(("standings", 1), body("old"))
    shelf.put(("standings", 1), body("new"))
    assert shelf.find(("standings", 1), "new") == body("new")
    assert shelf.find(("standings", 1), "old") is None
    assert shelf.find(("standings", 2), "new") is None


def test_those_that_were_asked_for_last_stay() -> None:
    shelf = Shelf(most_bytes=25)
    for place in range(2):
        shelf.put((place,), body("same", 10))
    assert shelf.find((0,), "same")
    shelf.put((2,), body("same", 10))
    assert [place for place in range(3) if shelf.find((place,), "same")] == [0, 2]


def test_a_very_large_body_is_not_kept() -> None:
    shelf = Shelf()
    shelf.put((1,), body("old"))
    shelf.put((1,), body("new", MOST_BYTES_OF_ONE + 1))
    assert shelf.find((1,), "new") is None
    assert shelf.find((1,), "old") is None


def steps(services: Services, organiser: Caller) -> Iterator[Tournament]:
    """Let all happen to a tournament that changes its standings; yield it after every step."""
    names = arena.crowd(services.database, 1)
    cup = arena.started(services.database, TWO_BLOCKS, entrants=(*arena.HOUSE, *names))
    path = f"/tournaments/{cup.id}"
    yield cup
    while arena.again(services.database, cup).events[0].block == 0 and arena.play_all(services, most=1):
        yield cup
    assert organiser.post(f"{path}/withdrawals", {"entrant": 3, "rule": "drop"}).status_code == 201
    yield cup
    while arena.play_all(services, most=1):
        yield cup
    assert arena.again(services.database, cup).state is TournamentState.FINISHED
    rerun = {"event": 0, "numbers": [0], "reason": "a power cut"}
    assert organiser.post(f"{path}/reruns", rerun).status_code == 202
    yield cup
    arena.move_on(services, cup)
    yield cup
    arena.play_all(services)
    yield cup
    assert organiser.post(f"{path}/reruns/1/undo", {}).status_code == 202
    yield cup
    arena.move_on(services, cup)
    yield cup


@pytest.mark.slow
def test_no_answer_outlives_what_it_follows_from(app: Flask, services: Services, organiser: Caller) -> None:
    kept, seen = app.extensions[SHELF], set()
    for cup in steps(services, organiser):
        for read in READS:
            path = f"/tournaments/{cup.id}/{read}"
            first = organiser.get(path)
            app.extensions[SHELF] = Shelf()
            anew = organiser.get(path)
            app.extensions[SHELF] = kept
            assert first.status_code == 200, first.text
            assert (first.data, first.headers["ETag"]) == (anew.data, anew.headers["ETag"]), path
            seen.add(first.data)
    assert len(seen) > 4 * len(READS)


def test_an_answer_is_made_once(services: Services, organiser: Caller) -> None:
    cup = arena.finished(services)
    asked: list[str] = []
    sql_event.listen(
        services.database.engine,
        "before_cursor_execute",
        lambda connection, cursor, statement, *rest: asked.append(statement),
    )
    for read in READS:
        path = f"/tournaments/{cup.id}/{read}"
        first = organiser.get(path)
        asked.clear()
        again = organiser.get(path)
        assert (again.data, again.content_type) == (first.data, first.content_type)
        assert len([text for text in asked if text.startswith("SELECT")]) == 1, read


def test_the_entrants_of_a_draft_are_always_read(services: Services, organiser: Caller) -> None:
    path = f"/tournaments/{arena.draft(services.database, entrants=arena.HOUSE[:2]).id}"
    before = organiser.get(f"{path}/standings?event=0").json
    assert organiser.post(f"{path}/entrants", {"bots": ["house/first"]}).status_code == 201
    assert organiser.get(f"{path}/standings?event=0").json == before == {**before, "state": "draft"}
