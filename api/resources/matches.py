"""Matches and replays."""

from typing import Any
from uuid import UUID

from flask.views import MethodView

from api import paging
from api.blueprints import Blueprint
from api.paging import Page
from api.schemas.matches import (
    MatchPageSchema,
    MatchQuerySchema,
    MatchSchema,
    ReplayQuerySchema,
    ReplaySchema,
)
from store import matches, tournaments
from store.matches import MatchView
from workers import services

blueprint = Blueprint("matches", "What was played")


@blueprint.resource("/tournaments/<uuid:tournament_id>/matches")
class Matches(MethodView):
    """The matches of a tournament."""

    @blueprint.takes(MatchQuerySchema, "query")
    @blueprint.answers(200, MatchPageSchema)
    @blueprint.problems(404)
    def get(self, query: dict[str, Any], tournament_id: UUID) -> Page[MatchView]:
        """List the finished matches, by event and number."""
        after = paging.after_match(query["cursor"])
        with services.current().database.reading() as tx:
            tournaments.require(tx, tournament_id)
            rows = matches.page(
                tx,
                tournament_id,
                event_index=query["event"],
                entrant=query["entrant"],
                after=after,
                limit=query["limit"] + 1,
            )
        return paging.cut(rows, query["limit"], lambda match: (match.event_index, match.number))


@blueprint.resource("/matches/<match_id>")
class OneMatch(MethodView):
    """One match."""

    @blueprint.answers(200, MatchSchema)
    @blueprint.problems(404)
    def get(self, match_id: str) -> MatchView:
        """Show a finished match."""
        with services.current().database.reading() as tx:
            return matches.get(tx, match_id)


@blueprint.resource("/matches/<match_id>/replay")
class Replay(MethodView):
    """A match step by step."""

    @blueprint.takes(ReplayQuerySchema, "query")
    @blueprint.answers(200, ReplaySchema)
    @blueprint.problems(404, 409)
    def get(self, query: dict[str, Any], match_id: str) -> dict[str, Any]:
        """Show a finished match step by step; 409 while its event is running, since its cards are hidden."""
        viewer = matches.ALL if query["seat"] is None else query["seat"]
        with services.current().database.reading() as tx:
            return {"match": matches.get(tx, match_id), **matches.replay(tx, match_id, viewer=viewer)}
