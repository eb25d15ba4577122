"""Traces: which request led to which message, batch and results; told to nobody unless the environment asks.

What is traced says `span`; `headers` carries the present span to another process. The extra `traces` brings
the OpenTelemetry that tells it (workers.telemetry); without it all of this does nothing.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

import structlog

Value = str | int

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")

_log = structlog.get_logger(__name__)


class Tracer(Protocol):
    """Tells what was done, and what led to it."""

    def span(
        self, name: str, attributes: Mapping[str, Value], headers: Mapping[str, str] | None = None
    ) -> AbstractContextManager[None]:
        """Tell of the block under a name, as part of the trace of the message with these headers if given."""

    def note(self, attributes: Mapping[str, Value]) -> None:
        """Add to what is told of the innermost block."""

    def headers(self) -> dict[str, str]:
        """Return what a message must bear so that what it leads to belongs to the innermost block."""

    def close(self) -> None:
        """Send what was not sent yet, without waiting long."""


class Silent:
    """Tells nothing."""

    @contextmanager
    def span(
        self, name: str, attributes: Mapping[str, Value], headers: Mapping[str, str] | None = None
    ) -> Iterator[None]:
        """Do nothing but the block."""
        yield

    def note(self, attributes: Mapping[str, Value]) -> None:
        """Do nothing."""

    def headers(self) -> dict[str, str]:
        """Return nothing to be sent along."""
        return {}

    def close(self) -> None:
        """Do nothing."""


def from_env(env: Mapping[str, str]) -> Tracer:
    """Return what the standard variables of OpenTelemetry ask for; silence when they ask for nothing.

    An endpoint for OTLP, or OTEL_TRACES_EXPORTER=otlp, asks for traces; OTEL_SDK_DISABLED=true or another
    exporter does not. Without the extra they are missing, and a warning says so.
    """
    exporter = env.get("OTEL_TRACES_EXPORTER") or (
        "otlp" if any(env.get(name) for name in _ENDPOINTS) else ""
    )
    if exporter in ("", "none") or env.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return Silent()
    if exporter != "otlp":
        _log.warning("no_traces", reason=f"OTEL_TRACES_EXPORTER is {exporter!r}; expected otlp or none")
        return Silent()
    try:
        from workers import telemetry  # the optional extra
    except ImportError as error:
        _log.warning("no_traces", reason=f"{error}; pip install 'fudaba[traces]'")
        return Silent()
    return telemetry.exporting()
