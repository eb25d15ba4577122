"""`fudaba webhook`: URLs that are told what happens, and what they were told."""

from itertools import islice
from typing import Any

import click

from api.client import Json
from api.commands.service import Service, asks_service
from api.commands.tables import clean

_WEBHOOK = click.argument("webhook_id", metavar="ID")
_EVENT = click.option(
    "--event", "events", metavar="EVENT", multiple=True, help="What it is told, such as tournament.finished."
)


@click.group()
def webhook() -> None:
    """Let a URL of yours be told what happens, try it, and see what it was told."""


@webhook.command()
@click.argument("url_told", metavar="URL")
@_EVENT
@asks_service
def create(service: Service, url_told: str, events: tuple[str, ...]) -> None:
    """Make a webhook; its secret, which signs what it is told, is shown this once."""
    made = service.client.create_webhook(url_told, list(events))
    service.answer(made, lambda: click.echo(f"{made['id']}\nsecret, shown this once: {made['secret']}"))


@webhook.command("list")
@asks_service
def list_webhooks(service: Service) -> None:
    """List your webhooks, the newest first."""
    service.answer_rows(list(service.client.webhooks()), ("id", "url", "events", "is_off", "created_at"))


@webhook.command()
@_WEBHOOK
@asks_service
def show(service: Service, webhook_id: str) -> None:
    """Show a webhook."""
    _show(service, service.client.webhook(webhook_id))


@webhook.command()
@_WEBHOOK
@click.option("--to", "url_told", metavar="URL", help="Where events are sent from here on.")
@_EVENT
@click.option("--off/--on", "is_off", default=None, help="Switch it off, or on again.")
@asks_service
def change(
    service: Service, webhook_id: str, url_told: str | None, events: tuple[str, ...], is_off: bool | None
) -> None:
    """Change a webhook; what is left out stays."""
    wanted: dict[str, Any] = {"url": url_told, "events": list(events) or None, "is_off": is_off}
    given = {name: value for name, value in wanted.items() if value is not None}
    _show(service, service.client.change_webhook(webhook_id, **given))


@webhook.command()
@_WEBHOOK
@asks_service
def delete(service: Service, webhook_id: str) -> None:
    """Delete a webhook, with the log of its deliveries."""
    service.client.delete_webhook(webhook_id)
    service.answer({"id": webhook_id}, lambda: click.echo("deleted"))


@webhook.command()
@_WEBHOOK
@asks_service
def secret(service: Service, webhook_id: str) -> None:
    """Give a webhook another secret, shown this once; the one before ends."""
    found = service.client.rotate_webhook_secret(webhook_id)
    service.answer({"secret": found}, lambda: click.echo(found))


@webhook.command()
@_WEBHOOK
@asks_service
def test(service: Service, webhook_id: str) -> None:
    """Send a ping to a webhook; see its deliveries for what came of it."""
    sent = service.client.test_webhook(webhook_id)
    service.answer(sent, lambda: click.echo(f"sent as {sent['id']}"))


@webhook.command()
@_WEBHOOK
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many.")
@asks_service
def deliveries(service: Service, webhook_id: str, limit: int) -> None:
    """List what a webhook was told, the newest first, and how the last attempt to tell it ended."""
    rows = list(islice(service.client.deliveries(webhook_id), limit))
    shown = [{**row, "tries": len(row["attempts"]), "last": _last(row)} for row in rows]
    service.answer_rows(rows, ("id", "event", "state", "tries", "last", "created_at"), shown)


def _last(row: Json) -> str:
    if not row["attempts"]:
        return ""
    attempt = row["attempts"][-1]
    return clean(attempt["detail"] or attempt["status"])


def _show(service: Service, found: Json) -> None:
    state = "off" if found["is_off"] else "on"
    service.answer(
        found, lambda: click.echo(clean(f"{found['url']} ({state}): {', '.join(found['events'])}"))
    )
