"""Every situation of the list of cases has its tests."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
CASES = 74
ROWS = re.findall(r"^\| (\d+) \| (.+?) \| (.+) \|$", (TESTS / "cases.md").read_text("utf-8"), re.M)


def test_no_case_is_left_out() -> None:
    assert [int(number) for number, _, _ in ROWS] == list(range(1, CASES + 1))


def test_every_test_that_a_case_names_is_there() -> None:
    missing = []
    for number, _, tests in ROWS:
        named = re.findall(r"`(\S+\.py)::(test_\w+)`", tests)
        assert named, number
        missing += [
            (number, path, name)
            for path, name in named
            if not (TESTS / path).exists() or f"def {name}(" not in (TESTS / path).read_text("utf-8")
        ]
    assert missing == []
