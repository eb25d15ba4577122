"""Webhooks: URLs that are told what happens, and the log of what they were told."""

from functools import partial
from typing import Any
from uuid import UUID

from flask.views import MethodView

from api import auth, paging
from api.auth import SIGNED_IN, requires
from api.blueprints import Blueprint
from api.conditional import require_match
from api.paging import Page
from api.schemas.fields import PageQuerySchema
from api.schemas.webhooks import (
    CreatedWebhookSchema,
    DeliveryPageSchema,
    DeliverySchema,
    HookSecretSchema,
    NewWebhookSchema,
    WebhookChangeSchema,
    WebhookPageSchema,
    WebhookSchema,
)
from store import deliveries, webhooks
from store.models.webhooks import Delivery, HookEvent, Webhook
from workers import dispatch, services
from workers.runtimes import addresses
from workers.runtimes.addresses import AddressRules

blueprint = Blueprint("webhooks", "Who is told what happens")


def check_url(url: str | None) -> None:
    """Refuse a URL that may not be connected to, under the rules for endpoints; raises BadUrl."""
    if url is not None:
        rules = AddressRules(allow_private=services.current().settings.allow_private_endpoints)
        addresses.check_url(url, rules)


@blueprint.resource("/webhooks")
class Webhooks(MethodView):
    """One's own webhooks."""

    @requires(*SIGNED_IN)
    @blueprint.takes(PageQuerySchema, "query")
    @blueprint.answers(200, WebhookPageSchema)
    def get(self, query: dict[str, Any]) -> Page[Webhook]:
        """List one's own webhooks, the newest first."""
        with services.current().database.reading() as tx:
            listed = partial(webhooks.page, tx, auth.caller())
            return paging.by_moment(listed, query["cursor"], query["limit"])

    @requires(*SIGNED_IN)
    @blueprint.takes(NewWebhookSchema)
    @blueprint.answers(201, CreatedWebhookSchema)
    @blueprint.problems(409)
    def post(self, new: dict[str, Any]) -> Webhook:
        """Make a webhook; the answer holds its secret, which is shown this once.

        What it is told is posted as JSON with the headers Fudaba-Event and Fudaba-Delivery, signed like the
        requests to endpoints. Answer 2xx; after 408, 429, 5xx or no answer it is sent again, with growing
        pauses, after anything else it is not.
        """
        check_url(new["url"])
        with services.current().database.transaction() as tx:
            return webhooks.create(tx, auth.caller(), new["url"], new["events"], services.current().clock())


@blueprint.resource("/webhooks/<uuid:webhook_id>")
class OneWebhook(MethodView):
    """One webhook."""

    @requires(*SIGNED_IN)
    @blueprint.answers(200, WebhookSchema)
    @blueprint.problems(404)
    def get(self, webhook_id: UUID) -> Webhook:
        """Show one of one's own webhooks."""
        with services.current().database.reading() as tx:
            return webhooks.shown(tx, webhook_id, auth.caller())

    @requires(*SIGNED_IN)
    @blueprint.takes(WebhookChangeSchema)
    @blueprint.answers(200, WebhookSchema)
    @blueprint.problems(404, 412)
    def patch(self, change: dict[str, Any], webhook_id: UUID) -> Webhook:
        """Change one of one's own webhooks, or switch it off and on; what is left out stays."""
        check_url(change["url"])
        with services.current().database.transaction() as tx:
            webhook = webhooks.owned(tx, webhook_id, auth.caller())
            require_match(WebhookSchema(), webhook)
            return webhooks.change(tx, webhook, **change)

    @requires(*SIGNED_IN)
    @blueprint.answers(204)
    @blueprint.problems(404, 412)
    def delete(self, webhook_id: UUID) -> None:
        """Delete one of one's own webhooks, with the log of its deliveries."""
        with services.current().database.transaction() as tx:
            webhook = webhooks.owned(tx, webhook_id, auth.caller())
            require_match(WebhookSchema(), webhook)
            webhooks.remove(tx, webhook)


@blueprint.resource("/webhooks/<uuid:webhook_id>/secret")
class HookSecret(MethodView):
    """The secret of a webhook."""

    @requires(*SIGNED_IN)
    @blueprint.answers(200, HookSecretSchema)
    @blueprint.problems(404)
    def post(self, webhook_id: UUID) -> dict[str, str]:
        """Give one of one's own webhooks another secret, which is shown this once; the one before ends."""
        with services.current().database.transaction() as tx:
            webhook = webhooks.owned(tx, webhook_id, auth.caller())
            return {"secret": webhooks.rotate_secret(tx, webhook)}


@blueprint.resource("/webhooks/<uuid:webhook_id>/deliveries")
class Deliveries(MethodView):
    """What a webhook was told."""

    @requires(*SIGNED_IN)
    @blueprint.takes(PageQuerySchema, "query")
    @blueprint.answers(200, DeliveryPageSchema)
    @blueprint.problems(404)
    def get(self, query: dict[str, Any], webhook_id: UUID) -> Page[Delivery]:
        """List what one of one's own webhooks was told, with every attempt, the newest first, for 30 days."""
        with services.current().database.reading() as tx:
            webhooks.shown(tx, webhook_id, auth.caller())
            listed = partial(deliveries.page, tx, webhook_id)
            return paging.by_moment(listed, query["cursor"], query["limit"])


@blueprint.resource("/webhooks/<uuid:webhook_id>/test")
class Test(MethodView):
    """A trial of a webhook."""

    @requires(*SIGNED_IN)
    @blueprint.answers(202, DeliverySchema)
    @blueprint.problems(404)
    def post(self, webhook_id: UUID) -> Delivery:
        """Send the event `ping` to one of one's own webhooks, also one that is off; see its deliveries."""
        now = services.current().clock()
        with services.current().database.transaction() as tx:
            webhooks.owned(tx, webhook_id, auth.caller())
            delivery = deliveries.add(tx, webhook_id, HookEvent.PING, {}, now)
            deliveries.mark_sent(tx, [delivery.id], now)
            tx.after_commit(dispatch.deliveries, [delivery.id])
        return delivery
