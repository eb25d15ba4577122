"""The stream of a tournament: how far it is, as Server-Sent Events."""

from uuid import UUID

from flask import Flask, Response, current_app
from flask.views import MethodView
from sqlalchemy.exc import SQLAlchemyError

from api import streams
from api.blueprints import Blueprint
from api.schemas.progress import StreamHeadersSchema
from api.streams import Hub
from store import tournaments
from workers import services

blueprint = Blueprint("stream", "How far a tournament is, as it happens")

MEDIA_TYPE = "text/event-stream"
_HUB = "fudaba.streams"
_EVENT = {
    "type": "object",
    "description": "One event of the stream; its data is the JSON text of a Progress.",
    "properties": {
        "id": {"type": "string"},
        "event": {"const": "progress"},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": "#/components/schemas/Progress"},
        },
    },
    "required": ["id", "event", "data"],
}


def register(app: Flask) -> None:
    """Give `app` its listeners."""
    app.extensions[_HUB] = Hub()


@blueprint.resource("/tournaments/<uuid:tournament_id>/stream")
class Stream(MethodView):
    """The progress of a tournament as it happens."""

    @blueprint.takes(StreamHeadersSchema, "headers")
    @blueprint.answers(200, _EVENT, content_type=MEDIA_TYPE)
    @blueprint.also_answers(204)
    @blueprint.problems(404, 503)
    def get(self, headers: dict[str, str | None], tournament_id: UUID) -> Response:
        """Send how far a tournament is at every change, as Server-Sent Events, until it is over.

        Every event is a `progress` event with an id, and its data says all: a listener that comes back with
        `Last-Event-ID` has missed nothing once it has the next one. 204 says that there is none to come.
        A process serves a number of listeners at a time; 503 asks others to poll the tournament instead.
        """
        hub: Hub = current_app.extensions[_HUB]
        last_id = headers["last_event_id"]
        with services.current().database.reading() as tx:
            tournaments.require(tx, tournament_id)
        hub.join(tournament_id)
        answer = Response(streams.events(hub, tournament_id, last_id), content_type=MEDIA_TYPE)
        answer.call_on_close(lambda: hub.leave(tournament_id))
        try:
            if streams.has_nothing_for(hub.latest(tournament_id), last_id):
                answer.status_code, answer.response = 204, ()
        except SQLAlchemyError:
            answer.close()
            raise
        answer.headers["X-Accel-Buffering"] = "no"
        return answer
