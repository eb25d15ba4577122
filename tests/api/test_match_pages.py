"""The pages of a tournament that is over and of its matches, read without scripts."""

import re
import shutil
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from support import arena

from engine import games
from store import matches, timings, tournaments
from store.database import Database
from store.models.matches import Result
from store.models.tournaments import Tournament
from workers.services import Services

OPTIONS = {"seiten": {}}


@pytest.fixture(scope="module")
def stored(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a database with a finished tournament of all games, played once for all tests here."""
    path = tmp_path_factory.mktemp("finished") / "fudaba.db"
    shutil.copy(migrated, path)
    made = arena.install(Database(f"sqlite:///{path}"))
    events = [
        {"game": game.id, "options": OPTIONS.get(game.id, {"rounds": 1}), "deals": 1}
        for game in games.all_games()
    ]
    arena.finished(made, *events)
    made.close()
    return path


@pytest.fixture
def finished(services: Services) -> Tournament:
    with services.database.reading() as tx:
        [tournament] = tournaments.page(tx, limit=1)
        return tournaments.get(tx, tournament.id)


def test_every_page_can_be_read_without_scripts(client: FlaskClient, finished: Tournament) -> None:
    text = client.get(f"/tournaments/{finished.id}").text
    assert "house/greedy" in text
    assert "ahead by" in text
    assert finished.secret.hex() in text
    assert finished.commitment in text
    event = client.get(f"/tournaments/{finished.id}/events/3").text
    assert "Who beat whom" in event
    assert re.search(r'<td class="shade-\d+" title="\d+ match', event)
    assert "every two entrants meet" in event
    assert event.count('<svg class="interval"') == len(arena.HOUSE)


@pytest.mark.parametrize("index", range(len(games.all_games())))
def test_every_step_of_a_match_can_be_shown(client: FlaskClient, finished: Tournament, index: int) -> None:
    path = f"/matches/{matches.match_id_of(finished.events[index].id, 1)}"
    found = re.search(r'data-last="(\d+)"', client.get(path).text)
    assert found is not None
    last = int(found[1])
    for step in range(0, last + 1, max(1, last // 25)):
        text = client.get(f"{path}?step={step}&part=board").text
        assert f'data-step="{step}"' in text
        assert ('<span class="mark">chosen</span>' in text) is (step < last)
    assert "the match is over" in client.get(f"{path}?step={last}").text


def test_what_a_decision_took_is_shown_beside_it(
    client: FlaskClient, services: Services, finished: Tournament
) -> None:
    event = finished.events[0]
    path = f"/matches/{matches.match_id_of(event.id, 0)}"
    assert 'class="spent"' not in client.get(path).text
    with services.database.transaction() as tx:
        tx.get_one(Result, (event.id, 0)).spent = timings.pack({0: 400, 2: 1_250_000, 3: 20})
    first = client.get(path).text
    assert re.search(r"<strong>seat \d .*?</strong> <span class=\"quiet\">in 0.4 ms</span>", first, re.S)
    assert first.count('class="spent"') == 3
    assert "the longest 1,250 ms" in first
    assert "in 1,250 ms" in client.get(f"{path}?step=2&part=board").text
    assert "in under 0.1 ms" in client.get(f"{path}?step=3&part=board").text
    assert not re.search(r"in [\d.,]+ ms", client.get(f"{path}?step=1&part=board").text)
    replay = client.get(f"/api/v1{path}/replay").get_json()
    assert replay["spent"] == [[0, 0.4], [2, 1250.0], [3, 0.0]]


def test_one_seat_sees_no_card_of_the_others(client: FlaskClient, finished: Tournament) -> None:
    path = f"/matches/{matches.match_id_of(finished.events[0].id, 0)}"
    hands = re.findall(r'aria-label="Hand">(.*?)</div>', client.get(f"{path}?step=0&seat=1").text, re.S)
    assert len(hands) == 4
    assert ["a card face down" in hand for hand in hands].count(True) == 3
    assert "decides, unseen" in client.get(f"{path}?step=0&seat=1").text
    assert "a card face down" not in client.get(f"{path}?step=0").text


@pytest.mark.parametrize("query", ["step=99999", "step=x", "step=-1", "seat=9", "seat=x"])
def test_a_step_or_seat_that_is_not_there_is_refused(
    client: FlaskClient, finished: Tournament, query: str
) -> None:
    answer = client.get(f"/matches/{matches.match_id_of(finished.events[0].id, 0)}?{query}")
    assert answer.status_code == 422
    assert "expected a whole number" in answer.text
