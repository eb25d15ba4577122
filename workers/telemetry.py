"""Traces by OpenTelemetry, from the optional extra `traces`; imported only where they are asked for."""

import atexit
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Thread

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from workers.traces import Value

CLOSE_SECONDS = 2.0  # for how long a collector that is silent holds back the end of a process

_W3C = TraceContextTextMapPropagator()


class Telling:
    """Tells a provider of OpenTelemetry; contexts go by the headers of the W3C, `traceparent` first."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("fudaba")
        self._is_over = Event()
        # It waits from the beginning: while Python ends, no thread can be started any more.
        self._closer = Thread(target=self._shut_down, name="end of traces", daemon=True)
        self._closer.start()

    @contextmanager
    def span(
        self, name: str, attributes: Mapping[str, Value], headers: Mapping[str, str] | None = None
    ) -> Iterator[None]:
        """Tell of the block; an exception that leaves it is told as well."""
        context = _W3C.extract(headers) if headers is not None else None
        with self._tracer.start_as_current_span(name, context, attributes=attributes):
            yield

    def note(self, attributes: Mapping[str, Value]) -> None:
        """Add to what is told of the innermost block."""
        trace.get_current_span().set_attributes(attributes)

    def headers(self) -> dict[str, str]:
        """Return what a message must bear so that what it leads to belongs to the innermost block."""
        found: dict[str, str] = {}
        _W3C.inject(found)
        return found

    def close(self) -> None:
        """Send what was not sent yet; what a collector does not take in time is lost."""
        atexit.unregister(self.close)
        self._is_over.set()
        self._closer.join(CLOSE_SECONDS)

    def _shut_down(self) -> None:
        self._is_over.wait()
        self._provider.shutdown()


def exporting() -> Telling:
    """Return what sends to an OTLP endpoint over HTTP, as the standard variables say; made after a fork.

    It is closed with the process, if not before.
    """
    named = Resource({SERVICE_NAME: "fudaba"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=named, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    telling = Telling(provider)
    atexit.register(telling.close)
    return telling
