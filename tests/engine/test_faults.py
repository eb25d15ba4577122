"""The kinds of fault: every code has one, and the documentation has exactly these."""

from pathlib import Path

import pytest

from engine import faults
from engine.faults import FAULTS, Culprit
from engine.policies import FaultCode

PAGE = Path(__file__).parents[2] / "docs" / "bots.md"


def test_every_code_is_explained_and_only_the_platforms_is_not_the_bots() -> None:
    assert list(FAULTS) == list(FaultCode)
    assert all(kind.code is code for code, kind in FAULTS.items())
    assert [code for code, kind in FAULTS.items() if kind.culprit is Culprit.PLATFORM] == [FaultCode.PLATFORM]
    assert all(kind.happened and kind.costs and kind.shows for kind in FAULTS.values())


def test_the_page_for_authors_has_this_very_table() -> None:
    assert faults.markdown() in PAGE.read_text("utf-8")


@pytest.mark.parametrize("code", FaultCode)
def test_a_kind_is_found_by_its_code(code: FaultCode) -> None:
    assert faults.kind_of(code.value) is FAULTS[code]


def test_a_code_of_a_newer_service_has_no_kind() -> None:
    assert faults.kind_of("from_the_future") is None
