"""The whole service as its users meet it: up, kills, worker counts, the demo, the README."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from support import installation
from support.installation import Installation

from api.client import Client

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "api" / "samples"
SECRET = "07" * 32
WAIT_SECONDS = 90
pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]

EVENTS = [
    {"game": "hana_awase", "deals": 24},
    {"game": "seiten", "deals": 6},
    {"game": "hachinin_meri", "options": {"rounds": 2}, "deals": 4},
]


def submit_sample(organiser: Client, url: str, author: str) -> str:
    """Create an author who submits a sample module; return the bot's id once it has qualified."""
    with Client(url, organiser.create_account(author)["token"]) as client:
        answer = client.submit_module("memory", "memory_bot.py", (SAMPLES / "memory_bot.py").read_bytes())
        assert client.wait_qualified(answer["id"], answer["version"])["state"] == "qualified"
    return str(answer["id"])


def start_cup(client: Client, url: str) -> str:
    """Start a tournament with a fixed secret seed; return its id."""
    entrants = [submit_sample(client, url, "ann"), "house/greedy", "house/random", "house/first"]
    plan = {"name": "cup", "entrants": entrants, "events": EVENTS, "secret_seed": SECRET}
    tournament = client.create_tournament(plan)
    client.start(tournament["id"])
    return str(tournament["id"])


def wait_finished(client: Client, tournament_id: str) -> dict[str, Any]:
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        state = client.tournament(tournament_id)
        if state["state"] == "finished":
            return state
        time.sleep(0.2)
    raise AssertionError(f"not finished: {state}")


