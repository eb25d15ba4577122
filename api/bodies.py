"""Bodies of answers that are costly to make, kept by this process until what they follow from has changed."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from flask import Flask, Response, current_app

MOST_BYTES = 32 << 20  # of all bodies together
MOST_BYTES_OF_ONE = 1 << 20
SHELF = "fudaba.bodies"  # where an application has its shelf

Place = tuple[object, ...]  # which answer: all that chooses it


@dataclass(frozen=True, slots=True)
class Body:
    """What an answer says, of what kind it is, and the stamp of what it follows from."""

    stamp: str
    content: bytes
    content_type: str


class Shelf:
    """One body in each place, those that were asked for last; all of them may vanish at any time."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bodies: OrderedDict[Place, Body] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def find(self, place: Place, stamp: str) -> Body | None:
        """Return the body in this place, if it follows from what has this stamp."""
        with self._lock:
            body = self._bodies.get(place)
            if body is None or body.stamp != stamp:
                return None
            self._bodies.move_to_end(place)
            return body

    def put(self, place: Place, body: Body) -> None:
        """Keep a body in this place instead of what was there; one that is very large is not kept."""
        with self._lock:
            before = self._bodies.pop(place, None)
            self._bytes -= len(before.content) if before is not None else 0
            if len(body.content) > MOST_BYTES_OF_ONE:
                return
            self._bodies[place] = body
            self._bytes += len(body.content)
            while self._bytes > self._most_bytes:
                _, oldest = self._bodies.popitem(last=False)
                self._bytes -= len(oldest.content)


def register(app: Flask) -> None:
    """Give `app` its shelf."""
    app.extensions[SHELF] = Shelf()


def answer(place: Place, stamp: str | None, make: Callable[[], Response]) -> Response:
    """Answer with what `make` makes, or made before of the same; a stamp of None is never the same.

    The stamp and what `make` reads must be of one transaction, so that they are of one moment.
    """
    if stamp is None:
        return make()
    shelf: Shelf = current_app.extensions[SHELF]
    body = shelf.find(place, stamp)
    if body is None:
        made = make()
        body = Body(stamp, made.get_data(), made.headers["Content-Type"])
        shelf.put(place, body)
    return Response(body.content, content_type=body.content_type)
