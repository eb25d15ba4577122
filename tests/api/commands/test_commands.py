"""What holds for every command: help, JSON, and that nothing of the API is out of its reach."""

import ast
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from api.client import Client
from api.commands import fudaba
from api.transport import Transport

COMMANDS = Path(fudaba.callback.__code__.co_filename).parent
# They run until they are stopped, show the product to people, or only write files.
NO_JSON = {"fudaba up", "fudaba demo"}
NO_JSON |= {
    f"fudaba admin {name}" for name in ("secrets", "backup", "restore", "export", "import", "unarchive")
}
# What commands have in another way: `watch` asks again and again, `show` shows parts of something larger.
NOT_ASKED = {"ready", "version", "wait_qualified", "events", "progress"}


def leaves(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command that does something, with its words."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, f"{path} {name}")


LEAVES = dict(leaves(fudaba, "fudaba"))


@pytest.mark.parametrize("words", LEAVES)
def test_every_command_explains_itself(words: str) -> None:
    for flag in ("-h", "--help"):
        result = CliRunner().invoke(fudaba, [*words.split()[1:], flag])
        assert result.exit_code == 0, result.output
        assert "Usage: " in result.output
    assert (LEAVES[words].help or "").rstrip().endswith(".")
    for parameter in LEAVES[words].params:
        if isinstance(parameter, click.Option) and not isinstance(parameter.type, click.Choice):
            assert parameter.help, (words, parameter.name)


def test_every_command_prints_json_when_asked() -> None:
    without = {
        words
        for words, command in LEAVES.items()
        if not any("--json" in parameter.opts for parameter in command.params)
    }
    assert without == NO_JSON


def test_every_call_of_the_client_has_a_command() -> None:
    calls = {name for name in dir(Client) if not name.startswith("_") and name not in dir(Transport)}
    used = {
        node.attr
        for file in COMMANDS.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Attribute)
    }
    assert calls - used - NOT_ASKED == set()


def test_the_page_of_the_commands_names_every_group() -> None:
    page = (COMMANDS.parents[1] / "docs" / "command.md").read_text()
    for words in LEAVES:
        assert " ".join(words.split()[:2]) in page or f"`{words.split()[1]}`" in page, words
