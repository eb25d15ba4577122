"""Re-runs: matches that are played again."""

from typing import Any
from uuid import UUID

from flask import Response, jsonify
from flask.views import MethodView

from api import auth
from api.auth import requires
from api.blueprints import Blueprint
from api.schemas.reruns import (
    NewRerunSchema,
    PreviewSchema,
    RerunQuerySchema,
    RerunSchema,
    RerunsSchema,
    choice_of,
)
from store import audit, reruns
from store.models.accounts import Role
from store.reruns import View
from workers import dispatch, services

blueprint = Blueprint("reruns", "Matches that are played again")


@blueprint.resource("/tournaments/<uuid:tournament_id>/reruns")
class Reruns(MethodView):
    """The re-runs of a tournament."""

    @blueprint.answers(200, RerunsSchema)
    @blueprint.problems(404)
    def get(self, tournament_id: UUID) -> dict[str, Any]:
        """List the re-runs of a tournament, the first one first, with their reasons."""
        with services.current().database.reading() as tx:
            return {"items": reruns.of_tournament(tx, tournament_id), "next_cursor": None}

    @requires(Role.ORGANISER)
    @blueprint.takes(RerunQuerySchema, "query")
    @blueprint.takes(NewRerunSchema)
    @blueprint.also_answers(200, PreviewSchema)
    @blueprint.answers(202, RerunSchema)
    @blueprint.problems(404, 409)
    def post(self, query: dict[str, Any], new: dict[str, Any], tournament_id: UUID) -> View | Response:
        """Have matches played again, on the same deals; with `dry_run=true` only say (200) what that does.

        Their results are in no table until then. A finished tournament runs until it is done and then has
        another edition; the one before stays.
        """
        made, by = services.current(), auth.caller()
        if query["dry_run"]:
            with made.database.reading() as tx:
                return jsonify(PreviewSchema().dump(reruns.preview(tx, tournament_id, choice_of(new))))
        with made.database.transaction() as tx:
            applied = reruns.apply(tx, tournament_id, choice_of(new), new["reason"], made.clock())
            note = {"number": applied.number, "matches": applied.matches, "reason": applied.reason}
            audit.note(tx, by, "reruns.apply", made.clock(), tournament_id=tournament_id, **note)
            tx.after_commit(dispatch.tournament, tournament_id)
        return applied


@blueprint.resource("/tournaments/<uuid:tournament_id>/reruns/<int(max=2147483647):number>")
class OneRerun(MethodView):
    """One re-run."""

    @blueprint.answers(200, RerunSchema)
    @blueprint.problems(404)
    def get(self, tournament_id: UUID, number: int) -> View:
        """Show a re-run and whether it is done."""
        with services.current().database.reading() as tx:
            return reruns.get(tx, tournament_id, number)


@blueprint.resource("/tournaments/<uuid:tournament_id>/reruns/<int(max=2147483647):number>/undo")
class UndoneRerun(MethodView):
    """The end of a re-run that should not have been."""

    @requires(Role.ORGANISER)
    @blueprint.answers(202, RerunSchema)
    @blueprint.problems(404, 409)
    def post(self, tournament_id: UUID, number: int) -> View:
        """Let the results count again that a re-run took out; only the last one can be undone."""
        made = services.current()
        with made.database.transaction() as tx:
            undone = reruns.undo(tx, tournament_id, number, made.clock())
            audit.note(
                tx, auth.caller(), "reruns.undo", made.clock(), tournament_id=tournament_id, number=number
            )
            tx.after_commit(dispatch.tournament, tournament_id)
        return undone
