"""The whole service as its users meet it: up and its end, the demo, the README."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from support import installation
from support.installation import Installation, gone, wait_finished
from support.misbehaving import DEEDS, module, turncoat

from api.client import Client

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.integration, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation that makes its own token and lets endpoints live on loopback."""
    home = tmp_path_factory.mktemp("home")
    variables = {"FUDABA_ALLOW_PRIVATE_ENDPOINTS": "true", "FUDABA_ORGANISER_TOKEN": ""}
    with installation.running(home, **variables) as running:
        running.token = (home / "organiser.token").read_text().strip()
        yield running


def fudaba(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([installation.FUDABA, *arguments], capture_output=True, text=True, timeout=60)


def test_a_second_up_on_one_home_is_refused(up: Installation) -> None:
    second = fudaba("up", "--home", str(up.home), "--port", "0")
    assert second.returncode == 1
    assert f"another `fudaba up` is running on {up.home}" in second.stderr


def test_a_taken_port_is_a_clear_error_that_leaves_nothing(up: Installation, tmp_path: Path) -> None:
    port = up.url.rsplit(":", 1)[1]
    second = fudaba("up", "--home", str(tmp_path), "--port", port)
    assert second.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}" in second.stderr
    assert not (tmp_path / "fudaba.db").exists()


def test_the_token_is_made_and_kept_from_others(up: Installation) -> None:
    assert (up.home / "organiser.token").stat().st_mode & 0o777 == 0o600
    assert up.home.stat().st_mode & 0o777 == 0o700
    with Client(up.url, up.token) as client:
        assert client.me()["role"] == "organiser"


def test_bots_that_misbehave_are_scored_with_evidence_and_harm_nobody_else(up: Installation) -> None:
    limits = {"decision_ms": 200, "module_wall_ms": 2000, "endpoint_wall_ms": 500, "memory_mb": 256}
    event = {"game": "hana_awase", "options": {"rounds": 2, "combinations": "none"}, "deals": 1}
    with Client(up.url, up.token) as client, turncoat() as endpoint:
        account = client.create_account("mallory")
        with Client(up.url, account["token"]) as author:
            submitted = {
                code: author.submit_module(code, "bot.py", module(deed), ["hana_awase"])
                for deed, code in DEEDS.items()
            }
            submitted["http_status"] = author.submit_endpoint("http_status", endpoint.url, max_batch=8)
            for answer in submitted.values():
                found = author.wait_qualified(answer["id"], answer["version"])
                assert found["state"] == "qualified", found
            endpoint.fail()
            entrants = [*(answer["id"] for answer in submitted.values()), "house/greedy"]
            plan = {"name": "bad", "entrants": entrants, "events": [event], "limits": limits}
            tournament = client.create_tournament(plan)
            client.start(tournament["id"])
            wait_finished(client, tournament["id"])
            rows = client.standings(tournament["id"])["events"][0]["rows"]
            assert (rows[0]["name"], rows[0]["points"], rows[0]["faults"]) == ("house/greedy", 1.0, 0)
            for row in rows[1:]:
                assert row["forfeits"] == row["matches"]
                assert row["faults"] == 3 * row["matches"]
            for code, answer in submitted.items():
                fault = next(iter(author.faults(answer["id"])))
                assert fault["code"] == code
                assert fault["evidence"], fault
                if code == "exception":
                    assert "boom" in fault["evidence"]["traceback"]
                if code == "timeout":
                    assert fault["evidence"]["used_ms"] >= fault["evidence"]["limit_ms"]


@pytest.mark.parametrize(
    ("number", "host", "shown"),
    [
        pytest.param(signal.SIGINT, "127.0.0.1", "127.0.0.1", marks=pytest.mark.slow),
        (signal.SIGTERM, "::1", "[::1]"),
        (signal.SIGKILL, "localhost", ""),
    ],
)
def test_no_process_is_left_however_it_ends(
    tmp_path: Path, number: signal.Signals, host: str, shown: str
) -> None:
    with installation.running(tmp_path, "--host", host) as up:
        assert up.url.startswith(f"http://{shown}")
        started = up.descendants()
        assert len(started) >= 5
        up.process.send_signal(number)
        up.process.wait(timeout=60)
        assert gone(started, seconds=20)


def test_who_stops_it_before_it_is_ready_does_not_wait_for_that(tmp_path: Path) -> None:
    command = [installation.FUDABA, "up", "--home", str(tmp_path), "--port", "0", "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while not (started := psutil.Process(process.pid).children(recursive=True)):
            time.sleep(0.02)
        process.terminate()
        output, _ = process.communicate(timeout=60)
    assert (process.returncode, output) == (0, "stopped\n")
    assert gone(started, seconds=20)


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


@pytest.mark.parametrize(
    "page", ["README.md", "docs/api.md", pytest.param("docs/organising.md", marks=pytest.mark.slow)]
)
def test_the_examples_of_the_pages_run_as_they_stand(up: Installation, tmp_path: Path, page: str) -> None:
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    assert blocks
    for source in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)[:1]:
        (tmp_path / "bot.py").write_text(source)
    script = "set -euo pipefail\n" + FIELD + "\n".join(blocks)
    path = f"{Path(installation.FUDABA).parent}:{os.environ['PATH']}"
    env = {**os.environ, "URL": up.url, "TOKEN": up.token, "PATH": path}
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=150
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
