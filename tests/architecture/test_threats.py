"""The threat model names tests that there are."""

import ast
import re
from functools import lru_cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "operating" / "threats.md"
NAMED = sorted(set(re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE.read_text())))


@lru_cache
def names_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text())
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize(("file", "name"), NAMED, ids=str)
def test_a_claim_is_shown_by_a_test_that_there_is(file: str, name: str) -> None:
    assert name in names_in(TESTS / file)


def test_every_claim_has_one() -> None:
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    claims = [row for row in rows if not row.endswith("| shown by |")]
    assert len(claims) > 30
    assert [row for row in claims if "::" not in row] == []
