"""Records of seasons: what is written is verified from beginning to end, and forgeries are refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from support import arena, databases, ladders, ledgers, plans, twin_season

from engine import verify
from engine.ledger import WrongLine
from engine.online import MU, SIGMA
from store import ladders as store_ladders
from store import season_records, tournaments
from store.database import Database
from store.errors import Conflict
from store.models.accounts import Account
from store.models.bots import Bot, Version, VersionState
from store.models.ladders import Season, SeasonPhase
from workers.services import Services

Data = dict[str, Any]


def season(made: Services, rounds: int = 2) -> Season:
    """Play a season over two games, with a table that a filler completes, and close it."""
    names = (*arena.HOUSE, *arena.crowd(made.database, 2))
    ladder = ladders.made(made.database, names, events=(ladders.SHORT, ladders.TWO), closing_deals=1)
    ladders.play_rounds(made, ladder.id, rounds)
    return ladders.end_season(made, ladder.id)


def record(database: Database, of: Season) -> list[bytes]:
    return b"".join(season_records.stream(database, of.tournament_id)).splitlines(keepends=True)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Database, Season]:
    """A season that is over."""
    made = arena.install(databases.sqlite(tmp_path_factory.mktemp("season")))
    return made.database, season(made)


@pytest.fixture(scope="module")
def written(played: tuple[Database, Season]) -> list[Data]:
    """The lines of a record of a season without their `prev`."""
    lines = [json.loads(line) for line in record(*played)]
    return [{name: value for name, value in line.items() if name != "prev"} for line in lines]


@databases.SQLITE_FIRST
def test_the_record_of_a_season_is_right(database: Database) -> None:
    made = arena.install(database)
    found = season(made)
    lines = record(database, found)
    summary = verify.check(lines)
    assert summary.standings_sha256 == found.sha256
    twin_season.require_right(b"".join(lines))
    kinds = [json.loads(line)["kind"] for line in lines]
    assert (kinds[0], kinds[-2:], kinds.count("header")) == ("season", ["board", "end"], 1)
    assert summary.matches + summary.set_aside == kinds.count("match") + kinds.count("set_aside")
    assert {json.loads(line)["round"] for line in lines if b'"kind":"meeting"' in line} == {0, 1, 2}


def test_the_record_is_the_same_whatever_is_read_at_a_time(
    played: tuple[Database, Season], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = record(*played)
    monkeypatch.setattr(season_records, "PAGE", 1)
    assert record(*played) == expected


def test_meetings_are_read_in_the_order_of_their_key(played: tuple[Database, Season]) -> None:
    database, of = played
    with plans.recorded(database) as statements:
        record(database, of)
    [asked] = [one for text, one in statements.items() if text.startswith("SELECT ladder_meetings")]
    with database.engine.connect() as connection:
        plan = [
            row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked.text}", asked.values)
        ]
    [step] = plan  # nothing is sorted
    assert step.endswith("(event_id=? AND number>?)")


@pytest.mark.slow
def test_the_next_season_begins_with_the_strength_of_before_and_new_versions_with_doubt(
    tmp_path: Path,
) -> None:
    """Three sides and two members: a filler sits at every table of the first game."""
    made = arena.install(databases.sqlite(tmp_path))
    ladder = ladders.made(
        made.database, arena.crowd(made.database, 2), events=(ladders.SHORT, ladders.TWO), closing_deals=1
    )
    ladders.play_rounds(made, ladder.id, 2)
    with made.database.transaction() as tx:
        bot = tx.scalars(select(Bot).join(Bot.owner).where(Account.name == "owner0")).one()
        second = {"number": 2, "state": VersionState.QUALIFIED, "sha256": "1" * 64, "games": []}
        tx.add(Version(bot_id=bot.id, created_at=arena.NOW, **second))
        bot.active_number = 2
    ladders.play_rounds(made, ladder.id, 4)
    one = ladders.end_season(made, ladder.id)
    ladders.play_rounds(made, ladder.id, 2)
    other = ladders.end_season(made, ladder.id)
    assert verify.check(record(made.database, one)).entrants == 4  # one has two versions, and the filler
    lines = record(made.database, other)
    assert verify.check(lines).entrants == 3
    twin_season.require_right(b"".join(lines))
    mu, sigma = first([json.loads(line) for line in lines], "meeting")["before"][0]
    assert (mu == MU, sigma) == (False, SIGMA)


def closing(made: Services) -> Season:
    """Play a season until the tournament that closes it is to be played."""
    ladder = ladders.made(made.database, arena.HOUSE)
    ladders.play_rounds(made, ladder.id, 2)
    with made.database.transaction() as tx:
        store_ladders.end_season(tx, ladder.id)
    ladders.play_open(made, {ladders.last(made.database, ladder.id).tournament_id})
    found = ladders.again(made.database, ladder.id).seasons[0]
    assert found.phase is SeasonPhase.CLOSING
    return found


def test_there_is_no_record_before_the_end(tmp_path: Path) -> None:
    made = arena.install(databases.sqlite(tmp_path))
    found = closing(made)
    with pytest.raises(Conflict, match="the season is being closed"):
        record(made.database, found)
    running = ladders.last(made.database, found.ladder_id)
    with pytest.raises(Conflict, match="the season is still played"):
        record(made.database, running)


def test_a_season_whose_closing_was_cancelled_is_in_the_order_of_its_ratings(tmp_path: Path) -> None:
    made = arena.install(databases.sqlite(tmp_path))
    found = closing(made)
    assert found.closing_id is not None
    with made.database.transaction() as tx:
        tournaments.cancel(tx, found.closing_id, arena.NOW)
    ladders.settle(made)
    lines = record(made.database, found)
    assert json.loads(lines[0])["closing"] is None
    assert [row["place"] for row in json.loads(lines[-2])["rows"]] == [1, 2, 3]
    assert verify.check(lines).matches > 0


def first(lines: list[Data], kind: str) -> Data:
    return next(line for line in lines if line["kind"] == kind)


def last_meeting(lines: list[Data]) -> Data:
    return [line for line in lines if line["kind"] == "meeting"][-1]


def change(kind: str, **values: Any) -> Callable[[list[Data]], None]:
    return lambda lines: first(lines, kind).update(values)


def swap_meetings(lines: list[Data]) -> None:
    """Let two rounds be applied in the other order."""
    at = [index for index, line in enumerate(lines) if line["kind"] == "meeting"]
    size = at[1] - at[0]
    lines[at[0] : at[0] + size], lines[at[1] : at[1] + size] = (
        lines[at[1] : at[1] + size],
        lines[at[0] : at[0] + size],
    )


def lose_meeting(lines: list[Data]) -> None:
    at = lines.index(last_meeting(lines))
    stop = next(index for index in range(at + 1, len(lines)) if lines[index]["kind"] == "header")
    del lines[at:stop]


def board_row(position: int, **values: Any) -> Callable[[list[Data]], None]:
    def forge(lines: list[Data]) -> None:
        first(lines, "board")["rows"][position].update(values)

    return forge


def worse_rating(lines: list[Data]) -> None:
    last_meeting(lines)["after"][0] = [30.0, 5.0]


def lighter_newcomer(lines: list[Data]) -> None:
    first(lines, "meeting")["before"][0] = [25.0, 4.0]


def better_places(lines: list[Data]) -> None:
    first(lines, "match")["places"].reverse()


def another_action(lines: list[Data]) -> None:
    del first(lines, "match")["actions"][-1]


def without_closing(lines: list[Data]) -> None:
    """Leave the closing tournament out, and say that there was none."""
    first(lines, "season")["closing"] = None
    start = lines.index(first(lines, "header"))
    del lines[start : lines.index(first(lines, "board"))]


FORGERIES: dict[str, tuple[Callable[[list[Data]], None], str]] = {
    "secret": (change("season", secret_seed="11" * 32), "commitment is not"),
    "rounds": (change("season", rounds=9), "rounds is 9"),
    "closing commitment": (change("season", closing_commitment="0" * 64), "commitment is not the one"),
    "closing": (change("season", closing="x"), "the season was closed by x"),
    "no closing": (without_closing, "row 0"),
    "board's hash": (change("season", sha256="0" * 64), "the SHA-256 of the board"),
    "owner": (change("entrant", owner="mallory"), "entrants_sha256"),
    "unrated": (change("meeting", is_rated=False), "is_rated is False"),
    "round": (change("meeting", round=1), "(round, event)"),
    "newcomer": (lighter_newcomer, "comes with"),
    "rating": (worse_rating, "goes with"),
    "order": (swap_meetings, "must be"),
    "meeting": (lose_meeting, "its meetings have"),
    "places": (better_places, "the match played again gives"),
    "actions": (another_action, "actions: there are"),
    "deal": (change("match", deal=7), "(table, deal, rotation)"),
    "seed": (change("match", seed="0" * 64), "seed is"),
    "board mu": (board_row(0, mu=99.0), "mu is 99.0"),
    "board place": (board_row(1, place=1), "place is 1"),
    "board matches": (board_row(0, matches=1), "matches is 1"),
    "board rating": (board_row(0, rating=9999.0), "rating is 9999.0"),
    "board stranger": (board_row(0, entrant=99), "who is on no board"),
    "board points": (board_row(0, closing_points="1"), "closing_points is '1'"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_record_is_refused(written: list[Data], name: str) -> None:
    forge, reason = FORGERIES[name]
    lines: list[Data] = json.loads(json.dumps(written))
    forge(lines)
    lines[-1]["lines"] = len(lines)
    with pytest.raises(WrongLine) as caught:
        verify.check(ledgers.chained(lines))
    assert reason in str(caught.value)


def test_a_record_with_one_changed_character_is_refused(written: list[Data]) -> None:
    lines = ledgers.chained(written)
    assert verify.check(lines).lines == len(lines)
    for at in range(0, len(lines), 7):
        broken = [*lines]
        broken[at] = lines[at].replace(b'"kind"', b'"kinD"', 1)
        with pytest.raises(WrongLine):
            verify.check(broken)
