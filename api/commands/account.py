"""`fudaba account`: who one is, new accounts, and the invitations to make one."""

from itertools import islice

import click

from api.client import Json
from api.commands.service import Service, asks_service

ROLES = ("participant", "organiser")


@click.group()
def account() -> None:
    """Show your account, make others, and invite people to make their own."""


@account.command()
@asks_service
def show(service: Service) -> None:
    """Show the account that the token belongs to."""
    found = service.client.me()
    service.answer(found, lambda: click.echo(f"{found['name']} ({found['role']})\n{found['id']}"))


@account.command()
@click.argument("name")
@click.option("--role", type=click.Choice(ROLES), default=ROLES[0], show_default=True)
@click.option("--invitation", help="The text of an invitation, for those who make their own account.")
@asks_service
def create(service: Service, name: str, role: str, invitation: str | None) -> None:
    """Make an account called NAME; its token is shown this once.

    Organisers make any account. Others make their own: without a token, and with an invitation unless the
    operator has opened registration.
    """
    made = service.client.create_account(name, role, invitation=invitation)
    service.answer(made, lambda: _show_account(made))


@account.command()
@click.option("--uses", type=click.IntRange(1), default=1, show_default=True, help="For how many accounts.")
@click.option("--days", type=click.IntRange(1), default=30, show_default=True, help="For how long.")
@asks_service
def invite(service: Service, uses: int, days: int) -> None:
    """Make an invitation, whose text is shown this once; whoever has it can make an account."""
    made = service.client.invite(uses=uses, days=days)
    service.answer(made, lambda: click.echo(made["invitation"]))


@account.command()
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many.")
@asks_service
def invitations(service: Service, limit: int) -> None:
    """List the invitations, without their texts, the newest first."""
    rows = list(islice(service.client.invitations(), limit))
    service.answer_rows(rows, ("id", "uses", "uses_left", "created_at", "expires_at", "revoked_at"))


@account.command("end-invitation")
@click.argument("invitation_id", metavar="ID")
@asks_service
def end_invitation(service: Service, invitation_id: str) -> None:
    """End an invitation, by its id."""
    service.client.revoke_invitation(invitation_id)
    service.answer({"id": invitation_id}, lambda: click.echo("ended"))


def _show_account(made: Json) -> None:
    click.echo(f"{made['name']} ({made['role']})\n{made['id']}")
    click.echo(f"token, shown this once: {made['token']}")