def outcome(client: Client, tournament_id: str) -> dict[str, Any]:
    """Return all that must be the same however it was played: standings and every match."""
    kept = (
        "event",
        "number",
        "deal",
        "rotation",
        "entrants",
        "scores",
        "places",
        "points",
        "forfeits",
        "faults",
    )
    standings = client.standings(tournament_id)
    return {
        "overall": standings["overall"],
        "events": [event["rows"] for event in standings["events"]],
        "matches": [[match[key] for key in kept] for match in client.matches(tournament_id)],
    }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The outcome of the cup with one worker process and no accident."""
    calm = tmp_path_factory.mktemp("calm")
    with installation.running(calm, "--workers", "1") as up, Client(up.url, up.token) as client:
        tournament_id = start_cup(client, up.url)
        state = wait_finished(client, tournament_id)
        assert state["played"] == state["matches"] == len(list(client.matches(tournament_id)))
        return outcome(client, tournament_id)


def test_three_worker_processes_give_the_same_outcome_as_one(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    with installation.running(tmp_path, "--workers", "3") as up, Client(up.url, up.token) as client:
        tournament_id = start_cup(client, up.url)
        wait_finished(client, tournament_id)
        assert outcome(client, tournament_id) == undisturbed


def test_killed_workers_and_an_emptied_redis_change_nothing(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    with (
        installation.running(
            tmp_path, "--workers", "2", FUDABA_LEASE_SECONDS="3", FUDABA_SWEEP_SECONDS="1"
        ) as up,
        Client(up.url, up.token) as client,
    ):
        tournament_id = start_cup(client, up.url)
        killed = 0
        for strike in (_kill_child, _kill_worker, _kill_redis):
            _wait_for_progress(client, tournament_id)
            killed += strike(up)
        assert killed == 3
        wait_finished(client, tournament_id)
        assert outcome(client, tournament_id) == undisturbed
        assert re.search(
            r'"event": "batch_done".*"attempt": [23]|"attempt": [23].*"batch_done"', _log(up, "worker")
        )


def _wait_for_progress(client: Client, tournament_id: str) -> None:
    """Return when more has been played than at the beginning of the call."""
    before = client.tournament(tournament_id)["played"]
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        if client.tournament(tournament_id)["played"] > before:
            return
        time.sleep(0.02)
    raise AssertionError("nothing is played")


def _kill_child(up: Installation) -> bool:
    """Kill one worker process that plays bots; its bots must end with it."""
    parents = {process.pid for process in up.named("workers.main worker")}
    children = [p for p in up.named("workers.main worker") if p.ppid() in parents]
    bots = [bot for child in children for bot in child.children(recursive=True)]
    victim = max(children, key=lambda child: len(child.children()))
    mine = victim.children(recursive=True)
    victim.kill()
    _, alive = psutil.wait_procs(mine, timeout=5)
    assert alive == [], f"{len(bots)} bots, left running: {alive}"
    return True


def _kill_worker(up: Installation) -> bool:
    """Kill all worker processes at once."""
    for process in up.named("workers.main worker"):
        process.kill()
    return True


def _kill_redis(up: Installation) -> bool:
    """Kill Redis and remove what it has kept."""
    (server,) = up.named("valkey-server")
    server.kill()
    for file in (up.home / "appendonlydir").glob("*"):
        file.unlink()
    return True


def _log(up: Installation, name: str) -> str:
    return (up.home / "logs" / f"{name}.log").read_text()


def test_a_second_up_on_one_home_is_refused(tmp_path: Path) -> None:
    with installation.running(tmp_path) as up:
        command = [installation.FUDABA, "up", "--home", str(up.home), "--port", "0"]
        second = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert second.returncode == 1
        assert f"another `fudaba up` is running on {up.home}" in second.stderr
        assert (up.home / "organiser.token").exists() is False


def test_a_taken_port_is_a_clear_error_that_leaves_nothing(tmp_path: Path) -> None:
    with installation.running(tmp_path / "a") as up:
        port = up.url.rsplit(":", 1)[1]
        command = [installation.FUDABA, "up", "--home", str(tmp_path / "b"), "--port", port]
        second = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert second.returncode == 1
        assert f"cannot listen on 127.0.0.1:{port}" in second.stderr


def test_the_token_is_made_once_and_kept_from_others(tmp_path: Path) -> None:
    for _ in range(2):
        with installation.running(tmp_path, FUDABA_ORGANISER_TOKEN="") as up:
            path = up.home / "organiser.token"
            assert path.stat().st_mode & 0o777 == 0o600
            with Client(up.url, path.read_text().strip()) as client:
                assert client.me()["role"] == "organiser"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_is_left_however_it_ends(tmp_path: Path, number: signal.Signals) -> None:
    with installation.running(tmp_path) as up:
        started = up.descendants()
        assert len(started) >= 5
        up.process.send_signal(number)
        up.process.wait(timeout=60)
        _, alive = psutil.wait_procs(started, timeout=20)
        assert alive == []


def test_the_demo_plays_everything_and_ends_well(tmp_path: Path) -> None:
    before = set(psutil.pids())
    done = subprocess.run(
        [installation.FUDABA, "demo", "--home", str(tmp_path / "demo")],
        capture_output=True,
        text=True,
        timeout=200,
        env={**os.environ, "COLUMNS": "120"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("ann/plain_bot", "ben/memory_bot", "cho/endpoint_bot", "house/greedy"):
        assert done.stdout.count(name) >= 7
    assert "replay of match" in done.stdout
    left = [p for p in set(psutil.pids()) - before if _is_of(p, str(tmp_path))]
    assert left == []


def _is_of(pid: int, text: str) -> bool:
    try:
        return text in " ".join(psutil.Process(pid).cmdline())
    except psutil.Error:
        return False


FIELD = """field() { python3 -c "import json, sys; print(json.load(sys.stdin)['$1'])"; }\n"""


@pytest.mark.parametrize("page", ["README.md", "docs/api.md"])
def test_the_examples_of_the_pages_run_as_they_stand(tmp_path: Path, page: str) -> None:
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    assert blocks
    for source in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)[:1]:
        (tmp_path / "bot.py").write_text(source)
    with installation.running(tmp_path / "home", FUDABA_ALLOW_PRIVATE_ENDPOINTS="true") as up:
        script = "set -euo pipefail\n" + FIELD + "\n".join(blocks)
        path = f"{Path(installation.FUDABA).parent}:{os.environ['PATH']}"
        env = {**os.environ, "URL": up.url, "TOKEN": up.token, "PATH": path}
        done = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=150
        )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
