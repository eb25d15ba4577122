"""The forms of the web pages: submitting bots, and what organisers do with tournaments."""

import io
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from support import arena
from support.browsing import post
from support.callers import MODULE

from api.pages import sessions
from api.schemas.tournaments import NewTournamentSchema
from engine.limits import RANGES
from store import audit, bots, tournaments
from store.models.bots import BotKind, VersionState
from store.models.tournaments import TournamentState
from store.settings import Settings
from workers.services import Services

PLAN = {"name": "Cup", "games": "sutda", "sutda.seats": "3", "sutda.deals": "2", "sutda.option.rounds": "1"}


SET_BY_THE_FORM = {
    *(
        "name",
        "events",
        "entrants",
        "limits",
        "stop",
        "endpoint_teams",
        "endpoint_duplicates",
        "owners_apart",
    ),
    *("secret_seed", "entries_close_at", "entries_per_owner", "weight"),
}


def module(content: bytes = MODULE, filename: str = "bot.py") -> dict[str, Any]:
    return {"kind": "module", "name": "mine", "file": (io.BytesIO(content), filename)}


def test_a_module_is_submitted_and_watched(ann: FlaskClient, services: Services) -> None:
    answer = post(ann, "/submit", {**module(), "games": ["sutda", "seiten"]})
    assert answer.status_code == 303, answer.text
    page = ann.get(answer.location).text
    assert "It waits to be tried out; 0 versions before it." in page
    assert '<meta http-equiv="refresh"' in page
    with services.database.transaction() as tx:
        bot = bots.by_reference(tx, "ann/mine")
        version = bots.version(tx, bot.id, 1)
    assert (bot.kind, version.state) == (BotKind.MODULE, VersionState.QUALIFYING)
    assert version.games == ["seiten", "sutda"]


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({**module(), "name": "bad name"}, "name"),
        ({"kind": "module", "name": "mine"}, "choose a file"),
        (module(b"def act(:\n"), "line 1"),
        (module(filename="bot.exe"), "bot.exe"),
        ({**module(), "games": "chess"}, "chess"),
        ({"kind": "endpoint", "name": "mine", "url": "ftp://example.org"}, "ftp"),
        ({"kind": "endpoint", "name": "mine", "url": "http://example.org", "max_batch": "many"}, "max_batch"),
    ],
)
def test_a_bad_submission_is_shown_again_with_what_is_wrong(
    ann: FlaskClient, form: dict[str, Any], said: str
) -> None:
    answer = post(ann, "/submit", form)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert said in answer.text.partition('role="alert"')[2][:300]


def test_the_secret_of_an_endpoint_is_shown_once(ann: FlaskClient) -> None:
    form = {"kind": "endpoint", "name": "far", "url": "https://example.org/bot", "max_batch": "8"}
    first = post(ann, "/submit", form)
    assert first.status_code == 200
    assert "shown this once" in first.text
    assert post(ann, "/submit", form).status_code == 303


def test_an_older_version_can_be_made_to_play(ann: FlaskClient, services: Services) -> None:
    for content in (MODULE, MODULE + b"\n# two\n"):
        post(ann, "/submit", module(content))
    with services.database.transaction() as tx:
        bot = bots.by_reference(tx, "ann/mine")
        for version in bots.versions(tx, bot.id, limit=2):
            version.state = VersionState.QUALIFIED
        bot.active_number = 2
    answer = post(ann, f"/bots/{bot.id}/activate", {"number": "1"}, form="/submit")
    assert answer.status_code == 303
    with services.database.transaction() as tx:
        assert bots.get(tx, bot.id).active_number == 1
    assert post(ann, f"/bots/{bot.id}/activate", {"number": "x"}, form="/submit").status_code == 404


def test_a_dry_run_tells_what_would_be_played_and_makes_nothing(
    boss: FlaskClient, services: Services
) -> None:
    answer = post(boss, "/tournaments/new", {**PLAN, "entrants": list(arena.HOUSE), "dry_run": "1"})
    assert answer.status_code == 200
    assert "What would be played" in answer.text
    assert '<td class="number">6</td>' in answer.text
    assert 'value="Cup"' in answer.text
    with services.database.transaction() as tx:
        assert tournaments.page(tx, limit=1) == []


