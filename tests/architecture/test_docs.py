"""The site of the documentation: it builds, no link of it is broken, and every page is in its contents."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_site_builds_and_no_link_is_broken(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr[-3000:]
    page = (tmp_path / "rest.html").read_text()
    assert "/api/v1/tournaments/{tournament_id}/standings" in page
    assert "too_many_requests" in page
    for file in tmp_path.rglob("*.html"):
        loaded = re.findall(r'<(?:script|img|link)[^>]* (?:src|href)="(https?://[^"]*)"', file.read_text())
        assert loaded == [], f"{file.name} loads from elsewhere"


def test_every_page_is_in_the_contents_of_the_site() -> None:
    contents = (ROOT / "mkdocs.yml").read_text()
    for page in (ROOT / "docs").rglob("*.md"):
        assert f": {page.relative_to(ROOT / 'docs')}\n" in contents, page.name
