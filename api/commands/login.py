"""`fudaba login`: keeps the URL of a service and a token for the commands that ask it."""

import json

import click

from api.client import Client
from api.commands import config
from api.commands.config import Access
from api.commands.service import exit_codes


@click.command()
@click.option("--url", envvar="FUDABA_URL", show_envvar=True, help="Where the service is.")
@click.option(
    "--token",
    envvar="FUDABA_TOKEN",
    show_envvar=True,
    help="Token of one's account; asked for when left out.",
)
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object.")
def login(url: str | None, token: str | None, is_json: bool) -> None:
    """Try a token, and keep it with the URL for later commands.

    They are written to ~/.config/fudaba/config.toml, which only you may read.
    """
    chosen = config.access(url, token or click.prompt("token", hide_input=True, err=True).strip())
    with Client(chosen.url, chosen.token) as client, exit_codes(is_json):
        account = client.me()
    path = config.write(Access(url=chosen.url, token=chosen.token))
    if is_json:
        click.echo(json.dumps({"url": chosen.url, "account": account, "file": str(path)}))
    else:
        click.echo(f"{account['name']} ({account['role']}) at {chosen.url}, kept in {path}")
