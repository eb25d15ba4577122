"""`fudaba bot test`: the verdict of a qualification, its report, and the exit codes."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from support.endpoints import FirstLegal, first_legal
from support.shell import Shell

from api.commands import bot_test
from engine.limits import Limits
from store.uploads import MAX_UPLOAD_BYTES

SHELL = Shell(url="http://127.0.0.1:1")
GOOD = "def act(observation):\n    print('hello \\x1b[2J')\n    return 0\n"
RAISES = "def act(observation):\n    raise ValueError('boom')\n"


def written(folder: Path, text: str, name: str = "mine.py") -> Path:
    """Write a file and return its path."""
    path = folder / name
    path.write_text(text)
    return path


def report(*arguments: object, code: int = 0) -> dict[str, Any]:
    """Return the report that a trial prints as JSON when it ends with this exit code."""
    result = SHELL.run("bot", "test", *arguments, "--json")
    assert result.exit_code == code, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.needs("bubblewrap")
def test_a_module_that_plays_well_is_accepted_in_all_games_under_the_real_limits(tmp_path: Path) -> None:
    found = report(written(tmp_path, GOOD))
    assert (found["accepted"], found["reason"], found["kind"]) == (True, None, "module")
    assert found["sandbox"].partition("+")[0] in ("bwrap", "landlock")
    assert found["limits"] == Limits().to_json()
    assert [match["game"] for match in found["matches"]] == found["games"]
    assert len(found["games"]) == 6
    assert all(match["passed"] and match["asked"] == match["legal"] > 0 for match in found["matches"])


def test_only_the_named_games_are_tried_each_once(tmp_path: Path) -> None:
    given = (written(tmp_path, GOOD), "--unsafe", "--game", "sutda", "--game", "sutda")
    found = report(*given)
    assert (found["games"], found["sandbox"]) == (["sutda"], "none")


def test_a_module_that_fails_is_refused_with_its_traceback(tmp_path: Path) -> None:
    path = written(tmp_path, RAISES)
    found = report(path, "--unsafe", "--game", "sutda", code=1)
    assert not found["accepted"]
    assert "ValueError: boom" in found["reason"]
    told = SHELL.run("bot", "test", path, "--unsafe", "--game", "sutda")
    assert told.exit_code == 1
    assert "raise ValueError('boom')" in told.stdout
    assert "sutda, step" in told.stdout
    assert told.stdout.rstrip().splitlines()[-1].startswith("refused: sutda")


def test_people_see_phases_games_times_and_the_log(tmp_path: Path) -> None:
    told = SHELL.run("bot", "test", written(tmp_path, GOOD), "--unsafe", "--game", "minhwatu").stdout
    for part in (
        "kind       module, sandbox none",
        "start      0.",
        "mean ms",
        "minhwatu",
        "passed",
        "accepted",
    ):
        assert part in told
    assert "hello" in told
    assert "\x1b" not in told


def test_a_module_that_does_not_start_is_refused_with_the_phase(tmp_path: Path) -> None:
    path = written(tmp_path, "import nothing_like_it\n" + GOOD)
    assert report(path, "--unsafe", code=1)["start"]["fault"]["code"] == "exception"
    assert "No module named 'nothing_like_it'" in SHELL.run("bot", "test", path, "--unsafe").stdout


def test_a_zip_is_tried_with_what_was_left_out_of_it(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot.py", GOOD)
        archive.writestr("__pycache__/bot.pyc", "litter")
    (tmp_path / "bot.zip").write_bytes(packed.getvalue())
    found = report(tmp_path / "bot.zip", "--unsafe", "--game", "sutda")
    assert found["ignored_files"] == ["__pycache__/bot.pyc"]


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        (b"def act(:\n", "bot.py", "line 1"),
        (b"x = 1\n", "bot.py", "act"),
        (b"PK not really", "bot.zip", "not a zip archive"),
        (b" " * (MAX_UPLOAD_BYTES + 1), "bot.py", f"allowed: {MAX_UPLOAD_BYTES}"),
    ],
)
def test_a_file_that_would_be_refused_as_an_upload_has_a_report(
    tmp_path: Path, content: bytes, name: str, says: str
) -> None:
    (tmp_path / name).write_bytes(content)
    found = report(tmp_path / name, code=1)
    assert not found["accepted"]
    assert says in found["reason"]
    assert (found["matches"], found["start"]) == ([], {"seconds": None, "fault": None})


def test_an_endpoint_is_tried_with_its_secret_in_the_games_that_it_claims() -> None:
    FirstLegal.signatures.clear()
    with first_legal() as url:
        found = report(url, "--secret", "hush", "--max-batch", "4")
        told = SHELL.run("bot", "test", url, "--secret", "hush").stdout
    assert (found["kind"], found["games"], found["handshake"]["ok"]) == ("endpoint", ["seiten"], True)
    assert len(FirstLegal.signatures) > 0
    assert f"handshake  GET {url}: status 200" in told


def test_an_endpoint_that_does_not_answer_is_refused_with_what_to_mend() -> None:
    found = report("http://127.0.0.1:1/", code=1)
    assert (found["handshake"]["code"], found["matches"]) == ("connect", [])
    assert "to mend: check that the server runs" in SHELL.run("bot", "test", "http://127.0.0.1:1/").stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("none.py",), "cannot be read"),
        (("/",), "neither a .py nor a .zip file"),
        (("bot.txt",), "neither a .py nor a .zip file"),
        ((__file__, "--game", "chess"), "game 'chess' is unknown"),
        (("http://127.0.0.1:1/", "--max-batch", "65"), "65 is not in the range"),
        ((), "FILE|URL"),
    ],
)
def test_where_there_is_nothing_to_try_it_is_a_mistake_of_usage(
    arguments: tuple[str, ...], says: str
) -> None:
    result = SHELL.run("bot", "test", *arguments)
    assert result.exit_code == 2
    assert says in result.stderr


def test_without_a_sandbox_a_module_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_test, "back_ends", lambda choice, *, allow_unsafe: ())
    proof = tmp_path / "proof"
    path = written(tmp_path, f"open({str(proof)!r}, 'w')\n{GOOD}")
    result = SHELL.run("bot", "test", path)
    assert result.exit_code == 3
    assert "no safe sandbox" in result.stderr and "--unsafe" in result.stderr
    assert not proof.exists()
