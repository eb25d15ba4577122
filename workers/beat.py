"""The periodic schedule by a clock that cannot be set: a clock set back or forward holds nothing up."""

import time
from datetime import datetime
from typing import Any

from celery import beat
from celery.schedules import schedstate, schedule


class Every(schedule):
    """Due every so many seconds, and at once when it was last due in what is the future by now."""

    def is_due(self, last_run_at: datetime) -> schedstate:
        """Return whether it is due, and the seconds until it is due again."""
        if self.maybe_make_aware(last_run_at) > self.maybe_make_aware(self.now()):
            return schedstate(is_due=True, next=self.seconds)
        return super().is_due(last_run_at)


class Scheduler(beat.Scheduler):
    """Keeps its entries in order by monotonic time, and nothing on disk."""

    def _when(self, entry: Any, next_time_to_run: float | None, mktime: object = None) -> float:
        return time.monotonic() + (self.adjust(next_time_to_run) or 0)
