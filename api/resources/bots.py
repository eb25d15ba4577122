"""Bots, their versions and what is known of their play."""

from functools import partial
from typing import Any
from uuid import UUID

from flask import Response
from flask.views import MethodView

from api import auth, paging
from api.auth import SIGNED_IN, requires
from api.blueprints import Blueprint
from api.conditional import require_match
from api.paging import Page
from api.schemas.bots import (
    BotChangeSchema,
    BotPageSchema,
    BotQuerySchema,
    BotSchema,
    FaultPageSchema,
    LogPageSchema,
    NewEndpointSchema,
    NewEndpointVersionSchema,
    NewModuleSchema,
    NewModuleVersionSchema,
    QualificationSchema,
    SecretSchema,
    SubmissionSchema,
    VersionPageSchema,
    VersionSchema,
)
from api.schemas.fields import PageQuerySchema
from api.submissions import Module, Submission, takes_submission
from store import access, bots, evidence
from store.database import Transaction
from store.evidence import FaultView, LogView
from store.models.bots import Bot, Version, VersionState
from workers import dispatch, services

blueprint = Blueprint("bots", "What plays: uploaded modules, endpoints and the bots of the house")

SOURCE_TYPE = "application/octet-stream"


def submit(tx: Transaction, name: str, submission: Submission) -> dict[str, Any]:
    """Store a submission of the caller and have it qualified; return what SubmissionSchema shows."""
    owner, games, now = auth.caller(), submission.meta["games"], services.current().clock()
    secret = None
    if isinstance(submission, Module):
        version = bots.submit_module(tx, owner, name, submission.upload, submission.content, games, now)
    else:
        version, secret = bots.submit_endpoint(tx, owner, name, submission.endpoint, games, now)
    qualify(tx, version)
    return {
        "bot": version.bot,
        "number": version.number,
        "sha256": version.sha256,
        "state": version.state,
        "games": version.games,
        "secret": secret,
    }


def qualify(tx: Transaction, version: Version | None) -> None:
    """Have a version qualified that waits for it."""
    if version is not None and version.state is VersionState.QUALIFYING:
        tx.after_commit(dispatch.qualification, version.id)


@blueprint.resource("/bots")
class Bots(MethodView):
    """All bots."""

    @requires(*SIGNED_IN)
    @blueprint.takes(BotQuerySchema, "query")
    @blueprint.answers(200, BotPageSchema)
    def get(self, query: dict[str, Any]) -> Page[Bot]:
        """List bots, the newest first."""
        with services.current().database.reading() as tx:
            listed = partial(access.page, tx, auth.caller(), owner=query["owner"])
            return paging.by_moment(listed, query["cursor"], query["limit"])

    @requires(*SIGNED_IN)
    @takes_submission(NewModuleSchema, NewEndpointSchema)
    @blueprint.answers(202, SubmissionSchema)
    @blueprint.problems(409)
    def post(self, submission: Submission) -> dict[str, Any]:
        """Submit a bot, or another version of one's own bot of the same name.

        A module is sent as multipart/form-data with the parts `meta` (JSON) and `file`, an endpoint as JSON.
        The same submission again answers with the same version. Qualification follows; see its route.
        """
        with services.current().database.transaction() as tx:
            return submit(tx, submission.meta["name"], submission)


@blueprint.resource("/bots/<uuid:bot_id>")
class OneBot(MethodView):
    """One bot."""

    @requires(*SIGNED_IN)
    @blueprint.answers(200, BotSchema)
    @blueprint.problems(404)
    def get(self, bot_id: UUID) -> Bot:
        """Show a bot."""
        with services.current().database.reading() as tx:
            return access.seen(tx, bot_id, auth.caller())

    @requires(*SIGNED_IN)
    @blueprint.takes(BotChangeSchema)
    @blueprint.answers(200, BotSchema)
    @blueprint.problems(404, 412)
    def patch(self, change: dict[str, Any], bot_id: UUID) -> Bot:
        """Change who may know of one's own bot, switch it off and on, or let it play other games.

        What is left out stays. For other games the version that plays becomes another one, which plays once
        it has qualified for them; the one before goes on until then.
        """
        games = change.pop("games")
        with services.current().database.transaction() as tx:
            bot = access.locked(tx, bot_id, auth.caller())
            require_match(BotSchema(), bot)
            if games is not None:
                qualify(tx, bots.claim(tx, bot, games, services.current().clock()))
            return access.change(tx, bot, **change)

    @requires(*SIGNED_IN)
    @blueprint.answers(204)
    @blueprint.problems(404, 409, 412)
    def delete(self, bot_id: UUID) -> None:
        """Delete one's own bot for good; 409 while it plays in a tournament.

        It leaves all drafts. What it has played stays, under its name, which is not given out again.
        """
        with services.current().database.transaction() as tx:
            bot = access.locked(tx, bot_id, auth.caller())
            require_match(BotSchema(), bot)
            access.delete(tx, bot, services.current().clock())


