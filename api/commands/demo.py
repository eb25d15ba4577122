"""`fudaba demo`: the whole product on real parts, as a client of the API sees it."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from api.client import Client, StillWaiting
from api.commands import replay, tables, verify
from api.commands.supervisor import end_with_parent
from api.commands.up import CannotStart, running
from engine.errors import FudabaError
from engine.record import Record
from store.settings import Settings
from workers import logs, stage

DEALS = 2
MOST_SECONDS = 600
FAILED, NO_SANDBOX = 1, 3
_SHOWN_STEPS = 6
_PLAIN_WIDTH = 120
_Json = dict[str, Any]


class DemoFailed(FudabaError):
    """Something in the demo did not come out as it must."""

    code = "demo_failed"


@click.command()
@click.option("--home", type=click.Path(file_okay=False, path_type=Path), help="Keep the data here.")
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="Port to listen on; 0: a free one.")
@click.option(
    "--record",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Keep the record of the tournament in this file.",
)
def demo(home: Path | None, port: int, record: Path | None) -> None:
    """Play a tournament over all games: uploads, an endpoint, workers, standings, replay, verification."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    console = Console(width=None if sys.stdout.isatty() else _PLAIN_WIDTH)
    if record is not None:
        _require_writable(record)
    with _folder(home) as folder:
        given = {
            "FUDABA_HOME": str(folder),
            "FUDABA_PORT": str(port),
            "FUDABA_ALLOW_PRIVATE_ENDPOINTS": "true",
        }
        settings = Settings.from_env({**os.environ, **given})
        _require_sandbox(settings)
        try:
            with running(settings) as (installation, _):
                console.print(f"[bold]ready[/] {installation.url}")
                with Client(installation.url, installation.token) as organiser:
                    tournament_id = _play(console, organiser, installation.url)
                    _verify(console, organiser, tournament_id, record or folder / "record.ndjson")
        except FudabaError as error:
            _fail(FAILED, f"the demo failed: {error}")
    console.print("[bold green]done[/]: everything was stopped")


def _require_writable(path: Path) -> None:
    """Find out before all the work whether a file can be written; UsageError when it cannot."""
    try:
        path.open("ab").close()
    except OSError as error:
        raise click.UsageError(f"--record {str(path)!r} cannot be written: {error.strerror}") from error


@contextmanager
def _folder(home: Path | None) -> Iterator[Path]:
    """Yield the data folder: the one given, or a temporary one that is removed."""
    if home is not None:
        yield home.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="fudaba-demo-") as made:
        yield Path(made)


def _require_sandbox(settings: Settings) -> None:
    """End with exit code 3 where uploaded modules cannot be confined; they are never run without."""
    logs.configure("error")
    choice = stage.choose_sandbox(replace(settings, unsafe_sandbox=False))
    if choice.sandbox is None:
        _fail(NO_SANDBOX, choice.reason)


