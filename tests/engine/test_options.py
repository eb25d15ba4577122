"""Options: defaults, what is refused and how the refusal reads."""

from typing import Any

import pytest

from engine.errors import BadOptions
from engine.options import Choice, Flag, Number, OneOf, complete, schema

KNOWN = (
    Choice("scoring", ("difference", "tens"), "how a part is scored"),
    Flag("powers", False, "umbrellas have powers"),
    Number("rounds", 6, 1, 12, "hands in a match"),
    OneOf("scale", (80, 88), "par"),
)
DEFAULTS = {"scoring": "difference", "powers": False, "rounds": 6, "scale": 80}


def test_what_is_not_given_has_its_default() -> None:
    assert complete(KNOWN, None) == DEFAULTS
    assert complete(KNOWN, {"rounds": 3}) == {**DEFAULTS, "rounds": 3}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scoring", "Tens"), ("scoring", 1), ("scoring", None),
        ("powers", 1), ("powers", "true"), ("powers", 0),
        ("rounds", 0), ("rounds", 13), ("rounds", 8.0), ("rounds", "8"), ("rounds", True), ("rounds", None),
        ("scale", 80.0), ("scale", "80"), ("scale", True), ("scale", 81),
    ],
)  # fmt: skip
def test_a_wrong_value_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(BadOptions) as refused:
        complete(KNOWN, {name: value})
    assert name in str(refused.value)
    assert repr(value) in str(refused.value)
    assert "allowed" in str(refused.value)


def test_an_unknown_option_is_refused_with_what_is_known() -> None:
    with pytest.raises(BadOptions, match=r"'colour' \(value 'red'\) is unknown; allowed: scoring, powers"):
        complete(KNOWN, {"colour": "red"})


@pytest.mark.parametrize("given", [[], "rounds", 3])
def test_options_that_are_no_object_are_refused(given: Any) -> None:
    if given == []:
        given = [("rounds", 3)]
    with pytest.raises(BadOptions, match="an object"):
        complete(KNOWN, given)


def test_the_schema_says_the_same() -> None:
    properties = schema(KNOWN)["properties"]
    assert {name: entry["default"] for name, entry in properties.items()} == DEFAULTS
    assert properties["rounds"]["minimum"] == 1
    assert properties["scale"]["enum"] == [80, 88]
