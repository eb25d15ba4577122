"""The plan of a tournament, from a file or from the options of `fudaba tournament create`."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from api.client import Json

_OF_EVENT = ("seats", "deals", "schedule")  # what an event has beside the options of its game
_FLAGS = {"true": True, "false": False}
_NUMBER = re.compile(r"-?[0-9]{1,9}")


def read(path: Path) -> Json:
    """Return the plan in a JSON file, the body of POST /tournaments; raises UsageError."""
    try:
        found = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise click.UsageError(f"--file {str(path)!r} cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise click.UsageError(f"--file {str(path)!r} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise click.UsageError(f"--file {str(path)!r} holds no JSON object")
    return found


def event(text: str) -> Json:
    """Return the event that a text such as "sutda,seats=4,deals=20,rounds=3" writes; raises UsageError.

    What the game, its seats and options may be is for the service to say.
    """
    game, *settings = text.split(",")
    made: Json = {"game": game}
    options: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise click.UsageError(f"--event {text!r}: {setting!r} is not NAME=VALUE")
        target = made if name in _OF_EVENT else options
        if name in target:
            raise click.UsageError(f"--event {text!r}: {name} is given twice")
        target[name] = _value(value)
    return {**made, "options": options} if options else made


def limits(texts: Sequence[str]) -> Json:
    """Return the limits in texts NAME=VALUE; raises UsageError."""
    found: Json = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or name in found:
            raise click.UsageError(f"--limit {text!r} is not NAME=VALUE, or its name is given twice")
        found[name] = _value(value)
    return found


def _value(text: str) -> str | int | bool:
    """Return a text as what it writes: a truth, a number, or itself."""
    if _NUMBER.fullmatch(text):
        return int(text)
    return _FLAGS.get(text, text)
