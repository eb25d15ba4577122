"""Server-Sent Events: progress at every change, resumed, shared, and capped."""

import json
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import event as sql_event
from support import arena
from support.callers import NOBODY, Answer, Caller, assert_problem

from api import streams
from api.resources import events
from store.models.tournaments import Tournament
from workers.services import Services


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch, app: Flask) -> None:
    monkeypatch.setattr(streams, "PERIOD_SECONDS", 0.02)
    events.register(app)  # listeners of other tests have not all been missed yet


@pytest.fixture
def running(services: Services) -> Tournament:
    return arena.started(services.database)


def listen(caller: Caller, tournament: Tournament, last_id: str | None = None) -> Answer:
    headers = {} if last_id is None else {"Last-Event-ID": last_id}
    return caller.get(f"/tournaments/{tournament.id}/stream", headers=headers, buffered=False)


def parsed(answer: Answer) -> Iterator[tuple[str, Any]]:
    """Yield the id and the data of every progress event."""
    for chunk in answer.response:
        text = chunk if isinstance(chunk, str) else chunk.decode()
        fields = dict(line.split(": ", 1) for line in text.strip().split("\n") if not line.startswith(":"))
        if fields.get("event") == "progress":
            yield fields["id"], json.loads(fields["data"])


def test_every_change_is_told_until_the_end(services: Services, anybody: Caller, running: Tournament) -> None:
    answer = listen(anybody, running)
    assert (answer.status_code, answer.content_type) == (200, "text/event-stream")
    heard = parsed(answer)
    first_id, first = next(heard)
    assert (first["state"], first["played"], first["matches"]) == ("running", 0, 6)
    arena.play_all(services, most=1)
    second_id, second = next(heard)
    assert 0 < second["played"] < 6
    arena.play_all(services)
    rest = list(heard)
    assert (rest[-1][1]["state"], rest[-1][1]["played"]) == ("finished", 6)
    assert rest[-1][1]["events"][0]["state"] == "finished"
    assert len({first_id, second_id, *(event_id for event_id, _ in rest)}) == 2 + len(rest)
    answer.close()


def test_a_listener_that_comes_back_is_told_what_is_new(
    services: Services, anybody: Caller, running: Tournament
) -> None:
    answer = listen(anybody, running)
    seen, _ = next(parsed(answer))
    answer.close()
    arena.play_all(services)
    again = listen(anybody, running, seen)
    (last_id, last), *more = parsed(again)
    again.close()
    assert (last["state"], more) == ("finished", [])
    over = listen(anybody, running, last_id)
    assert (over.status_code, over.data) == (204, b"")
    over.close()
    repeated = listen(anybody, running)
    assert [event_id for event_id, _ in parsed(repeated)] == [last_id]
    repeated.close()


def test_a_process_serves_so_many_and_then_asks_to_poll(
    services: Services, anybody: Caller, running: Tournament
) -> None:
    answers = [listen(anybody, running) for _ in range(services.settings.stream_listeners)]
    assert {answer.status_code for answer in answers} == {200}
    refused = listen(anybody, running)
    assert_problem(refused, 503, "too_many_listeners")
    assert f"/api/v1/tournaments/{running.id}" in refused.json["detail"]
    assert refused.headers["Retry-After"] == "5"
    answers.pop().close()
    answers.append(listen(anybody, running))
    assert answers[-1].status_code == 200
    for answer in answers:
        answer.close()


def test_listeners_share_one_reading(
    services: Services, anybody: Caller, running: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "PERIOD_SECONDS", 60.0)
    answers = [listen(anybody, running) for _ in range(3)]
    statements: list[str] = []
    sql_event.listen(
        services.database.engine,
        "before_cursor_execute",
        lambda connection, cursor, statement, *rest: statements.append(statement),
    )
    threads = [Thread(target=lambda one=answer: next(parsed(one))) for answer in answers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [text for text in statements if "FROM tournaments" in text] == []
    for answer in answers:
        answer.close()


def test_no_place_is_lost_to_those_who_are_refused_or_only_look(
    services: Services, anybody: Caller, running: Tournament
) -> None:
    for _ in range(3 * services.settings.stream_listeners):
        assert_problem(anybody.get(f"/tournaments/{NOBODY}/stream"), 404, "not_found")
        anybody.send("HEAD", f"/tournaments/{running.id}/stream").close()
    answer = listen(anybody, running)
    assert answer.status_code == 200
    answer.close()