@blueprint.resource("/bots/<uuid:bot_id>/versions")
class Versions(MethodView):
    """All versions of a bot."""

    @requires(*SIGNED_IN)
    @blueprint.takes(PageQuerySchema, "query")
    @blueprint.answers(200, VersionPageSchema)
    @blueprint.problems(404)
    def get(self, query: dict[str, Any], bot_id: UUID) -> Page[Version]:
        """List the versions of one's own bot, the newest first; organisers may list any bot's."""
        before = paging.after_number(query["cursor"])
        with services.current().database.reading() as tx:
            access.private(tx, bot_id, auth.caller())
            rows = bots.versions(tx, bot_id, limit=query["limit"] + 1, before=before)
        return paging.cut(rows, query["limit"], lambda version: (version.number,))

    @requires(*SIGNED_IN)
    @takes_submission(NewModuleVersionSchema, NewEndpointVersionSchema)
    @blueprint.answers(202, SubmissionSchema)
    @blueprint.problems(404, 409)
    def post(self, submission: Submission, bot_id: UUID) -> dict[str, Any]:
        """Submit another version of one's own bot."""
        with services.current().database.transaction() as tx:
            return submit(tx, access.owned(tx, bot_id, auth.caller()).name, submission)


@blueprint.resource("/bots/<uuid:bot_id>/versions/<int(max=2147483647):number>")
class OneVersion(MethodView):
    """One version of a bot."""

    @requires(*SIGNED_IN)
    @blueprint.answers(200, VersionSchema)
    @blueprint.problems(404)
    def get(self, bot_id: UUID, number: int) -> Version:
        """Show a version of one's own bot; organisers may see any bot's."""
        with services.current().database.reading() as tx:
            access.private(tx, bot_id, auth.caller())
            return bots.version(tx, bot_id, number)


@blueprint.resource("/bots/<uuid:bot_id>/versions/<int(max=2147483647):number>/source")
class Source(MethodView):
    """What was uploaded."""

    @requires(*SIGNED_IN)
    @blueprint.answers(200, {"type": "string", "format": "binary"}, content_type=SOURCE_TYPE)
    @blueprint.problems(404, 409)
    def get(self, bot_id: UUID, number: int) -> Response:
        """Send the file that a version of one's own module was made from; 409 for bots without a file."""
        with services.current().database.reading() as tx:
            access.private(tx, bot_id, auth.caller())
            source = bots.source(tx, bot_id, number)
        disposition = f'attachment; filename="{source.filename}"'
        return Response(
            source.content, content_type=SOURCE_TYPE, headers={"Content-Disposition": disposition}
        )


@blueprint.resource("/bots/<uuid:bot_id>/versions/<int(max=2147483647):number>/qualification")
class Qualification(MethodView):
    """The qualification of a version."""

    @requires(*SIGNED_IN)
    @blueprint.answers(200, QualificationSchema)
    @blueprint.problems(404)
    def get(self, bot_id: UUID, number: int) -> dict[str, Any]:
        """Show how far the qualification of a version is, and what it found."""
        with services.current().database.reading() as tx:
            access.private(tx, bot_id, auth.caller())
            version = bots.version(tx, bot_id, number)
            return {
                "version": number,
                "state": version.state,
                "position": bots.waiting_before(tx, version),
                "attempt": version.attempt,
                "report": version.report,
            }


@blueprint.resource("/bots/<uuid:bot_id>/versions/<int(max=2147483647):number>/activate")
class Activation(MethodView):
    """Which version plays."""

    @requires(*SIGNED_IN)
    @blueprint.answers(200, VersionSchema)
    @blueprint.problems(404, 409)
    def post(self, bot_id: UUID, number: int) -> Version:
        """Make a qualified version the one that plays from here on."""
        with services.current().database.transaction() as tx:
            access.private(tx, bot_id, auth.caller())
            return bots.activate(tx, bot_id, number)


@blueprint.resource("/bots/<uuid:bot_id>/secret")
class Secret(MethodView):
    """The secret of an endpoint."""

    @requires(*SIGNED_IN)
    @blueprint.answers(200, SecretSchema)
    @blueprint.problems(404, 409)
    def post(self, bot_id: UUID) -> dict[str, Any]:
        """Give one's own endpoint another secret, which is shown this once; the one before ends."""
        with services.current().database.transaction() as tx:
            return {"secret": bots.rotate_secret(tx, access.owned(tx, bot_id, auth.caller()))}


@blueprint.resource("/bots/<uuid:bot_id>/faults")
class Faults(MethodView):
    """The faults of a bot."""

    @requires(*SIGNED_IN)
    @blueprint.takes(PageQuerySchema, "query")
    @blueprint.answers(200, FaultPageSchema)
    @blueprint.problems(404)
    def get(self, query: dict[str, Any], bot_id: UUID) -> Page[FaultView]:
        """List the faults of one's own bot with their evidence, the newest first."""
        after = paging.after_fault(query["cursor"])
        with services.current().database.reading() as tx:
            access.private(tx, bot_id, auth.caller())
            rows = evidence.faults(tx, bot_id, limit=query["limit"] + 1, after=after)
        return paging.cut(
            rows, query["limit"], lambda row: (row.created_at, row.event_id, row.number, row.step)
        )


@blueprint.resource("/bots/<uuid:bot_id>/logs")
class Logs(MethodView):
    """What a bot printed."""

    @requires(*SIGNED_IN)
    @blueprint.takes(PageQuerySchema, "query")
    @blueprint.answers(200, LogPageSchema)
    @blueprint.problems(404)
    def get(self, query: dict[str, Any], bot_id: UUID) -> Page[LogView]:
        """List what one's own bot printed, the newest first."""
        before = paging.after_number(query["cursor"])
        with services.current().database.reading() as tx:
            access.private(tx, bot_id, auth.caller())
            rows = evidence.logs(tx, bot_id, limit=query["limit"] + 1, before=before)
        return paging.cut(rows, query["limit"], lambda row: (row.id,))
