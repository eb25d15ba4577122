"""The options of a game: kinds, defaults, validation, and their JSON schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import BadOptions

OptionValue = bool | int | str
Options = Mapping[str, OptionValue]


@dataclass(frozen=True, slots=True)
class Choice:
    """An option with a few named values; the first is the default."""

    name: str
    values: tuple[str, ...]
    meaning: str

    @property
    def default(self) -> str:
        return self.values[0]

    def check(self, value: object) -> str:
        """Return `value`, or raise BadOptions."""
        if not isinstance(value, str) or value not in self.values:
            raise BadOptions(f"option {self.name} is {value!r}; allowed: {', '.join(self.values)}")
        return value

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the value."""
        return {"enum": list(self.values), "default": self.default, "description": self.meaning}


@dataclass(frozen=True, slots=True)
class Flag:
    """An option that is true or false."""

    name: str
    default: bool
    meaning: str

    def check(self, value: object) -> bool:
        """Return `value`, or raise BadOptions."""
        if not isinstance(value, bool):
            raise BadOptions(f"option {self.name} is {value!r}; allowed: true, false")
        return value

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the value."""
        return {"type": "boolean", "default": self.default, "description": self.meaning}


@dataclass(frozen=True, slots=True)
class Number:
    """An option that is a whole number from `least` to `most`."""

    name: str
    default: int
    least: int
    most: int
    meaning: str

    def check(self, value: object) -> int:
        """Return `value`, or raise BadOptions."""
        if type(value) is not int or not self.least <= value <= self.most:
            raise BadOptions(
                f"option {self.name} is {value!r}; allowed: a whole number from {self.least} to {self.most}"
            )
        return value

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the value."""
        return {
            "type": "integer",
            "minimum": self.least,
            "maximum": self.most,
            "default": self.default,
            "description": self.meaning,
        }


@dataclass(frozen=True, slots=True)
class OneOf:
    """An option that is one of a few whole numbers; the first is the default."""

    name: str
    values: tuple[int, ...]
    meaning: str

    @property
    def default(self) -> int:
        return self.values[0]

    def check(self, value: object) -> int:
        """Return `value`, or raise BadOptions."""
        if type(value) is not int or value not in self.values:
            allowed = ", ".join(map(str, self.values))
            raise BadOptions(f"option {self.name} is {value!r}; allowed: {allowed}")
        return value

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the value."""
        return {"enum": list(self.values), "default": self.default, "description": self.meaning}


Option = Choice | Flag | Number | OneOf


def complete(known: tuple[Option, ...], given: Options | None) -> dict[str, OptionValue]:
    """Return all options with their values, in the order of `known`; raises BadOptions for anything else."""
    if given is not None and not isinstance(given, Mapping):
        raise BadOptions(f"options are {given!r}; allowed: an object of names and values")
    rest = dict(given or {})
    values: dict[str, OptionValue] = {}
    for option in known:
        values[option.name] = option.check(rest.pop(option.name)) if option.name in rest else option.default
    if rest:
        name, value = next(iter(rest.items()))
        allowed = ", ".join(option.name for option in known)
        raise BadOptions(f"option {name!r} (value {value!r}) is unknown; allowed: {allowed}")
    return values


def schema(known: tuple[Option, ...]) -> dict[str, Any]:
    """Return the JSON schema of an options object."""
    return {
        "type": "object",
        "properties": {option.name: option.schema() for option in known},
        "additionalProperties": False,
    }
