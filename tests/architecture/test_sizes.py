"""The measure of things: no file and no function past the limits of the style."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TREES = ("engine", "store", "workers", "api", "tests")
FUNCTION_LINES = 40


def sources() -> Iterator[Path]:
    for tree in TREES:
        yield from (p for p in sorted((ROOT / tree).rglob("*.py")) if "versions" not in p.parts)


def limit(path: Path) -> int:
    parts = path.relative_to(ROOT).parts
    if parts[0] == "tests":
        return 500
    return 450 if parts[:2] == ("engine", "games") else 400


@pytest.mark.parametrize("path", list(sources()), ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_keep_the_measure(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= limit(path)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            start = node.body[0].end_lineno if ast.get_docstring(node) else node.lineno
            assert (node.end_lineno or 0) - (start or 0) <= FUNCTION_LINES, node.name


@pytest.mark.parametrize("path", list(sources()), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