def test_a_tournament_is_made_started_paused_resumed_and_cancelled(
    boss: FlaskClient, services: Services
) -> None:
    form = {**PLAN, "entrants": ["house/greedy", "house/first"], "more_entrants": "house/random, house/first"}
    made = post(boss, "/tournaments/new", form)
    assert made.status_code == 303, made.text
    path = made.location
    states = []
    for action in ("start", "pause", "resume", "cancel"):
        assert post(boss, f"{path}/{action}", {}, form=path).location == path
        with services.database.transaction() as tx:
            states.append(tournaments.get(tx, UUID(path.rpartition("/")[2])).state)
    running = TournamentState.RUNNING
    assert states == [running, TournamentState.PAUSED, running, TournamentState.CANCELLED]
    with services.database.transaction() as tx:
        tournament = tournaments.get(tx, UUID(path.rpartition("/")[2]))
        noted = [entry.action for entry in audit.page(tx, limit=9, tournament_id=tournament.id)]
    assert [e.name for e in tournament.entrants] == ["house/greedy", "house/first", "house/random"]
    assert tournament.events[0].options["rounds"] == 1
    assert noted == [f"tournament.{name}" for name in ("cancel", "resume", "pause", "start", "create")]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": ""}, "name"),
        ({"games": []}, "choose at least one game"),
        ({"sutda.deals": "0"}, "deals"),
        ({"sutda.deals": "many"}, "deals"),
        ({"sutda.option.rounds": "2000"}, "rounds"),
        ({"sutda.option.tie": "coin"}, "tie"),
        ({"entrants": "house/nobody"}, "house/nobody"),
        ({"limit.memory_mb": "3"}, "limit memory_mb is 3; allowed: a whole number from 64"),
        ({"limit.max_faults": "many"}, "limit max_faults is &#39;many&#39;"),
        ({"top": "0"}, "stop.top"),
        ({"top": "1", "separation": "2"}, "stop.separation"),
        ({"top": "1", "separation": "sure"}, "stop.separation"),
        ({"more_games": "sutda,seats"}, "&#39;seats&#39; is not NAME=VALUE"),
        ({"more_games": "sutda,deals=1,deals=2"}, "deals is given twice"),
        ({"more_games": "chess"}, "chess"),
        ({"secret_seed": "12"}, "64 hex digits"),
        ({"entries_close_at": "tomorrow"}, "entries_close_at"),
        ({"entries_per_owner": "0"}, "entries_per_owner"),
        ({"weight": "101"}, "weight"),
    ],
)
def test_a_bad_plan_is_shown_again_with_what_is_wrong(
    boss: FlaskClient, change: dict[str, Any], said: str
) -> None:
    answer = post(boss, "/tournaments/new", {**PLAN, **change})
    assert answer.status_code == 422
    assert said in answer.text.partition('role="alert"')[2][:400]


def test_everything_that_the_api_takes_can_be_set_in_the_form(boss: FlaskClient, services: Services) -> None:
    limits = {name: least for name, (least, _) in RANGES.items()}
    form = {
        **PLAN,
        "sutda.schedule": "balanced",
        "more_games": "sutda,seats=2,deals=3\r\n\r\n hana_awase, rounds=1\r\n",
        "entrants": list(arena.HOUSE),
        "top": "2",
        "separation": "0.9",
        "endpoint_duplicates": "on",
        "owners_apart": "on",
        "secret_seed": arena.SECRET.hex(),
        "entries_close_at": "2099-12-24T18:00",
        "entries_per_owner": "3",
        "weight": "5",
        **{f"limit.{name}": str(least) for name, least in limits.items()},
    }
    made = post(boss, "/tournaments/new", form)
    assert made.status_code == 303, made.text
    with services.database.reading() as tx:
        cup = tournaments.get(tx, UUID(made.location.rpartition("/")[2]))
    games = [(event.game, event.seats, event.deals, event.schedule) for event in cup.events]
    assert games == [("sutda", 3, 2, "balanced"), ("sutda", 2, 3, "full"), ("hana_awase", 3, 12, "full")]
    assert (cup.events[2].options["rounds"], cup.limits, cup.secret) == (1, limits, arena.SECRET)
    assert (cup.stop, cup.entries_per_owner, cup.weight) == ({"top": 2, "separation": 0.9}, 3, 5)
    assert (cup.endpoint_teams, cup.endpoint_duplicates, cup.owners_apart) == (False, True, True)
    assert cup.entries_close_at == datetime(2099, 12, 24, 18, tzinfo=UTC)
    assert {*NewTournamentSchema().fields} == SET_BY_THE_FORM


def test_what_is_rarely_set_is_folded_until_it_is(boss: FlaskClient) -> None:
    fresh = boss.get("/tournaments/new").text
    assert "<details open" not in fresh
    assert all(f'name="limit.{name}"' in fresh for name in RANGES)
    shown = post(boss, "/tournaments/new", {**PLAN, "limit.memory_mb": "3"}).text
    assert shown.count("<details open") == 1
    assert re.search(r'name="limit.memory_mb"[^>]+value="3" aria-invalid="true"', shown)


def test_what_a_state_does_not_allow_is_a_conflict(boss: FlaskClient, services: Services) -> None:
    path = f"/tournaments/{arena.draft(services.database).id}"
    answer = post(boss, f"{path}/pause", {}, form=path)
    assert (answer.status_code, answer.mimetype) == (409, "text/html")


def test_participants_enter_their_own_bots_alone(ann: FlaskClient, services: Services) -> None:
    post(ann, "/submit", module())
    with services.database.transaction() as tx:
        bot = bots.by_reference(tx, "ann/mine")
        bots.version(tx, bot.id, 1).state = VersionState.QUALIFIED
        bot.active_number = 1
    draft = arena.draft(services.database)
    path = f"/tournaments/{draft.id}"
    assert "<option>ann/mine</option>" in ann.get(path).text
    assert post(ann, f"{path}/enter", {"bots": "house/first"}, form=path).status_code == 403
    assert post(ann, f"{path}/enter", {"bots": ""}, form=path).status_code == 422
    assert post(ann, f"{path}/enter", {"bots": "ann/mine"}, form=path).status_code == 303
    assert arena.again(services.database, draft).entrants[-1].name == "ann/mine"


def test_the_key_of_sessions_is_made_once_for_the_owner_alone(tmp_path: Path) -> None:
    settings = Settings.from_env({"FUDABA_HOME": str(tmp_path / "home")})
    key = sessions.session_key(settings)
    assert len(key) == 64
    assert sessions.session_key(settings) == key
    kept = tmp_path / "home" / sessions.KEY_FILE
    assert kept.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in kept.parent.iterdir()] == [sessions.KEY_FILE]
    given = Settings.from_env({"FUDABA_HOME": str(tmp_path), "FUDABA_SESSION_SECRET": "given"})
    assert sessions.session_key(given) == "given"
