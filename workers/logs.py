"""Logging: one JSON object a line, on standard error; a log that cannot be written stops nobody."""

import logging
import sys
from typing import TextIO

import structlog


class _Forgiving:
    """A stream that drops what cannot be written: a full disk must not end what is logged about."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write the text, or drop it."""
        try:
            return self._stream.write(text)
        except OSError:
            return 0

    def flush(self) -> None:
        """Flush, as far as that is possible."""
        try:
            self._stream.flush()
        except OSError:
            return


def configure(level: str) -> None:
    """Send structlog events, and what libraries log, to standard error from this level on."""
    number = logging.getLevelNamesMapping()[level.upper()]
    stream = _Forgiving(sys.stderr)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.JSONRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(stream),  # type: ignore[arg-type]  # a TextIO in what it uses
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared[:-1], structlog.stdlib.add_logger_name],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    logging.basicConfig(level=max(number, logging.WARNING), handlers=[handler], force=True)
