"""A client that openapi-python-client makes of the document lists the games and creates a tournament."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from support import arena, databases
from support.served import served

from api.app import create_app

pytestmark = [pytest.mark.integration, pytest.mark.slow]

# What somebody would write who has never seen anything but the document.
SCRIPT = """
import sys
from fudaba_client import AuthenticatedClient
from fudaba_client.api.games import get_api_v1_games
from fudaba_client.api.tournaments import post_api_v1_tournaments
from fudaba_client.models import NewEvent, NewTournament

url, token = sys.argv[1:]
with AuthenticatedClient(base_url=url, token=token) as client:
    games = get_api_v1_games.sync(client=client)
    print(",".join(game.id for game in games.items))
    plan = NewTournament(name="made", entrants=["house/greedy"], events=[NewEvent(game="sutda", deals=1)])
    made = post_api_v1_tournaments.sync(client=client, body=plan)
    print(made.name, made.state.value, made.events[0].game)
"""


def test_a_generated_client_lists_games_and_creates_a_tournament(tmp_path: Path) -> None:
    app = create_app(arena.install(databases.sqlite(tmp_path)))
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(app.test_client().get("/api/v1/openapi.json").json))
    made = subprocess.run(
        [
            *(str(Path(sys.executable).with_name("openapi-python-client")), "generate", "--meta", "none"),
            *("--path", str(document), "--output-path", str(tmp_path / "fudaba_client")),
        ],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=100,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    with served(app) as url:
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, url, arena.TOKEN],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            timeout=60,
        )
    assert done.returncode == 0, done.stderr
    games, tournament = done.stdout.splitlines()
    assert "sutda" in games.split(",")
    assert tournament == "made draft sutda"
