"""Loaded by Python itself at its start: the time of day is as far ahead as a file says; timers run on.

`support.clocks` puts this folder into the path of the processes that shall go by such a clock.
"""

import os
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import time_machine

_FILE = Path(os.environ["FUDABA_TESTS_CLOCK"])
_LOOK_SECONDS = 0.05
_travels: list[time_machine.travel] = []  # the one that lasts; a forked child goes on with it
_ahead = [0.0]


def _follow() -> None:
    """Set this process's clock whenever the file changes."""
    while True:
        wanted = float(_FILE.read_text())
        if wanted != _ahead[0]:
            for travel in _travels:
                travel.stop()
            _travels[:] = [time_machine.travel(datetime.now(UTC) + timedelta(seconds=wanted), tick=True)]
            _travels[0].start()
            _ahead[0] = wanted
        time.sleep(_LOOK_SECONDS)


def _begin() -> None:
    threading.Thread(target=_follow, daemon=True).start()


os.register_at_fork(after_in_child=_begin)
_begin()
