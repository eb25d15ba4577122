"""Events of tournaments written as a text in one line, as people give them to the command and in forms."""

import re
from typing import Any

from store.errors import BadRequest

_OF_EVENT = ("seats", "deals", "schedule")  # what an event has beside the options of its game
_FLAGS = {"true": True, "false": False}
_NUMBER = re.compile(r"-?[0-9]{1,9}")


def event(text: str) -> dict[str, Any]:
    """Return the event that a text such as "sutda,seats=4,deals=20,rounds=3" writes; raises BadRequest.

    What the game, its seats and options may be is for the store to say.
    """
    game, *settings = text.split(",")
    made: dict[str, Any] = {"game": game}
    options: dict[str, Any] = {}
    for setting in settings:
        name, equals, given = setting.partition("=")
        if not equals or not name:
            raise BadRequest(f"{setting!r} is not NAME=VALUE", field="events")
        target = made if name in _OF_EVENT else options
        if name in target:
            raise BadRequest(f"{name} is given twice", field="events")
        target[name] = value(given)
    return {**made, "options": options} if options else made


def value(text: str) -> str | int | bool:
    """Return a text as what it writes: a truth, a number, or itself."""
    if _NUMBER.fullmatch(text):
        return int(text)
    return _FLAGS.get(text, text)
