"""Standings, as JSON or CSV."""

from typing import Any
from uuid import UUID

from flask import Response, jsonify, request
from flask.views import MethodView

from api import bodies, tables
from api.blueprints import Blueprint
from api.schemas.crosstable import CrosstableQuerySchema, CrosstableSchema
from api.schemas.standings import StandingsQuerySchema, StandingsSchema
from store import stamps
from store.database import Transaction
from workers import services

blueprint = Blueprint("standings", "Who is ahead")

_CSV = "text/csv"
_STANDINGS, _CROSSTABLE = StandingsSchema(), CrosstableSchema()


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
    def get(self, query: dict[str, Any], tournament_id: UUID) -> Response:
        """Show the standings as they are: over all events and of every event, or of one.

        As CSV it is one table: that of the event asked for, otherwise the one over all events.
        """
        event_index, is_csv = query["event"], wants_csv(query["format"])
        place = ("standings", tournament_id, event_index, is_csv)
        with services.current().database.reading() as tx:
            stamp = stamps.of_standings(tx, tournament_id)
            return bodies.answer(place, stamp, lambda: _standings(tx, tournament_id, event_index, is_csv))


@blueprint.resource("/tournaments/<uuid:tournament_id>/crosstable")
class Crosstable(MethodView):
    """Who did how well against whom."""

    @blueprint.takes(CrosstableQuerySchema, "query")
    @blueprint.answers(200, CrosstableSchema)
    @blueprint.problems(404)
    def get(self, query: dict[str, Any], tournament_id: UUID) -> Response:
        """Show the cross-table of one event as it is: how every two entrants that met did."""
        event_index = query["event"] or 0
        place = ("crosstable", tournament_id, event_index)
        with services.current().database.reading() as tx:
            stamp = stamps.of_standings(tx, tournament_id)
            return bodies.answer(place, stamp, lambda: _crosstable(tx, tournament_id, event_index))


def _standings(tx: Transaction, tournament_id: UUID, event_index: int | None, is_csv: bool) -> Response:
    view = tables.build(tx, tournament_id, event_index)
    if is_csv:
        return Response(tables.to_csv(view), content_type=f"{_CSV}; charset=utf-8")
    return jsonify(_STANDINGS.dump(view))


def _crosstable(tx: Transaction, tournament_id: UUID, event_index: int) -> Response:
    return jsonify(_CROSSTABLE.dump(tables.crosstable(tx, tournament_id, event_index)))
