"""`fudaba bot test`: exactly the qualification of a submission, on this machine."""

import json
from pathlib import Path

import click

from api.commands import qualifications
from api.commands.play import NoSafeWay
from api.commands.tables import plain_console
from engine import games
from engine.errors import UnknownGame
from store.uploads import Kind
from workers import local_trial
from workers.local_bots import BadBot, NoSandbox
from workers.qualify import Report
from workers.runtimes.line import Endpoint
from workers.runtimes.sandbox import back_ends

REFUSED = 1
MOST = 64  # requests in a call, and calls at the same time
_URLS = ("http://", "https://")


@click.command()
@click.argument("source", metavar="FILE|URL")
@click.option("--game", "game_ids", metavar="ID", multiple=True, help="A game it claims; all when left out.")
@click.option("--secret", default="", help="What the endpoint verifies signatures with.")
@click.option("--max-batch", type=click.IntRange(1, MOST), help="Requests in one call of the endpoint.")
@click.option("--max-in-flight", type=click.IntRange(1, MOST), help="Calls of the endpoint at the same time.")
@click.option("--unsafe", is_flag=True, help="Run a module file WITHOUT a sandbox: for your own code only.")
@click.option("--json", "is_json", is_flag=True, help="Print the report as the service has it.")
def test(
    source: str,
    game_ids: tuple[str, ...],
    secret: str,
    max_batch: int | None,
    max_in_flight: int | None,
    unsafe: bool,
    is_json: bool,
) -> None:
    """Try a policy module (a .py or .zip FILE) or an endpoint (a URL) out, as the service does.

    One short match of each game against house bots, in the real sandbox with the real limits. Ends with 0
    when the bot would be accepted, 1 when refused, 2 when there is nothing to try, 3 without a sandbox.
    """
    try:
        names = [games.get(name).id for name in dict.fromkeys(game_ids)]
        if is_url(source):
            report = _of_endpoint(source, names, secret, max_batch, max_in_flight)
        else:
            sandboxes = back_ends("none" if unsafe else "auto", allow_unsafe=unsafe)
            report = local_trial.try_file(_path(source), names, sandboxes)
    except (UnknownGame, BadBot) as error:
        raise click.UsageError(str(error)) from error
    except NoSandbox as error:
        raise NoSafeWay(f"{error}; or run your own file unconfined with --unsafe") from error
    found = report.to_json()
    if is_json:
        click.echo(json.dumps(found, ensure_ascii=False))
    else:
        qualifications.show(plain_console(), found)
    if not found["accepted"]:
        raise SystemExit(REFUSED)


def is_url(source: str) -> bool:
    """Return whether a text names an endpoint, and no file."""
    return source.lower().startswith(_URLS)


def _path(source: str) -> Path:
    """Return the path of a module file; raises BadBot for what can be none by its name."""
    path = Path(source)
    if path.suffix.lower() not in {f".{kind}" for kind in Kind}:
        raise BadBot(f"{source!r} is neither a .py nor a .zip file, nor an http(s) URL")
    return path


def _of_endpoint(
    url: str, names: list[str], secret: str, max_batch: int | None, max_in_flight: int | None
) -> Report:
    declared = {"max_batch": max_batch, "max_in_flight": max_in_flight}
    given = {name: value for name, value in declared.items() if value is not None}
    return local_trial.try_endpoint(Endpoint(url=url, secret=secret, **given), names)
