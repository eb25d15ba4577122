"""Traces by OpenTelemetry, from the optional extra `traces`; imported only where they are asked for."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from workers.traces import Value

_W3C = TraceContextTextMapPropagator()


class Telling:
    """Tells a provider of OpenTelemetry; contexts go by the headers of the W3C, `traceparent` first."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("fudaba")

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
        """Send what was not sent yet."""
        self._provider.shutdown()


def exporting() -> Telling:
    """Return what sends to an OTLP endpoint over HTTP, as the standard variables say; made after a fork."""
    named = Resource({SERVICE_NAME: "fudaba"}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=named)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Telling(provider)