def _fail(code: int, message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(code)


def _play(console: Console, organiser: Client, url: str) -> str:
    """Act as an organiser and three authors, through the public API alone; return the tournament's id."""
    with _endpoint() as (address, secret_file):
        bots = _submit_bots(console, organiser, url, address, secret_file)
        entrants = [*bots, "house/greedy", "house/random"]
        events = [{"game": game["id"], "deals": DEALS} for game in organiser.games()]
        plan = {"name": "Fudaba demo", "entrants": entrants, "events": events}
        planned = organiser.plan_tournament(plan)
        console.print(
            f"\n[bold]tournament[/]: {len(entrants)} entrants, {len(events)} games, "
            f"{planned['matches']} matches, every deal in all seatings"
        )
        tournament = organiser.create_tournament(plan)
        organiser.start(tournament["id"])
        _watch(console, organiser, tournament["id"])
    standings = organiser.standings(tournament["id"])
    for event in standings["events"]:
        console.print(tables.event_table(event))
    console.print(tables.overall_table(standings))
    _replay(console, organiser, tournament["id"])
    return str(tournament["id"])


def _submit_bots(console: Console, organiser: Client, url: str, address: str, secret_file: Path) -> list[str]:
    """Register three authors with a bot each and wait until all have qualified; return their ids."""
    samples = resources.files("api.samples")
    submitted: list[tuple[str, Client, _Json]] = []
    for author, sample in (("ann", "plain_bot.py"), ("ben", "memory_bot.py")):
        client = _author(organiser, url, author)
        content = (samples / sample).read_bytes()
        submitted.append((author, client, client.submit_module(sample[:-3], sample, content)))
    client = _author(organiser, url, "cho")
    answer = client.submit_endpoint("endpoint_bot", address, max_batch=16)
    secret_file.write_text(answer["secret"])
    submitted.append(("cho", client, answer))
    for author, client, answer in submitted:
        found = client.wait_qualified(answer["id"], answer["version"])
        if found["state"] != "qualified":
            raise DemoFailed(f"{author}/{answer['name']} was refused: {found['report']['reason']}")
        console.print(f"  {author} submitted [bold]{answer['name']}[/] ({answer['kind']}): {found['state']}")
        client.close()
    return [answer["id"] for _, _, answer in submitted]


def _author(organiser: Client, url: str, name: str) -> Client:
    return Client(url, organiser.create_account(name)["token"])


@contextmanager
def _endpoint() -> Iterator[tuple[str, Path]]:
    """Run the sample endpoint bot; yield its URL and the file from which it reads its secret."""
    with socket.socket() as probe, tempfile.TemporaryDirectory(prefix="fudaba-bot-") as folder:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()  # the bot listens there next
        secret_file = Path(folder) / "secret"
        secret_file.write_text(secrets.token_hex(32))
        with resources.as_file(resources.files("api.samples") / "endpoint_bot.py") as program:
            process = subprocess.Popen(
                [sys.executable, program, str(port), secret_file],
                stdin=subprocess.DEVNULL,
                preexec_fn=end_with_parent,
            )
        try:
            _wait_for_port(port)
            yield f"http://127.0.0.1:{port}/", secret_file
        finally:
            process.kill()
            process.wait()


def _wait_for_port(port: int) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise CannotStart(f"the sample endpoint bot does not listen on port {port}")


def _watch(console: Console, organiser: Client, tournament_id: str) -> None:
    """Show the progress of a tournament until it is over; raises StillWaiting when it takes too long."""
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TextColumn("matches"))
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task("matches", total=None)
        deadline = time.monotonic() + MOST_SECONDS
        while time.monotonic() < deadline:
            state = organiser.tournament(tournament_id)
            progress.update(task, total=state["matches"], completed=state["played"])
            if state["state"] == "finished":
                return
            time.sleep(0.2)
    raise StillWaiting(f"the tournament is not over after {MOST_SECONDS} s")


def _replay(console: Console, organiser: Client, tournament_id: str) -> None:
    """Play one match again from its record and show how it began and ended."""
    match = next(iter(organiser.matches(tournament_id)))
    record = Record.from_json(organiser.replay(match["id"])["record"])
    names = [entrant["name"] for entrant in organiser.entrants(tournament_id)]
    seated = ", ".join(f"{seat} {names[entrant]}" for seat, entrant in enumerate(match["entrants"]))
    console.print(f"\n[bold]replay[/] of match {match['id']} (seats: {seated})")
    replay.show(console, record, range(record.seats), waits=False, most_steps=_SHOWN_STEPS)
    if record.final().scores() != match["scores"]:
        raise DemoFailed(f"match {match['id']} does not replay to its scores")


def _verify(console: Console, organiser: Client, tournament_id: str, path: Path) -> None:
    """Save the record of the tournament and verify it as anybody else would, without the service."""
    try:
        with path.open("wb") as file:
            organiser.record(tournament_id, file)
    except OSError as error:
        raise DemoFailed(f"{path} cannot be written: {error.strerror}") from error
    summary = verify.checked(str(path), console)
    console.print(
        f"\n[bold]verified[/]: {summary.matches} matches played again from the record, all as recorded; "
        f"SHA-256 {summary.sha256}"
    )
