"""The Celery application: messages are hints in JSON, acknowledged late; the database is the truth."""

from celery import Celery

from store.settings import Settings
from workers.beat import Every

QUEUE = "fudaba"
TASK_LIMIT_SECONDS = 900
VISIBILITY_SECONDS = 3600  # only longer than the longest task; the sweep, not this, brings lost work back
CLOCKS_APART_SECONDS = 300  # a message is not dropped because the clocks of two machines differ by less

_SETTINGS = {
    "task_default_queue": QUEUE,
    "task_serializer": "json",
    "accept_content": ["json"],
    "task_ignore_result": True,
    "task_acks_late": True,
    "task_reject_on_worker_lost": True,
    "worker_prefetch_multiplier": 1,
    "task_time_limit": TASK_LIMIT_SECONDS,
    "worker_hijack_root_logger": False,
    "worker_max_tasks_per_child": 500,
    "worker_max_memory_per_child": 1_000_000,
    "worker_send_task_events": False,
    "beat_scheduler": "workers.beat:Scheduler",
    "broker_connection_retry_on_startup": True,
    "broker_connection_max_retries": None,
    "broker_channel_error_retry": True,  # a Redis whose disk is full refuses to write; a worker outlives it
    "broker_transport_options": {
        "visibility_timeout": VISIBILITY_SECONDS,
        "max_retries": 0,  # a sender does not wait for a broker that is away; the sweep sends again
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_timeout": 30,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 25,
    },
}


def make_celery(settings: Settings) -> Celery:
    """Return the application; importing or making it connects to nothing."""
    app = Celery(
        "fudaba",
        broker=_checked(settings.redis_url) or None,
        include=["workers.tasks"],
        task_cls="workers.traced:TracedTask",
    )
    app.conf.update(_SETTINGS)
    app.conf.update(
        beat_schedule=_periodic(settings.sweep_seconds), beat_max_loop_interval=settings.sweep_seconds
    )
    return app


def _periodic(seconds: int) -> dict[str, dict[str, object]]:
    """Return what beat sends every so many seconds; a message that nobody takes for long is dropped."""
    tasks = {"sweep": "fudaba.sweep", "ladders": "fudaba.tend_ladders"}
    options = {"expires": max(10 * seconds, CLOCKS_APART_SECONDS)}
    every = Every(seconds)
    return {name: {"task": task, "schedule": every, "options": options} for name, task in tasks.items()}


def _checked(broker_url: str) -> str:
    """Return a broker URL whose certificate is checked, which kombu leaves out unless it is told to."""
    if not broker_url.startswith("rediss://") or "ssl_cert_reqs=" in broker_url:
        return broker_url
    return f"{broker_url}{'&' if '?' in broker_url else '?'}ssl_cert_reqs=required"


def redis_url(broker_url: str) -> str:
    """Return a broker URL as the Redis client spells it: unix sockets have another scheme there."""
    if broker_url.startswith("redis+socket://"):
        return broker_url.replace("redis+socket://", "unix://", 1).replace("virtual_host=", "db=")
    return broker_url or "redis://127.0.0.1:6379/0"
