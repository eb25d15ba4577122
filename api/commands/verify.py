"""`fudaba verify`: a tournament's record, checked without its server, on all cores."""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

import click
import requests
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from api.client import CONNECT_SECONDS, READ_SECONDS, session_to
from api.commands.supervisor import end_with_parent
from engine import verify as engine
from engine.errors import FudabaError
from engine.ledger import WrongLine
from engine.record import canonical, is_bare
from engine.rematch import Checked, Chunk, replay_bare

WRONG, UNREADABLE = 1, 2
_URLS = ("http://", "https://")
MOST_LINE_BYTES = 16 << 20
_PIECE_BYTES = 1 << 16
_WAITING_CHUNKS = 8  # of each process: enough that none is idle, few enough to keep little in memory


class Unreadable(FudabaError):
    """A file or URL out of which no record can be read."""

    code = "unreadable"


@click.command()
@click.argument("source", metavar="FILE|URL")
@click.option("--json", "is_json", is_flag=True, help="Print the outcome as one JSON object.")
def verify(source: str, is_json: bool) -> None:
    """Verify the record of a tournament or season: every deal, match, result, place and hash in it.

    Of a file of `fudaba play --record`, which says nothing of results, every match is played to its end.

    Ends with 0 when all of it is right, with 1 and the first line that is wrong, or with 2 when FILE or URL
    cannot be read.
    """
    try:
        text, found = _verified(source)
    except WrongLine as wrong:
        _say(is_json, str(wrong), {"right": False, "line": wrong.line, "reason": wrong.reason})
        raise SystemExit(WRONG) from wrong
    except Unreadable as error:
        reason = f"{source} cannot be read: {error}"
        _say(is_json, reason, {"right": False, "line": None, "reason": reason})
        raise SystemExit(UNREADABLE) from error
    _say(is_json, text, {"right": True, **found})


def _verified(source: str) -> tuple[str, dict[str, object]]:
    """Return what is right, for people and for programs; raises WrongLine or Unreadable."""
    matches = bare_matches(source)
    if matches is not None:
        return f"right: {matches} matches by themselves, each played again to its end", {"matches": matches}
    summary = checked(source, Console(stderr=True))
    return _told(summary), asdict(summary)


def checked(source: str, console: Console) -> engine.Summary:
    """Return what a record at a path or URL says; raises WrongLine or Unreadable."""
    columns = (TextColumn("verifying"), BarColumn(), MofNCompleteColumn(), TextColumn("matches"))
    with (
        _opened(source) as pieces,
        _mapped() as mapped,
        Progress(
            *columns,
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        ) as progress,
    ):
        bar = progress.add_task("matches", total=None)
        return engine.check(
            split(pieces),
            mapped=mapped,
            progress=lambda done, total: progress.update(bar, completed=done, total=total),
        )


def bare_matches(source: str) -> int | None:
    """Return how many matches there are in a file of `fudaba play --record`, None when it is no such file.

    Raises WrongLine for the first match that does not replay, or Unreadable.
    """
    if source.startswith(_URLS):
        return None
    lines = split(_pieces_of_file(Path(source)))
    first = next(lines)
    return replay_bare(chain([first], lines)) if is_bare(first) else None


def split(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of what comes in pieces, each with its newline; raises Unreadable when it is empty."""
    rest = b""
    is_empty = True
    for piece in pieces:
        is_empty = False
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line + b"\n" for line in lines)
        if len(rest) > MOST_LINE_BYTES:
            raise Unreadable(f"a line is longer than {MOST_LINE_BYTES} bytes")
    if rest:
        yield rest
    if is_empty:
        raise Unreadable("it is empty")


@contextmanager
def _opened(source: str) -> Iterator[Iterator[bytes]]:
    """Yield the bytes of a file or URL in pieces."""
    if source.startswith(_URLS):
        with session_to(source) as session, _answer(session, source) as answer:
            yield _pieces_of_answer(answer)
        return
    yield _pieces_of_file(Path(source))


def _pieces_of_file(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            yield from iter(lambda: file.read(_PIECE_BYTES), b"")
    except OSError as error:
        raise Unreadable(error.strerror or str(error)) from error


def _answer(session: requests.Session, url: str) -> requests.Response:
    try:
        answer = session.get(url, stream=True, timeout=(CONNECT_SECONDS, READ_SECONDS))
    except requests.RequestException as error:
        raise Unreadable(str(error)) from error
    if answer.status_code != 200:
        raise Unreadable(f"the answer is {answer.status_code} {answer.reason}: {answer.text[:500]}")
    return answer


def _pieces_of_answer(answer: requests.Response) -> Iterator[bytes]:
    try:
        yield from answer.iter_content(_PIECE_BYTES)
    except requests.RequestException as error:
        raise Unreadable(f"it broke off: {error}") from error


@contextmanager
def _mapped() -> Iterator[engine.Mapped]:
    """Yield what maps in order on all cores; whatever is not done at the end is dropped."""
    cores = len(os.sched_getaffinity(0))
    if cores == 1:
        yield map
        return
    pool = ProcessPoolExecutor(cores, mp_context=get_context("spawn"), initializer=_begin)
    try:
        yield partial(_in_order, pool, cores * _WAITING_CHUNKS)
    except BrokenProcessPool as error:
        raise Unreadable("a process that played matches again was killed") from error
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Leave Ctrl-C to the command, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def _in_order(
    pool: ProcessPoolExecutor, most: int, work: Callable[[Chunk], Checked], chunks: Iterable[Chunk]
) -> Iterator[Checked]:
    """Yield what comes of each chunk, in order, with at most so many under way."""
    waiting: deque[Future[Checked]] = deque()
    for chunk in chunks:
        waiting.append(pool.submit(work, chunk))
        if len(waiting) >= most:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _told(summary: engine.Summary) -> str:
    aside = f", {summary.set_aside} set aside by the platform" if summary.set_aside else ""
    return (
        f"right: {summary.name}, tournament {summary.tournament}\n"
        f"{summary.events} events, {summary.entrants} entrants, "
        f"{summary.matches} matches played again{aside}, {summary.lines} lines\n"
        f"standings {summary.standings_sha256}\n"
        f"record    {summary.sha256}"
    )


def _say(is_json: bool, text: str, data: dict[str, object]) -> None:
    click.echo(canonical(data).decode() if is_json else text)
