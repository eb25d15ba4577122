"""A clock that can be set while processes run: what they see of the time of day is shifted."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

_HERE = Path(__file__).parent
SETTLE_SECONDS = 0.3  # within which every process has looked at the file


@dataclass(slots=True)
class Clock:
    """The clock of all processes that are started with `variables`; timers run on undisturbed."""

    file: Path
    ahead_seconds: int = 0

    def variables(self) -> dict[str, str]:
        """Return what a process's environment must have to go by this clock."""
        path = f"{_HERE / 'clocked'}:{_HERE.parents[1]}"
        return {"FUDABA_TESTS_CLOCK": str(self.file), "PYTHONPATH": path}

    def set(self, ahead_seconds: int) -> None:
        """Set the clock so many seconds ahead of the true time; behind it when negative."""
        self.ahead_seconds = ahead_seconds
        other = self.file.with_suffix(".new")
        other.write_text(f"{ahead_seconds}\n")
        other.replace(self.file)
        time.sleep(SETTLE_SECONDS)

    def now(self) -> datetime:
        """Return the time that it shows."""
        return datetime.now(UTC) + timedelta(seconds=self.ahead_seconds)
