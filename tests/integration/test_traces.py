"""A whole installation that tells of what it does, from the request to the results, over all processes."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from support import installation
from support.installation import TOKEN

from api.client import Client

pytestmark = [pytest.mark.integration, pytest.mark.slow]

SHORT = {"game": "hana_awase", "seats": 3, "options": {"rounds": 1}, "deals": 2}
HOUSE = ["house/first", "house/greedy", "house/random"]


@contextmanager
def collector() -> Iterator[tuple[str, list[Span]]]:
    """Take in spans as OTLP over HTTP; yield the address and what has come."""
    found: list[Span] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    found.extend(scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_one_trace_leads_from_the_start_to_the_results(tmp_path: Path) -> None:
    with collector() as (address, spans):
        variables = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": address,
            "OTEL_BSP_SCHEDULE_DELAY": "200",
            "FUDABA_SWEEP_SECONDS": "60",  # a sweep that opens the batches first is not led to by the request
        }
        with (
            installation.running(tmp_path, "--workers", "1", **variables) as up,
            Client(up.url, TOKEN) as organiser,
        ):
            plan = {"name": "cup", "events": [SHORT], "entrants": HOUSE}
            cup = organiser.create_tournament(plan)["id"]
            organiser.start(cup)
            installation.wait_finished(organiser, cup)
    by_id = {span.span_id: span for span in spans}
    written = [span for span in spans if span.name == "write_results"]
    assert written
    led = [[span.name for span in ancestors(span, by_id)] for span in written]
    assert ["batch", "task", "dispatch", "task", "dispatch", "request"] in led, led


def ancestors(span: Span, by_id: dict[bytes, Span]) -> Iterator[Span]:
    """Yield what led to a span, the nearest first."""
    while span.parent_span_id in by_id:
        span = by_id[span.parent_span_id]
        yield span
