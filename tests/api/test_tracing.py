"""Traces: a request, the messages that it sends, the batch that is played for it, and its results are one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
from celery import Celery
from kombu import Connection
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from redis import Redis
from support import arena
from support.callers import Caller

from store.database import Database
from workers import services as installed
from workers import telemetry, traces
from workers.celery_app import QUEUE, make_celery
from workers.services import Services
from workers.telemetry import Telling
from workers.traces import Silent


@pytest.fixture
def told(services: Services) -> Iterator[InMemorySpanExporter]:
    """What is told while messages wait in memory for somebody who takes them."""
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    celery = make_celery(services.settings)
    celery.conf.update(broker_url="memory://", broker_transport_options={})
    telling = Telling(provider)
    installed.install(replace(services, celery=celery, traces=telling))
    yield exporter
    installed.install(services)
    telling.close()


def work_off(made: Services) -> int:
    """Take all messages and run what they ask for, with the headers that they bear; return how many."""
    made.celery.loader.import_default_modules()
    connection: Connection = made.celery.connection()
    taken = 0
    with connection.SimpleQueue(QUEUE) as queue:
        while queue.qsize():
            message = queue.get_nowait()
            task = made.celery.tasks[message.headers["task"]]
            task.push_request(**message.headers)
            try:
                task(*message.payload[0])
            finally:
                task.pop_request()
            message.ack()
            taken += 1
    return taken


def named(spans: tuple[ReadableSpan, ...], name: str) -> list[ReadableSpan]:
    return [span for span in spans if span.name == name]


def parent_of(span: ReadableSpan, spans: tuple[ReadableSpan, ...]) -> Any:
    assert span.parent is not None, span.name
    return next(one for one in spans if one.context.span_id == span.parent.span_id)


def test_a_start_and_what_comes_of_it_are_one_trace(organiser: Caller, told: InMemorySpanExporter) -> None:
    made = installed.current()
    cup = arena.draft(made.database)
    told.clear()
    assert organiser.post(f"/tournaments/{cup.id}/start").status_code == 202
    assert work_off(made) > 1
    spans = told.get_finished_spans()
    (request,) = named(spans, "request")
    assert request.attributes is not None
    assert request.attributes["http.route"] == "/api/v1/tournaments/<uuid:tournament_id>/start"
    assert request.attributes["http.response.status_code"] == 202
    assert {span.context.trace_id for span in spans} == {request.context.trace_id}
    written = named(spans, "write_results")
    assert written
    for span in written:
        batch = parent_of(span, spans)
        assert (batch.name, batch.attributes["end"]) == ("batch", "done")
        assert batch.attributes["tournament"] == str(cup.id)
        task = parent_of(batch, spans)
        assert (task.name, task.attributes["task"]) == ("task", "fudaba.play_batch")
        assert parent_of(task, spans).name == "dispatch"


def test_a_trace_that_is_sent_goes_on(organiser: Caller, told: InMemorySpanExporter) -> None:
    told.clear()
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    organiser.get("/games", headers={"traceparent": f"00-{trace_id}-b7ad6b7169203331-01"})
    (request,) = told.get_finished_spans()
    assert f"{request.context.trace_id:032x}" == trace_id


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"OTEL_SERVICE_NAME": "arena"},
        {"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"},
        {"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "otlp"},
        {"OTEL_TRACES_EXPORTER": "zipkin"},
    ],
)
def test_nothing_is_told_unless_it_is_asked_for(env: dict[str, str]) -> None:
    assert isinstance(traces.from_env(env), Silent)


def test_an_endpoint_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    asked = traces.from_env({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"})
    assert isinstance(asked, Telling)
    asked.close()


class Waiting(InMemorySpanExporter):
    """Sends to a collector that is silent until it answers."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.answers.wait(60)
        return super().export(spans)


def test_a_silent_collector_keeps_no_process_from_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    exporter, provider = Waiting(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    telling = Telling(provider)
    with telling.span("request", {}):
        pass
    monkeypatch.setattr(telemetry, "CLOSE_SECONDS", 0.1)
    telling.close()
    assert not exporter.get_finished_spans()
    exporter.answers.set()
    monkeypatch.setattr(telemetry, "CLOSE_SECONDS", 60)
    telling.close()
    assert [span.name for span in exporter.get_finished_spans()] == ["request"]


def test_traces_are_closed_after_all_else(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []

    class Recording(Silent):
        def close(self) -> None:
            closed.append("traces")

    for part, name in ((Database, "dispose"), (Redis, "close"), (Celery, "close")):
        monkeypatch.setattr(part, name, lambda _, name=part.__name__: closed.append(name))
    replace(services, traces=Recording()).close()
    assert closed == ["Database", "Redis", "Celery", "traces"]
