"""`fudaba play`: a full round robin on this machine, without the service."""

import json
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from api.commands import reports
from engine import games
from engine.contract import Game
from engine.errors import BadOptions, BadSchedule, UnknownGame
from engine.limits import Limits
from engine.options import Flag, Number, OneOf, Option, OptionValue
from workers import local
from workers.local import PlayedMatch, RoundRobin
from workers.local_bots import BadBot, NoSandbox, Workshop
from workers.local_tally import LocalTally
from workers.runtimes.sandbox import back_ends

DEFAULT_DEALS = 24  # a multiple of the circular orders of up to five sides, so that all occur equally often
MOST_DEALS = 1_000_000
_FLAGS = {"true": True, "false": False}


@click.command()
@click.argument("game_id", metavar="GAME")
@click.argument("bots", metavar="BOT...", nargs=-1, required=True)
@click.option(
    "--deals", type=click.IntRange(1, MOST_DEALS), default=DEFAULT_DEALS, show_default=True, help="How many."
)
@click.option("--seats", type=int, help="Seats at a table; the game's default when left out.")
@click.option("--option", "options", metavar="NAME=VALUE", multiple=True, help="An option of the game.")
@click.option("--seed", help="Any text: the same seed gives the same deals. A random one when left out.")
@click.option(
    "--record", type=click.Path(dir_okay=False, path_type=Path), help="Write all matches to this file."
)
@click.option("--secret", default="", help="Secret that requests to endpoints are signed with.")
@click.option("--unsafe", is_flag=True, help="Run module files WITHOUT a sandbox: for your own code only.")
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object.")
def play(
    game_id: str,
    bots: tuple[str, ...],
    deals: int,
    seats: int | None,
    options: tuple[str, ...],
    seed: str | None,
    record: Path | None,
    secret: str,
    unsafe: bool,
    is_json: bool,
) -> None:
    """Play a full round robin of the BOTs in a GAME, on this machine alone.

    A BOT is a house bot by name (random, first, greedy ...), a policy module (a .py or .zip file), or an
    http(s) URL. Every deal is played in every rotation of every table; house bots fill empty chairs.
    """
    sandboxes = back_ends("none" if unsafe else "auto", allow_unsafe=unsafe)
    with Workshop(secret=secret, sandboxes=sandboxes) as workshop:
        try:
            game = games.get(game_id)
            count, values = game.settle(seats, parse_options(game, options))
            event = RoundRobin(
                game=game,
                seats=count,
                options=values,
                deals=deals,
                seed=secrets.token_hex(8) if seed is None else seed,
                entrants=workshop.entrants(bots, len(set(game.sides(count, values)))),
                limits=Limits(),
            )
            progress = _progress(event.schedule.matches, is_shown=not is_json)
        except (UnknownGame, BadOptions, BadSchedule, BadBot) as error:
            raise click.UsageError(str(error)) from error
        except NoSandbox as error:
            raise NoSafeWay(str(error)) from error
        with _recording(record) as file:
            tally = _played(event, workshop, file, progress)
        if is_json:
            click.echo(json.dumps(reports.as_json(event, tally, workshop.sandbox), ensure_ascii=False))
        else:
            reports.show(event, tally, workshop.sandbox)


class NoSafeWay(click.ClickException):
    """There is no sandbox here, and nobody allowed to do without."""

    exit_code = 3


def parse_options(game: Game, given: Sequence[str]) -> dict[str, OptionValue]:
    """Return the options in texts NAME=VALUE, each by its kind; raises BadOptions."""
    kinds = {option.name: option for option in game.options}
    values: dict[str, OptionValue] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadOptions(f"--option is {text!r}; expected NAME=VALUE, with a name of: {', '.join(kinds)}")
        if name in values:
            raise BadOptions(f"option {name} is given twice")
        values[name] = _parsed(kinds.get(name), value)
    return values


def _parsed(option: Option | None, text: str) -> OptionValue:
    """Return a text as a value of the option's kind; else the text itself, which the option refuses."""
    if isinstance(option, Flag):
        return _FLAGS.get(text, text)
    if isinstance(option, Number | OneOf) and re.fullmatch(r"-?[0-9]{1,9}", text):
        return int(text)
    return text


def _progress(matches: int, *, is_shown: bool) -> Progress:
    """Return a bar for so many matches, on a terminal only."""
    console = Console(stderr=True)
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not (is_shown and console.is_terminal),
    )
    progress.add_task("matches", total=matches)
    return progress


@contextmanager
def _recording(path: Path | None) -> Iterator[IO[bytes] | None]:
    """Open the file that records are written to, if there is one; UsageError when it cannot be."""
    if path is None:
        yield None
        return
    try:
        file = path.open("wb")
    except OSError as error:
        raise click.UsageError(f"--record {str(path)!r} cannot be written: {error.strerror}") from error
    with file:
        yield file


def _played(
    event: RoundRobin, workshop: Workshop, record: IO[bytes] | None, progress: Progress
) -> LocalTally:
    """Play everything and return what it adds up to; records are written in order of match number."""
    tally = LocalTally(event.entrants, event.sides)

    def take(match: PlayedMatch) -> None:
        tally.add(match)
        if record is not None:
            record.write(match.result.record.to_bytes() + b"\n")

    with progress:
        local.play(
            event,
            take,
            finished=lambda: progress.advance(progress.task_ids[0]),
            around=workshop.opened,
        )
    return tally
