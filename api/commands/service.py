"""What all commands that ask the service share: their options, how they answer, and their exit codes."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any
from uuid import UUID

import click

from api.client import ApiError, Client, Json, Unreachable
from api.commands import config
from api.commands.tables import plain_console, table

REFUSED, UNREACHABLE, LEFT = 1, 4, 130


class Refused(click.ClickException):
    """The service did not do what it was asked."""

    exit_code = REFUSED


class NoAnswer(click.ClickException):
    """The service cannot be reached."""

    exit_code = UNREACHABLE


class Left(click.ClickException):
    """Whoever waited did not wait for the end; what was waited for goes on."""

    exit_code = LEFT


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The service that a command asks, and how the command is to answer."""

    client: Client
    is_json: bool

    def answer(self, data: object, show: Callable[[], None]) -> None:
        """Print `data` as one JSON value, or call `show`, which prints it for people."""
        if self.is_json:
            click.echo(json.dumps(data, ensure_ascii=False))
        else:
            show()

    def answer_rows(
        self, rows: list[Json], columns: Sequence[str], shown: Sequence[Json] | None = None
    ) -> None:
        """Print a list as JSON, or a table with these columns of `shown`, which is the list unless given."""
        headings = [name.removesuffix("_at").replace("_", " ") for name in columns]
        cells = [[_cell(row[name]) for name in columns] for row in (rows if shown is None else shown)]
        self.answer({"items": rows}, lambda: plain_console().print(table(headings, cells)))

    def bot_id(self, text: str) -> str:
        """Return the id of a bot given by its id, as owner/name, or by the name alone of one's own."""
        if _is_id(text):
            return text
        owner, name = self.bot_name(text).split("/", 1)
        for bot in self.client.bots(owner=owner):
            if bot["name"] == name:
                return str(bot["id"])
        raise Refused(f"there is no bot {owner}/{name}, or it may not be seen")

    def bot_name(self, text: str) -> str:
        """Return a bot as the service knows it, by its id or as owner/name; a name alone is one's own."""
        if "/" in text or _is_id(text):
            return text
        return f"{self.client.me()['name']}/{text}"

    def tournament_id(self, text: str) -> str:
        """Return the id of a tournament given by its id, or by its name if only one has it."""
        if _is_id(text):
            return text
        found = [row["id"] for row in self.client.tournaments() if row["name"] == text]
        if len(found) != 1:
            problem = "there is no tournament" if not found else f"there are {len(found)} tournaments"
            raise Refused(
                f"{problem} called {text!r}; " + (", ".join(found) or "see `fudaba tournament list`")
            )
        return str(found[0])


def asks_service(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command --url, --token and --json, and the service as its first argument."""

    @click.option("--url", envvar="FUDABA_URL", show_envvar=True, help="Where the service is.")
    @click.option("--token", envvar="FUDABA_TOKEN", show_envvar=True, help="Token of one's account.")
    @click.option("--json", "is_json", is_flag=True, help="Print one JSON value.")
    @wraps(command)
    def run(*, url: str | None, token: str | None, is_json: bool, **given: Any) -> None:
        access = config.access(url, token)
        with Client(access.url, access.token) as client, exit_codes(is_json):
            command(Service(client=client, is_json=is_json), **given)

    return run


@contextmanager
def exit_codes(is_json: bool) -> Iterator[None]:
    """End with the exit code that the client's errors stand for; as JSON the problem is printed as well."""
    try:
        yield
    except ApiError as error:
        _print(is_json, error.problem)
        raise Refused(_told(error)) from error
    except Unreachable as error:
        _print(is_json, {"code": error.code, "detail": str(error)})
        raise NoAnswer(str(error)) from error


def _print(is_json: bool, problem: Json) -> None:
    if is_json:
        click.echo(json.dumps(problem, ensure_ascii=False))


def _told(error: ApiError) -> str:
    """Return what a problem says, in one line."""
    where = f" (field: {error.field})" if error.field else ""
    hint = "; `fudaba login` keeps a token" if error.status == 401 else ""
    return f"{error.detail}{where}{hint}"


def _cell(value: object) -> object:
    """Return a list in one line, and a truth value as yes or nothing."""
    if isinstance(value, list):
        return " ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else ""
    return value


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
