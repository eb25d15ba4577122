"""`fudaba token`: one's tokens, listed, made, replaced and revoked."""

from itertools import islice

import click

from api.client import Json
from api.commands.service import Service, asks_service


@click.group()
def token() -> None:
    """List your tokens, make another one, replace one, revoke one."""


@token.command("list")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many.")
@asks_service
def list_tokens(service: Service, limit: int) -> None:
    """List your tokens, without their texts, the newest first."""
    service.answer_rows(list(islice(service.client.tokens(), limit)), ("id", "created_at", "revoked_at"))


@token.command()
@click.option("--account", "account_id", help="Whose, by id; only organisers make those of others.")
@asks_service
def create(service: Service, account_id: str | None) -> None:
    """Make another token, which is shown this once."""
    _show_token(service, service.client.issue_token(account_id))


@token.command()
@click.argument("token_id", metavar="ID")
@asks_service
def rotate(service: Service, token_id: str) -> None:
    """End the token with this id and make another one in its place, which is shown this once."""
    _show_token(service, service.client.rotate_token(token_id))


@token.command()
@click.argument("token_id", metavar="ID")
@asks_service
def revoke(service: Service, token_id: str) -> None:
    """End the token with this id."""
    service.client.revoke_token(token_id)
    service.answer({"id": token_id}, lambda: click.echo("revoked"))


def _show_token(service: Service, made: Json) -> None:
    service.answer(made, lambda: click.echo(made["token"]))
