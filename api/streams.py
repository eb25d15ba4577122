"""Server-Sent Events: how far a tournament is, read once a second for all listeners of this process."""

import time
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from threading import Lock
from uuid import UUID

from flask import json
from sqlalchemy.exc import SQLAlchemyError

from api.errors import TooManyListeners
from api.schemas.progress import ProgressSchema
from store import progress
from store.models.tournaments import TournamentState
from store.progress import Progress
from workers import services

PERIOD_SECONDS = 1.0
QUIET_SECONDS = 15.0  # then a comment is sent, which shows that somebody is still listening
LONGEST_SECONDS = 300.0  # then the listener comes back by itself, and its thread has been free for others
_RETRY_MS = 2000
_OVER = (TournamentState.FINISHED, TournamentState.CANCELLED)


class Hub:
    """The listeners of one process: so many at a time, and one read a second for all of them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watched: Counter[UUID] = Counter()
        self._read_at = float("-inf")
        self._found: dict[UUID, Progress] = {}

    def join(self, tournament_id: UUID) -> None:
        """Become a listener; raises TooManyListeners when there are too many already."""
        most = services.current().settings.stream_listeners
        with self._lock:
            if self._watched.total() >= most:
                raise TooManyListeners(
                    f"this process serves {most} streams already; ask"
                    f" /api/v1/tournaments/{tournament_id} every few seconds instead"
                )
            self._watched[tournament_id] += 1
            if tournament_id not in self._found:
                self._read_at = float("-inf")

    def leave(self, tournament_id: UUID) -> None:
        """Be a listener no more."""
        with self._lock:
            self._watched[tournament_id] -= 1
            self._watched += Counter()  # without those that nobody watches

    def latest(self, tournament_id: UUID) -> Progress:
        """Return how far a tournament is, as it was at most a second ago; only for a listener."""
        with self._lock:
            if time.monotonic() - self._read_at >= PERIOD_SECONDS:
                with services.current().database.reading() as tx:
                    self._found = progress.of_tournaments(tx, list(self._watched))
                self._read_at = time.monotonic()
            return self._found[tournament_id]


def is_over(found: Progress) -> bool:
    """Return whether nothing will change any more."""
    return found.state in _OVER


def has_nothing_for(found: Progress, last_id: str | None) -> bool:
    """Return whether a listener that has seen this event will never see another one."""
    return is_over(found) and event_id(found) == last_id


def event_id(found: Progress) -> str:
    """Return the id of the event that says this; the same in every process."""
    return sha256(_data(found).encode()).hexdigest()[:16]


def events(hub: Hub, tournament_id: UUID, last_id: str | None) -> Iterator[str]:
    """Yield an event for every change after the one with `last_id`, until the tournament is over.

    A listener that was away has missed nothing: every event says all.
    """
    began = spoke = time.monotonic()
    yield f"retry: {_RETRY_MS}\n\n"
    while time.monotonic() - began < LONGEST_SECONDS:
        try:
            found = hub.latest(tournament_id)
        except SQLAlchemyError:
            return  # the listener comes back by itself
        if event_id(found) != last_id:
            last_id, spoke = event_id(found), time.monotonic()
            yield f"id: {last_id}\nevent: progress\ndata: {_data(found)}\n\n"
        if is_over(found):
            return
        if time.monotonic() - spoke > QUIET_SECONDS:
            spoke = time.monotonic()
            yield ": still here\n\n"
        time.sleep(PERIOD_SECONDS)


def _data(found: Progress) -> str:
    return json.dumps(ProgressSchema().dump(found))
