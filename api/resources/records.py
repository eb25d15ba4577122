"""What is final: the frozen standings of a tournament, and its record for everybody to verify."""

from typing import Any
from uuid import UUID

from flask import Response
from flask.views import MethodView

from api.blueprints import Blueprint
from api.schemas.editions import EditionsSchema, FullEditionSchema
from store import editions, season_records, tournaments
from store.models.tournaments import Edition
from workers import services

blueprint = Blueprint("records", "What is final, and how anybody can verify it")

MEDIA_TYPE = "application/x-ndjson"


@blueprint.resource("/tournaments/<uuid:tournament_id>/record")
class Record(MethodView):
    """The record of a tournament."""

    @blueprint.answers(200, {"type": "string"}, content_type=MEDIA_TYPE)
    @blueprint.problems(404, 409)
    def get(self, tournament_id: UUID) -> Response:
        """Send all that a tournament or season follows from, one JSON object a line; 409 before its end.

        `fudaba verify` plays every match of it again and holds all else to what comes of that.
        """
        body = season_records.stream(services.current().database, tournament_id)
        filename = f'attachment; filename="{tournament_id}.ndjson"'
        return Response(body, content_type=MEDIA_TYPE, headers={"Content-Disposition": filename})


@blueprint.resource("/tournaments/<uuid:tournament_id>/editions")
class Editions(MethodView):
    """The frozen standings of a tournament."""

    @blueprint.answers(200, EditionsSchema)
    @blueprint.problems(404)
    def get(self, tournament_id: UUID) -> dict[str, Any]:
        """List the editions of the final standings, the first one first; none before the end."""
        with services.current().database.reading() as tx:
            tournaments.require(tx, tournament_id)
            return {"items": editions.of_tournament(tx, tournament_id), "next_cursor": None}


@blueprint.resource("/tournaments/<uuid:tournament_id>/editions/<int(max=2147483647):number>")
class OneEdition(MethodView):
    """One edition."""

    @blueprint.answers(200, FullEditionSchema)
    @blueprint.problems(404)
    def get(self, tournament_id: UUID, number: int) -> Edition:
        """Show one edition with its tables, exactly as they were frozen."""
        with services.current().database.reading() as tx:
            return editions.get(tx, tournament_id, number)
