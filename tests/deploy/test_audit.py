"""The audit of packages: fails on a known vulnerability, and on nothing else."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask import Flask, request
from support.served import served

AUDIT = Path(__file__).parents[2] / "deploy" / "audit.py"
pytestmark = pytest.mark.integration
WEAK = {
    "id": "PYSEC-2026-1",
    "modified": "2026-01-01T00:00:00Z",
    "summary": "anybody may do anything",
    "affected": [
        {
            "package": {"name": "weak", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "2.0"}]}],
            "versions": ["1.0"],
        }
    ],
}


@contextmanager
def service() -> Iterator[str]:
    """Run an advisory service that knows of one weak package."""
    app = Flask("advisories")

    @app.post("/v1/query")
    def query() -> dict[str, object]:
        return {"vulns": [WEAK]} if request.get_json(force=True)["package"]["name"] == "weak" else {}

    with served(app) as url:
        yield f"{url}/v1/query"


def audit(lock: Path, url: str) -> subprocess.CompletedProcess[str]:
    options = ["--requirement", str(lock), "--vulnerability-service", "osv", "--osv-url", url]
    return subprocess.run([sys.executable, str(AUDIT), *options], capture_output=True, text=True, timeout=60)


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    path = tmp_path / "requirements.txt"
    path.write_text("strong==3.1\n")
    return path


def test_a_known_vulnerability_fails_and_is_named(lock: Path) -> None:
    lock.write_text("strong==3.1\nweak==1.0\n")
    with service() as url:
        done = audit(lock, url)
    assert done.returncode == 1
    assert "weak 1.0: PYSEC-2026-1, fixed in 2.0" in done.stderr


@pytest.mark.slow
def test_packages_without_one_pass(lock: Path) -> None:
    with service() as url:
        done = audit(lock, url)
    assert (done.returncode, done.stdout) == (0, "audited 1 of 1 packages: 0 known vulnerabilities\n")


@pytest.mark.slow
def test_a_service_that_is_away_fails_nobody_but_is_told(lock: Path) -> None:
    done = audit(lock, "http://127.0.0.1:1/v1/query")
    assert done.returncode == 0
    assert done.stderr.startswith("the packages were not audited")
