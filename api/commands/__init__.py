"""The `fudaba` command: a group whose subcommands are imported when they are called for."""

from importlib import import_module

import click

from engine.errors import FudabaError

# By name: the module in this package; the command in it has the name of the module.
COMMANDS = (
    *("up", "demo", "play", "replay", "verify", "login", "account", "token", "game", "bot", "tournament"),
    *("match", "ladder", "webhook", "audit", "admin"),
)


class Group(click.Group):
    """Imports a subcommand when it is wanted; errors that a caller may handle end with one line and 1."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all subcommands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the subcommand with this name, None when there is none."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"api.commands.{cmd_name}"), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand."""
        try:
            return super().invoke(ctx)
        except FudabaError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="fudaba", prog_name="fudaba", message="%(prog)s %(version)s")
def fudaba() -> None:
    """Fudaba: an arena for card-game bots."""


def main() -> None:
    """Run the command that the arguments name."""
    fudaba(prog_name="fudaba")
