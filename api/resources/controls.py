"""What organisers do to a tournament that has been made: pause, resume, clone; and the log of it all."""

from typing import Any
from uuid import UUID

from flask.views import MethodView

from api import auth, paging
from api.auth import requires
from api.blueprints import Blueprint
from api.paging import Page
from api.schemas.audit import AuditEntryPageSchema
from api.schemas.fields import PageQuerySchema
from api.schemas.tournaments import CloneSchema, TournamentSchema
from store import audit, controls, tournaments
from store.models.accounts import Role
from store.models.audit import AuditEntry
from store.models.tournaments import Tournament
from workers import dispatch, services

blueprint = Blueprint("controls", "What organisers do with tournaments, and the log of it")


@blueprint.resource("/tournaments/<uuid:tournament_id>/pause")
class Pause(MethodView):
    """A stop for a while."""

    @requires(Role.ORGANISER)
    @blueprint.answers(200, TournamentSchema)
    @blueprint.problems(404, 409)
    def post(self, tournament_id: UUID) -> Tournament:
        """Stop a running tournament for a while; the matches that are being played come to their end."""
        now = services.current().clock()
        with services.current().database.transaction() as tx:
            paused = controls.pause(tx, tournament_id, now)
            audit.note(tx, auth.caller(), "tournament.pause", now, tournament_id=tournament_id)
        return paused


@blueprint.resource("/tournaments/<uuid:tournament_id>/resume")
class Resume(MethodView):
    """The end of a pause."""

    @requires(Role.ORGANISER)
    @blueprint.answers(202, TournamentSchema)
    @blueprint.problems(404, 409)
    def post(self, tournament_id: UUID) -> Tournament:
        """Go on with a paused tournament."""
        now = services.current().clock()
        with services.current().database.transaction() as tx:
            resumed = controls.resume(tx, tournament_id, now)
            audit.note(tx, auth.caller(), "tournament.resume", now, tournament_id=tournament_id)
            tx.after_commit(dispatch.tournament, tournament_id)
        return resumed


@blueprint.resource("/tournaments/<uuid:tournament_id>/clone")
class Clone(MethodView):
    """A copy of a tournament."""

    @requires(Role.ORGANISER)
    @blueprint.takes(CloneSchema)
    @blueprint.answers(201, TournamentSchema)
    @blueprint.problems(404)
    def post(self, how: dict[str, Any], tournament_id: UUID) -> Tournament:
        """Make a draft with the events and rules of a tournament in any state, and a secret of its own."""
        by, now = auth.caller(), services.current().clock()
        with services.current().database.transaction() as tx:
            made = controls.clone(tx, tournament_id, **how, organiser_id=by.id, now=now)
            origin = str(tournament_id)
            audit.note(tx, by, "tournament.clone", now, tournament_id=made.id, name=made.name, origin=origin)
            return made


@blueprint.resource("/tournaments/<uuid:tournament_id>/audit")
class TournamentAudit(MethodView):
    """What was done to a tournament."""

    @requires(Role.ORGANISER)
    @blueprint.takes(PageQuerySchema, "query")
    @blueprint.answers(200, AuditEntryPageSchema)
    @blueprint.problems(404)
    def get(self, query: dict[str, Any], tournament_id: UUID) -> Page[AuditEntry]:
        """List what was done to a tournament, by whom and when, the newest first."""
        before = paging.after_number(query["cursor"])
        with services.current().database.reading() as tx:
            tournaments.require(tx, tournament_id)
            rows = audit.page(tx, limit=query["limit"] + 1, tournament_id=tournament_id, before=before)
        return paging.cut(rows, query["limit"], lambda row: (row.id,))


@blueprint.resource("/audit")
class Audit(MethodView):
    """What was done."""

    @requires(Role.ORGANISER)
    @blueprint.takes(PageQuerySchema, "query")
    @blueprint.answers(200, AuditEntryPageSchema)
    def get(self, query: dict[str, Any]) -> Page[AuditEntry]:
        """List what was done to tournaments, accounts and tokens, by whom and when, the newest first."""
        before = paging.after_number(query["cursor"])
        with services.current().database.reading() as tx:
            rows = audit.page(tx, limit=query["limit"] + 1, before=before)
        return paging.cut(rows, query["limit"], lambda row: (row.id,))
