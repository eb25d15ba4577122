"""Standings, as JSON or CSV."""

from typing import Any
from uuid import UUID

from flask import Response, request
from flask.views import MethodView

from api import tables
from api.blueprints import Blueprint
from api.schemas.crosstable import CrosstableQuerySchema, CrosstableSchema
from api.schemas.standings import StandingsQuerySchema, StandingsSchema
from api.tables import CrosstableView, StandingsView
from workers import services

blueprint = Blueprint("standings", "Who is ahead")

_CSV = "text/csv"


def wants_csv(chosen: str | None) -> bool:
    """Return whether CSV is wanted: as chosen, or by what the Accept header likes better."""
    if chosen is not None:
        return chosen == "csv"
    return request.accept_mimetypes.best_match(["application/json", _CSV]) == _CSV


@blueprint.resource("/tournaments/<uuid:tournament_id>/standings")
class Standings(MethodView):
    """The standings of a tournament."""

    @blueprint.takes(StandingsQuerySchema, "query")
    @blueprint.answers(200, StandingsSchema)
    @blueprint.also_answers(200, {"type": "string"}, content_type=_CSV)
    @blueprint.problems(404)
    def get(self, query: dict[str, Any], tournament_id: UUID) -> StandingsView | Response:
        """Show the standings as they are: over all events and of every event, or of one.

        As CSV it is one table: that of the event asked for, otherwise the one over all events.
        """
        with services.current().database.reading() as tx:
            view = tables.build(tx, tournament_id, query["event"])
        if not wants_csv(query["format"]):
            return view
        return Response(tables.to_csv(view), content_type=f"{_CSV}; charset=utf-8")


@blueprint.resource("/tournaments/<uuid:tournament_id>/crosstable")
class Crosstable(MethodView):
    """Who did how well against whom."""

    @blueprint.takes(CrosstableQuerySchema, "query")
    @blueprint.answers(200, CrosstableSchema)
    @blueprint.problems(404)
    def get(self, query: dict[str, Any], tournament_id: UUID) -> CrosstableView:
        """Show the cross-table of one event as it is: how every two entrants that met did."""
        with services.current().database.reading() as tx:
            return tables.crosstable(tx, tournament_id, query["event"] or 0)
