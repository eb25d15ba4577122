"""The measure of things: no file and no function past the limits of the style."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TREES = ("engine", "store", "workers", "api", "tests")
FUNCTION_LINES = 40


def sources(tree: str) -> Iterator[Path]:
    yield from (path for path in sorted((ROOT / tree).rglob("*.py")) if "versions" not in path.parts)


def limit(path: Path) -> int:
    parts = path.relative_to(ROOT).parts
    if parts[0] == "tests":
        return 500
    return 450 if parts[:2] == ("engine", "games") else 400


def overlong(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    tree, name = ast.parse(text), path.relative_to(ROOT)
    if (lines := text.count("\n")) > limit(path):
        yield f"{name} has {lines} lines; allowed: {limit(path)}"
    if not ast.get_docstring(tree):
        yield f"{name} does not say what it is for"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            start = node.body[0].end_lineno if ast.get_docstring(node) else node.lineno
            if (lines := (node.end_lineno or 0) - (start or 0)) > FUNCTION_LINES:
                yield f"{name}: {node.name} has {lines} lines; allowed: {FUNCTION_LINES}"


@pytest.mark.parametrize("tree", TREES)
def test_files_and_functions_keep_the_measure_and_modules_say_what_they_are_for(tree: str) -> None:
    paths = list(sources(tree))
    assert len(paths) > 10
    assert [fault for path in paths for fault in overlong(path)] == []
