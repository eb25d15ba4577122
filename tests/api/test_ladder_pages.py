"""The pages of ladders and of bots side by side: what they show, and what their forms do."""

import re
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from support import arena, owners
from support import ladders as build
from support.browsing import post, sign_in
from support.callers import Caller
from support.ladders import TWO

from store import accounts, audit, boards, ladders, members, seasons
from store.models.accounts import Account
from store.models.bots import Bot, Visibility
from store.models.ladders import Ladder, LadderState
from workers.services import Services

FORM = {"name": "Stair", "games": "sakura", "sakura.seats": "2", "sakura.option.rounds": "1", "deals": "3"}


@pytest.fixture
def ladder(services: Services) -> Ladder:
    """A ladder of house bots with three rounds in the ratings, and another being played."""
    made = build.made(services.database, arena.HOUSE, events=(TWO,), name="Stair")
    build.play_rounds(services, made.id, 3)
    with services.database.transaction() as tx:
        seasons.advance(tx, build.last(services.database, made.id).tournament_id, arena.NOW)
    return build.again(services.database, made.id)


def own_bot(services: Services, caller: Caller, name: str = "fox") -> UUID:
    """Give the account of a caller a qualified bot; return its id."""
    with services.database.transaction() as tx:
        account = accounts.authenticate(tx, caller.token or "")
        assert isinstance(account, Account)
    return owners.qualified_bot(services.database, account, name).bot_id


def test_a_ladder_shows_its_board_its_curves_and_who_plays_next(
    client: FlaskClient, services: Services, ladder: Ladder
) -> None:
    text = client.get(f"/ladders/{ladder.id}").text
    with services.database.reading() as tx:
        rows = boards.rows(tx, ladders.season(ladder))
    shown = re.findall(r'<td class="place">(\d+)</td>.*?<a href="/bots/[^"]+">([^<]+)</a>', text, re.S)
    assert [(int(place), name) for place, name in shown] == [(row.place, row.name) for row in rows]
    assert len(re.findall(r'class="up"|class="down"|title="no change"', text)) >= len(rows)
    assert 'class="chart wide"' in text
    assert "Round 4, Sakura, is being played at 1 table" in text
    assert "Latest matches" in text
    assert "revealed when its rounds are over" in text
    assert ladder.seasons[0].tournament.secret.hex() not in text
    part = client.get(f"/ladders/{ladder.id}?part=live").text
    assert part.strip().startswith('<div id="live" data-running="1">')


def test_seasons_keep_their_standings_and_their_matches_can_be_watched(
    client: FlaskClient, services: Services, ladder: Ladder
) -> None:
    build.end_season(services, ladder.id)
    first, second = build.again(services.database, ladder.id).seasons
    text = client.get(f"/ladders/{ladder.id}?season=1").text
    assert first.sha256 is not None and first.sha256 in text
    assert first.tournament.secret.hex() in text
    assert "Closing" in text
    assert "Who plays next" not in text
    assert f"season={second.number}" in text
    listed = client.get(f"/ladders/{ladder.id}/matches?season=1").text
    found = re.findall(r'href="/matches/([0-9a-f]{32}-\d+)"', listed)
    assert len(found) == 8
    shown = client.get(f"/matches/{found[0]}").text
    assert f'href="/ladders/{ladder.id}?season=1"' in shown
    assert client.get(f"/tournaments/{first.tournament_id}").location == f"/ladders/{ladder.id}?season=1"
    assert client.get(f"/ladders/{ladder.id}?season=3").status_code == 404
    assert client.get(f"/ladders/{ladder.id}?season=x").status_code == 422


def test_lists_of_ladders_name_who_leads(client: FlaskClient, services: Services, ladder: Ladder) -> None:
    with services.database.reading() as tx:
        leader = boards.rows(tx, ladders.season(ladder))[0].name
    for path in ("/ladders", "/"):
        text = client.get(path).text
        assert f'<span class="place">1</span> <span>{leader}</span>' in text, path


