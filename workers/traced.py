"""The kind of task that belongs to the trace of what sent it."""

from typing import Any

from celery import Task

from workers import services

_HEADERS = ("traceparent", "tracestate")


class TracedTask(Task):  # type: ignore[misc]  # celery has no types
    """A task that is told of, as part of what led to its message."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the task."""
        sent = {name: self.request.get(name) for name in _HEADERS}
        headers = {name: value for name, value in sent.items() if isinstance(value, str)}
        with services.current().traces.span("task", {"task": self.name}, headers):
            return super().__call__(*args, **kwargs)
