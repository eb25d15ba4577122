"""Standings over the API: JSON and CSV say the same."""

import csv
import io
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest
from support import arena
from support.callers import Caller, assert_problem

from store import standings
from workers.services import Services

EVENTS = ({"game": "hana_awase", "options": {"rounds": 1}, "deals": 4}, {"game": "hachinin_meri", "deals": 1})


@pytest.fixture
def path(services: Services) -> str:
    tournament = arena.started(services.database, *EVENTS)
    arena.play_all(services)
    return f"/tournaments/{tournament.id}/standings"


@pytest.fixture
def draft(services: Services) -> str:
    """The standings of a tournament of which nothing has been played."""
    return f"/tournaments/{arena.draft(services.database, *EVENTS).id}/standings"


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def as_text(row: dict[str, Any]) -> dict[str, str]:
    return {key: "" if value is None else str(value) for key, value in row.items() if key != "places"}


def test_the_tables_are_those_of_the_store_with_names(services: Services, anybody: Caller, path: str) -> None:
    shown = anybody.get(path).json
    with services.database.transaction() as tx:
        overall = standings.overall(tx, UUID(shown["tournament_id"]))
    assert shown["state"] == "finished"
    assert [(row["place"], row["entrant"], Fraction(row["points_exact"])) for row in shown["overall"]] == [
        (row.place, row.entrant, row.points) for row in overall
    ]
    assert {row["name"] for row in shown["overall"]} == set(arena.HOUSE)
    for row in shown["overall"]:
        assert row["name"] == arena.HOUSE[row["entrant"]]
        assert row["points"] == float(Fraction(row["points_exact"]))
        assert row["places"] == {
            str(event["index"]): next(r["place"] for r in event["rows"] if r["entrant"] == row["entrant"])
            for event in shown["events"]
        }
    assert [event["game"] for event in shown["events"]] == ["hana_awase", "hachinin_meri"]
    for event in shown["events"]:
        places = [row["place"] for row in event["rows"]]
        assert places == sorted(places)


@pytest.mark.parametrize("index", [0, 1])
def test_one_event_is_shown_alone_and_the_same(anybody: Caller, path: str, index: int) -> None:
    whole, alone = anybody.get(path).json, anybody.get(f"{path}?event={index}").json
    assert alone["overall"] is None
    assert alone["events"] == [whole["events"][index]]


def test_csv_says_the_same_as_json(anybody: Caller, path: str) -> None:
    shown = anybody.get(path).json
    assert table(anybody.get(f"{path}?format=csv").text) == [as_text(row) for row in shown["overall"]]
    for event in shown["events"]:
        lines = table(anybody.get(f"{path}?event={event['index']}&format=csv").text)
        assert lines == [as_text(row) for row in event["rows"]]


@pytest.mark.parametrize(
    ("query", "accept", "kind"),
    [
        ("", "text/csv", "text/csv; charset=utf-8"),
        ("", "application/json;q=0.5, text/csv", "text/csv; charset=utf-8"),
        ("", "*/*", "application/json"),
        ("", "text/html", "application/json"),
        ("?format=json", "text/csv", "application/json"),
        ("?format=csv", "application/json", "text/csv; charset=utf-8"),
    ],
)
def test_the_form_is_chosen_by_the_query_or_the_accept_header(
    anybody: Caller, draft: str, query: str, accept: str, kind: str
) -> None:
    assert anybody.get(draft + query, headers={"Accept": accept}).content_type == kind


def test_a_draft_has_empty_tables(anybody: Caller, draft: str) -> None:
    shown = anybody.get(draft).json
    assert (shown["state"], shown["overall"]) == ("draft", [])


@pytest.mark.parametrize(
    ("query", "field"),
    [("event=-1", "event"), ("event=x", "event"), ("format=xml", "format"), ("top=3", "top")],
)
def test_a_bad_query_is_refused_naming_the_field(anybody: Caller, draft: str, query: str, field: str) -> None:
    assert_problem(anybody.get(f"{draft}?{query}"), 422, "invalid", field)


@pytest.mark.parametrize("index", ["2", "2147483647"])
def test_an_event_that_there_is_not_is_not_found(anybody: Caller, draft: str, index: str) -> None:
    assert_problem(anybody.get(f"{draft}?event={index}"), 404, "not_found", "event")
