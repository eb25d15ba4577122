"""`fudaba verify`: exit codes, what is said, and records from files and URLs."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import psutil
import pytest
from click.testing import CliRunner, Result
from support.ledgers import a_record, forged, lines, place

from api.commands import fudaba
from api.commands.verify import Unreadable, split


def verify(source: object, *arguments: str) -> Result:
    return CliRunner().invoke(fudaba, ["verify", str(source), *arguments])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "record.ndjson"
    path.write_bytes(b"".join(a_record()))
    return path


def wrong_at(number: int) -> list[bytes]:
    """Return a record with a wrong score in this match of event 0, its hashes made to fit."""

    def change(whole: list[dict[str, object]]) -> None:
        whole[place(whole, "match", event=0, number=number)]["scores"] = [0, 0, 0]

    return forged(change)


def test_a_right_record_ends_with_0_and_says_what_it_is(file: Path) -> None:
    result = verify(file)
    assert result.exit_code == 0, result.output
    header = lines()[0]
    first, second, third, last = result.stdout.splitlines()
    assert first == f"right: 札場 cup, tournament {header['tournament']}"
    assert second == "3 events, 6 entrants, 85 matches played again, 1 set aside by the platform, 99 lines"
    assert third.split() == ["standings", header["edition"]["sha256"]]
    assert last.startswith("record")


def test_as_json_a_right_record_is_one_object(file: Path) -> None:
    result = verify(file, "--json")
    said = json.loads(result.stdout)
    assert (result.exit_code, said["right"], said["matches"], said["lines"]) == (0, True, 85, 99)
    assert said["standings_sha256"] == lines()[0]["edition"]["sha256"]


def test_a_wrong_record_ends_with_1_and_names_the_line(file: Path) -> None:
    file.write_bytes(b"".join(wrong_at(7)))
    at = place(lines(), "match", event=0, number=7) + 1
    result = verify(file)
    assert result.exit_code == 1
    assert result.stdout.startswith(f"line {at}: scores: number ")
    assert result.stdout.count("\n") == 1
    said = json.loads(verify(file, "--json").stdout)
    assert (said["right"], said["line"]) == (False, at)
    assert result.stdout == f"line {at}: {said['reason']}\n"


def test_one_changed_character_is_refused(file: Path) -> None:
    content = file.read_bytes()
    for position in (0, 700, len(content) // 2, len(content) - 2, len(content) - 1):
        other = b"x" if content[position : position + 1] != b"x" else b"y"
        file.write_bytes(content[:position] + other + content[position + 1 :])
        result = verify(file)
        assert result.exit_code == 1
        assert result.stdout.startswith("line ")


@pytest.mark.parametrize("content", [b"hello\n", b"\x00\xff", b"\n", b"{}\n", b"[]", b'{"game":"seiten"}'])
def test_what_is_no_record_is_wrong_in_line_1(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    result = verify(file)
    assert (result.exit_code, result.stdout.partition(":")[0]) == (1, "line 1")


def test_what_cannot_be_read_ends_with_2(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    for source, says in (
        (tmp_path / "none", "No such file"),
        (tmp_path, "Is a directory"),
        (empty, "it is empty"),
        ("http://127.0.0.1:1/record", "refused"),
        ("http://", "http://"),
        ("http://[", "http://["),
    ):
        result = verify(source)
        assert result.exit_code == 2, result.output
        assert says in result.output
        said = json.loads(verify(source, "--json").stdout)
        assert (said["right"], said["line"]) == (False, None)


def test_matches_by_themselves_are_played_again_to_their_end(file: Path) -> None:
    record = ["play", "sutda", "random", "first", "--deals", "1", "--seed", "1", "--record", str(file)]
    assert CliRunner().invoke(fudaba, record).exit_code == 0
    result = verify(file)
    assert (result.exit_code, result.stdout[:18]) == (0, "right: 4 matches b")
    assert json.loads(verify(file, "--json").stdout) == {"right": True, "matches": 4}
    whole = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*whole[:2], whole[2].replace(b'"seed":"', b'"seed":"00'), whole[3]]))
    result = verify(file)
    assert (result.exit_code, result.stdout.partition(":")[0]) == (1, "line 3")


def test_without_an_argument_the_usage_is_shown() -> None:
    assert CliRunner().invoke(fudaba, ["verify"]).exit_code == 2


@contextmanager
def serving(body: bytes, *, status: int = 200, length: int | None = None) -> Iterator[str]:
    """Serve one body over HTTP on this machine; with `length` other than its own it breaks off."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body) if length is None else length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/api/v1/tournaments/x/record"
        server.shutdown()
        thread.join()


def test_a_record_is_read_from_a_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with serving(b"".join(a_record())) as url:
        assert verify(url).exit_code == 0
    with serving(b"".join(wrong_at(3))) as url:
        result = verify(url)
    assert (result.exit_code, result.stdout[:9]) == (1, "line 11: ")


def test_a_url_that_answers_with_a_problem_cannot_be_read() -> None:
    with serving(b'{"detail": "the tournament is running"}', status=409) as url:
        result = verify(url)
    assert result.exit_code == 2
    assert "409" in result.output
    assert "the tournament is running" in result.output


def test_a_url_that_breaks_off_cannot_be_read() -> None:
    body = b"".join(a_record())
    with serving(body[:-2000], length=len(body)) as url:
        result = verify(url)
    assert result.exit_code == 2
    assert "broke off" in result.output


def test_lines_do_not_depend_on_the_pieces_that_they_come_in() -> None:
    whole = b"".join(a_record()) + b"rest"
    for size in (1, 7, 4096, len(whole)):
        pieces = [whole[start : start + size] for start in range(0, len(whole), size)]
        assert list(split(pieces)) == [*a_record(), b"rest"]


def test_only_newlines_end_a_line() -> None:
    assert list(split([b"a\rb\x0bc\xe2\x80\xa8d\n", b"e\n"])) == [b"a\rb\x0bc\xe2\x80\xa8d\n", b"e\n"]


def test_a_line_without_end_is_not_kept_in_memory() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"x" * (1 << 20)

    with pytest.raises(Unreadable, match="a line is longer"):
        list(split(endless()))


def test_the_command_leaves_no_process(file: Path) -> None:
    command = [sys.executable, "-c", "from api.commands import main; main()", "verify", str(file)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert output.startswith("right: ")
    deadline = time.monotonic() + 20
    while (left := members(process.pid)) and time.monotonic() < deadline:
        psutil.wait_procs(left, timeout=0.1)
    assert left == []


def members(session: int) -> list[psutil.Process]:
    """Return the processes of a session that have not ended."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            if os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found
