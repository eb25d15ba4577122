"""A second verifier of seasons, written from docs/records.md alone, with openskill's own model of ratings."""

import hashlib
from collections.abc import Sequence
from itertools import permutations

import pytest
from openskill.models import BradleyTerryPart
from support import twin_ledger
from support.twin_ledger import FROZEN, Line, canonical, sides_of

_MODEL = BradleyTerryPart(mu=25.0, sigma=25.0 / 3)
Skills = dict[int, tuple[float, float]]


def require_right(record: bytes) -> None:
    """Hold the record of a season to what it says: rounds, ratings, the closing tournament, the board."""
    lines = twin_ledger.parsed(record)
    season, board = lines[0], lines[-2]
    assert hashlib.sha256(bytes.fromhex(season["secret_seed"])).hexdigest() == season["commitment"]
    assert hashlib.sha256(canonical(board["rows"])).hexdigest() == season["sha256"]
    start = next(index for index, line in enumerate(lines) if line["kind"] == "header")
    rounds, closing = lines[1:start], lines[start:-2]
    entrants = [line for line in rounds if line["kind"] == "entrant"]
    skills = _require_rounds(season, entrants, rounds[len(entrants) :])
    for row in board["rows"]:
        if row["entrant"] in skills:
            assert (row["mu"], row["sigma"]) == pytest.approx(skills[row["entrant"]], abs=1e-5)
    _require_closed(season, closing, board["rows"])


def _require_rounds(season: Line, entrants: Sequence[Line], lines: Sequence[Line]) -> Skills:
    """Hold every meeting to its entrants, seats and ratings; return the ratings after the last one."""
    skills: Skills = {}
    starts = [index for index, line in enumerate(lines) if line["kind"] == "meeting"]
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        meeting, matches = lines[start], lines[start + 1 : stop]
        event = season["events"][meeting["event"]]
        table = [{name: entrants[one][name] for name in FROZEN} for one in meeting["entrants"]]
        assert hashlib.sha256(canonical(table)).hexdigest() == meeting["entrants_sha256"]
        for entrant, before in zip(meeting["entrants"], meeting["before"], strict=True):
            if before is not None:
                assert skills.get(entrant, tuple(before)) == pytest.approx(tuple(before), abs=1e-6)
                skills[entrant] = tuple(before)
        header = {**season, "entrants_sha256": meeting["entrants_sha256"], "endpoint_duplicates": False}
        for match in matches:
            _require_seated(event, meeting, match)
            endpoints = {one["number"] for one in entrants if one["bot_kind"] == "endpoint"}
            twin_ledger.require_dealt(header, match, endpoints)
            if meeting["is_rated"]:
                _move(skills, match)
        for entrant, after in zip(meeting["entrants"], meeting["after"], strict=True):
            assert (after is None) == (entrant not in skills)
            assert after is None or tuple(after) == pytest.approx(skills[entrant], abs=1e-6)
    return skills


def _require_seated(event: Line, meeting: Line, match: Line) -> None:
    table, deals = meeting["entrants"], event["deals"]
    number, rest = divmod(match["number"], len(table) * deals)
    rotation, deal = divmod(rest, deals)
    deal += number * deals
    assert number == meeting["number"]
    assert (match["table"], match["deal"], match["rotation"]) == (number, deal, rotation)
    orders = list(permutations(table[1:]))
    order = (table[0], *orders[deal % len(orders)])
    assert match["entrants"] == [order[(side - rotation) % len(table)] for side in sides_of(event)]


def _move(skills: Skills, match: Line) -> None:
    """Let one match move the ratings of those at its table, but for fillers."""
    if len(match["forfeits"]) == len(match["entrants"]):
        return
    places = dict(zip(match["entrants"], match["places"], strict=True))
    playing = [entrant for entrant in places if entrant in skills]
    if len(playing) < 2:
        return
    teams = [[_MODEL.rating(mu=skills[one][0], sigma=skills[one][1])] for one in playing]
    moved = _MODEL.rate(teams, ranks=[places[one] for one in playing])
    skills.update({one: (team[0].mu, team[0].sigma) for one, team in zip(playing, moved, strict=True)})


def _require_closed(season: Line, closing: Sequence[Line], rows: Sequence[Line]) -> None:
    """Hold the tournament that closed a season to its commitment, and the board to its standings."""
    header = closing[0]
    assert (header["tournament"], header["commitment"]) == (season["closing"], season["closing_commitment"])
    twin_ledger.require_bound(closing)
    entrants = {line["number"]: line for line in closing if line["kind"] == "entrant"}
    for match in closing:
        if match["kind"] == "match":
            twin_ledger.require_dealt(header, match, set())
    overall = closing[-1]["rows"]
    names = [f"{entrants[row['entrant']]['owner']}/{entrants[row['entrant']]['bot']}" for row in overall]
    assert [row["name"] for row in rows] == names
    assert [row["closing_points"] for row in rows] == [row["points"] for row in overall]
    assert [row["place"] for row in rows] == [row["place"] for row in overall]
