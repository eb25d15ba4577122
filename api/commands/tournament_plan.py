"""The plan of a tournament, from a file or from the options of `fudaba tournament create`."""

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from api import event_texts
from api.client import Json
from store.errors import BadRequest


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
    """Return the event that a text such as "sutda,seats=4,deals=20,rounds=3" writes; raises UsageError."""
    try:
        return event_texts.event(text)
    except BadRequest as error:
        raise click.UsageError(f"--event {text!r}: {error}") from error


def limits(texts: Sequence[str]) -> Json:
    """Return the limits in texts NAME=VALUE; raises UsageError."""
    found: Json = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or name in found:
            raise click.UsageError(f"--limit {text!r} is not NAME=VALUE, or its name is given twice")
        found[name] = event_texts.value(value)
    return found
