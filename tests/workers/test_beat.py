"""The periodic schedule: regular, whatever is done to the clock."""

from datetime import UTC, datetime, timedelta

from store.settings import Settings
from workers.beat import Every, Scheduler
from workers.celery_app import make_celery

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def every(seconds: int) -> Every:
    return Every(seconds, nowfun=lambda: NOW, app=make_celery(Settings.from_env({})))


def test_a_task_is_due_when_its_time_has_passed() -> None:
    assert every(2).is_due(NOW - timedelta(seconds=2)) == (True, 2)
    is_due, seconds = every(2).is_due(NOW - timedelta(seconds=0.5))
    assert not is_due
    assert 1 < seconds <= 1.5


def test_a_task_is_due_at_once_when_the_clock_was_set_back() -> None:
    assert every(2).is_due(NOW + timedelta(hours=1)) == (True, 2)


def test_beat_uses_this_schedule_and_keeps_its_order_by_a_clock_that_cannot_be_set() -> None:
    app = make_celery(Settings.from_env({"FUDABA_SWEEP_SECONDS": "3"}))
    assert app.conf.beat_scheduler == "workers.beat:Scheduler"
    scheduler = Scheduler(app)
    entries = scheduler.schedule
    assert {entries[name].task for name in ("sweep", "ladders")} == {"fudaba.sweep", "fudaba.tend_ladders"}
    assert all(isinstance(entries[name].schedule, Every) for name in ("sweep", "ladders"))
    moments = [scheduler._when(entries["sweep"], seconds) for seconds in (0, 10)]
    assert 9 < moments[1] - moments[0] < 11
