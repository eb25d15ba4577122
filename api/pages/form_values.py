"""What forms say, as the API would take it: schemas and the store then check it as they check everything."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import marshmallow as ma
from flask import request

from api import event_texts
from api.errors import InvalidInput
from engine import games
from engine.contract import Game
from engine.limits import RANGES
from engine.options import OptionValue
from store.errors import BadRequest

MOST_DIGITS = 9
_DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?", re.ASCII)


def loaded(schema: ma.Schema, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a schema makes of the fields of a form; raises InvalidInput."""
    try:
        found: dict[str, Any] = schema.load(data)
    except ma.ValidationError as error:
        raise InvalidInput(error.messages) from error
    return found


def number(text: str) -> int | str:
    """Return the whole number that a text writes; any other text as it is, for a schema to refuse."""
    return int(text) if _is_number(text) else text


def number_of_query(name: str) -> int | None:
    """Return a whole number of the query, None when it is not there; raises BadRequest."""
    text = request.args.get(name, "")
    if not text:
        return None
    if not _is_number(text):
        raise BadRequest(f"{name} is {text[:20]!r}; expected a whole number", field=name)
    return int(text)


def decimal(text: str) -> float | str:
    """Return the number that a text such as 0.95 writes; any other text as it is, for a schema to refuse."""
    return float(text) if _DECIMAL.fullmatch(text) else text


def numbers(*fields: str) -> dict[str, int | str]:
    """Return those of the fields of the form that are not empty."""
    texts = {field: request.form.get(field, "").strip() for field in fields}
    return {field: number(text) for field, text in texts.items() if text}


def names(texts: Iterable[str]) -> list[str]:
    """Return the names that are given, each once, in order."""
    return list(dict.fromkeys(text.strip() for text in texts if text.strip()))


def settings(*fields: str) -> list[dict[str, Any]]:
    """Return the games that are chosen, with their options, seats and those of the fields that are filled in.

    After them come those of the lines of `more_games`, which are written as for the command. What is left
    empty gets its default. Raises BadRequest when no game is chosen.
    """
    chosen = request.form.getlist("games")
    found = [_setting(game, fields) for game in games.all_games() if game.id in chosen]
    found += [_written(line) for line in request.form.get("more_games", "").split("\n") if line.strip()]
    if not found:
        raise BadRequest("choose at least one game", field="events")
    return found


def limits() -> dict[str, int | str]:
    """Return the limits of bots that are filled in, by name."""
    given = numbers(*(f"limit.{name}" for name in RANGES))
    return {field.removeprefix("limit."): value for field, value in given.items()}


def _written(line: str) -> dict[str, Any]:
    try:
        return event_texts.event("".join(line.split()))
    except BadRequest as error:
        raise BadRequest(f"{line.strip()[:80]!r}: {error}", field="more_games") from error


def _setting(game: Game, fields: Iterable[str]) -> dict[str, Any]:
    form = request.form
    setting: dict[str, Any] = {"game": game.id, "options": _options(game)}
    for field in fields:
        if text := form.get(f"{game.id}.{field}", "").strip():
            setting[field] = number(text)
    return setting


def _options(game: Game) -> dict[str, OptionValue]:
    """Return the options of a game that the form sets."""
    values: dict[str, OptionValue] = {}
    for name, schema in game.options_schema()["properties"].items():
        text = request.form.get(f"{game.id}.option.{name}", "").strip()
        if text:
            values[name] = _value(schema, text)
    return values


def _value(schema: Mapping[str, Any], text: str) -> OptionValue:
    """Return an option's value of the kind that its schema asks for; the text itself when it is none."""
    kind = schema.get("type")
    if kind == "boolean":
        return text == "true"
    choices = {str(choice): choice for choice in schema.get("enum", ())}
    if text in choices:
        found: OptionValue = choices[text]
        return found
    return number(text) if kind == "integer" else text


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