def test_an_organiser_makes_ends_and_closes_a_ladder(boss: FlaskClient, services: Services) -> None:
    made = post(boss, "/ladders/new", FORM)
    assert made.status_code == 303, made.text
    ladder_id = UUID(made.location.rpartition("/")[2])
    ladder = build.again(services.database, ladder_id)
    assert (ladder.name, ladder.deals) == ("Stair", 3)
    assert [(one["game"], one["seats"], one["options"]["rounds"]) for one in ladder.settings] == [
        ("sakura", 2, 1)
    ]
    for action in ("end_season", "close"):
        assert post(boss, f"{made.location}/{action}", {}, form=made.location).location == made.location
    again = build.again(services.database, ladder_id)
    assert (again.state, again.seasons[0].is_ending) == (LadderState.CLOSED, True)
    with services.database.reading() as tx:
        noted = [entry.action for entry in audit.page(tx, limit=3)]
    assert noted == ["ladder.close", "ladder.end_season", "ladder.create"]
    assert post(boss, f"{made.location}/close", {}, form="/ladders/new").status_code == 409


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": ""}, "name"),
        ({"games": []}, "choose at least one game"),
        ({"deals": "0"}, "deals"),
        ({"deals": "many"}, "deals"),
        ({"round_seconds": "-1"}, "round_seconds"),
        ({"sakura.seats": "99"}, "seats"),
        ({"sakura.option.rounds": "2000"}, "rounds"),
        ({"limit.memory_mb": "3"}, "limit memory_mb is 3"),
        ({"more_games": "sutda,deals=2"}, "deals"),
        ({"secret_seed": "12"}, "64 hex digits"),
    ],
)
def test_a_bad_ladder_is_shown_again_with_what_is_wrong(
    boss: FlaskClient, change: dict[str, Any], said: str
) -> None:
    answer = post(boss, "/ladders/new", {**FORM, **change})
    assert answer.status_code == 422
    assert said in answer.text.partition('role="alert"')[2][:300]


def test_participants_enter_and_take_off_their_own_bots(
    client: FlaskClient, services: Services, participant: Caller, ladder: Ladder
) -> None:
    bot_id = own_bot(services, participant)
    sign_in(client, participant.token)
    path = f"/ladders/{ladder.id}"
    assert "<option>ann/fox</option>" in client.get(path).text
    assert post(client, f"{path}/join", {"bots": ""}, form=path).status_code == 422
    assert post(client, f"{path}/join", {"bots": "house/search"}, form=path).status_code == 403
    assert post(client, f"{path}/join", {"bots": "ann/fox"}, form=path).status_code == 303
    text = client.get(path).text
    assert "<option>ann/fox</option>" not in text
    assert text.count("Take off") == 1
    assert post(client, f"{path}/members/{bot_id}/leave", {}, form=path).status_code == 303
    with services.database.reading() as tx:
        entered = members.of_ladder(tx, ladder.id)
    assert bot_id not in {member.bot_id for member in entered}
    house = f"{path}/members/{entered[0].bot_id}/leave"
    assert post(client, house, {}, form=path).status_code == 403


def test_bots_are_compared_by_game_on_ladders_and_against_each_other(
    client: FlaskClient, ladder: Ladder
) -> None:
    text = client.get("/bots/compare?bot=house/greedy&bot=house/random&bot=house/first").text
    assert "On <a" in text and "Stair" in text
    assert text.count('class="chart wide"') == 1
    assert len(re.findall(r'class="shade-\d+" title="\d+ match', text)) >= 4
    assert "without house/first" in text
    alone = client.get("/bots/compare?bot=house/greedy").text
    assert "Name two bots" in alone


def test_what_cannot_be_compared_is_said(
    client: FlaskClient, services: Services, participant: Caller
) -> None:
    bot_id = own_bot(services, participant)
    assert client.get("/bots/compare?bot=ann/fox&bot=house/first").status_code == 200
    with services.database.transaction() as tx:
        tx.get_one(Bot, bot_id).visibility = Visibility.PRIVATE
    assert client.get("/bots/compare?bot=ann/fox&bot=house/first").status_code == 404
    assert client.get("/bots/compare?bot=house/nobody").status_code == 404
    many = "&".join(f"bot=house/bot{number}" for number in range(7))
    assert client.get(f"/bots/compare?{many}").status_code == 422


def test_a_bot_shows_where_it_stands_and_how_its_rating_went(client: FlaskClient, ladder: Ladder) -> None:
    link = re.search(r'href="(/bots/[0-9a-f-]+)"', client.get(f"/ladders/{ladder.id}").text)
    assert link is not None
    text = client.get(link[1]).text
    assert "On ladders" in text
    assert 'class="chart wide"' in text
    assert "Version 1" in text
