"""Idempotency keys: one request of all with a key is done, and its answer is kept for a day."""

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from support.arena import NOW

from store import idempotency
from store.database import Database
from store.idempotency import BrokenOff, InProgress, KeyReused, Reservation


def reserve(
    database: Database, key: str = "k", scope: str = "ann", later: int = 0, **asked: str
) -> Reservation:
    request = {"request_sha256": "a" * 64, **asked}
    with database.transaction() as tx:
        return idempotency.reserve(tx, scope=scope, key=key, now=NOW + timedelta(seconds=later), **request)


def keep(database: Database, reservation: Reservation, answer: bytes) -> None:
    with database.transaction() as tx:
        idempotency.keep(tx, reservation.id, answer)


def test_the_first_answer_is_kept(database: Database) -> None:
    first = reserve(database)
    assert first.answer is None
    keep(database, first, b"done")
    assert reserve(database) == Reservation(id=first.id, answer=b"done")


def test_a_key_is_its_senders_own(database: Database) -> None:
    keep(database, reserve(database), b"done")
    assert reserve(database, scope="bea").answer is None
    assert reserve(database, key="K").answer is None


def test_another_request_with_the_key_is_refused(database: Database) -> None:
    first = reserve(database)
    for _ in range(2):
        with pytest.raises(KeyReused) as refused:
            reserve(database, request_sha256="b" * 64)
        assert refused.value.field == "Idempotency-Key"
        keep(database, first, b"done")


def test_a_request_that_is_being_answered_is_not_done_again(database: Database) -> None:
    reserve(database)
    with pytest.raises(InProgress):
        reserve(database, later=60)
    with pytest.raises(BrokenOff):
        reserve(database, later=121)


def test_a_released_key_is_free_again(database: Database) -> None:
    first = reserve(database)
    with database.transaction() as tx:
        idempotency.release(tx, first.id)
    assert reserve(database, request_sha256="b" * 64).answer is None


def test_answers_are_forgotten_after_a_day(database: Database) -> None:
    keep(database, reserve(database), b"done")
    assert reserve(database, later=24 * 3600).answer == b"done"
    assert reserve(database, later=24 * 3600 + 1).answer is None


def test_of_many_at_once_one_wins(database: Database) -> None:
    barrier = Barrier(8)
    outcomes: list[str] = []

    def ask() -> None:
        barrier.wait()
        try:
            outcomes.append("won" if reserve(database).answer is None else "kept")
        except InProgress:
            outcomes.append("in progress")

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["in progress"] * 7 + ["won"]
