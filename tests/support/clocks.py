"""A clock that can be set: libfaketime shifts what a process sees of the time of day."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path


def libraries() -> list[Path]:
    """Return the libraries that shift the time; empty where libfaketime is not installed."""
    return sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))


@dataclass(slots=True)
class Clock:
    """The clock of all processes that are started with `variables`; timers run on undisturbed."""

    file: Path
    ahead_seconds: int = 0

    def variables(self) -> dict[str, str]:
        """Return what a process's environment must have to go by this clock."""
        return {
            "LD_PRELOAD": str(libraries()[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }

    def set(self, ahead_seconds: int) -> None:
        """Set the clock so many seconds ahead of the true time; behind it when negative."""
        self.ahead_seconds = ahead_seconds
        other = self.file.with_suffix(".new")
        other.write_text(f"{ahead_seconds:+d}\n")
        other.replace(self.file)

    def now(self) -> datetime:
        """Return the time that it shows."""
        return datetime.fromtimestamp(time.time(), UTC) + timedelta(seconds=self.ahead_seconds)
