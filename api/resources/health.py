"""Whether the service is alive and ready; also at the root, for those who watch it."""

from flask import Flask, Response
from flask.views import MethodView
from prometheus_client import CONTENT_TYPE_LATEST

from api import metrics, readiness
from api.blueprints import Blueprint
from api.errors import NotReady
from api.schemas.health import HealthSchema, ReadinessSchema
from workers import services

blueprint = Blueprint("health", "Whether the service is alive and ready")


@blueprint.resource("/healthz")
class Health(MethodView):
    """Whether this process is alive."""

    @blueprint.answers(200, HealthSchema)
    def get(self) -> dict[str, str]:
        """Say that this process answers; nothing else is looked at."""
        return {"status": "ok"}


@blueprint.resource("/readyz")
class Ready(MethodView):
    """Whether the service can do its work."""

    @blueprint.answers(200, ReadinessSchema)
    @blueprint.problems(503)
    def get(self) -> dict[str, object]:
        """Say whether the database, its tables, Redis and a worker are there; 503 names what is not."""
        problems = readiness.problems(services.current())
        if problems:
            raise NotReady(problems)
        return {
            "status": "ok",
            "workers": readiness.workers(services.current()),
            "idle_ladders": readiness.idle_ladders(services.current()),
        }


def metrics_text() -> Response:
    """Return what all processes have counted and how much waits, for Prometheus."""
    return Response(metrics.text(services.current()), content_type=CONTENT_TYPE_LATEST)


def register_at_root(app: Flask) -> None:
    """Answer /healthz and /readyz as well as their routes below the prefix, and /metrics."""
    app.add_url_rule("/metrics", view_func=metrics_text)
    app.add_url_rule("/healthz", view_func=Health.as_view("healthz_at_root"))
    app.add_url_rule("/readyz", view_func=Ready.as_view("readyz_at_root"))
