"""What a process works with: settings, database, Redis, Celery, the clock; made by its entry point."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from celery import Celery
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from store.database import Database
from store.settings import Settings
from workers.celery_app import make_celery, redis_url
from workers.traces import Silent, Tracer

REDIS_SECONDS = 5


def utc_now() -> datetime:
    """Return the present time, aware and in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The outside world of one process; connections are made when first used."""

    settings: Settings
    database: Database
    redis: Redis
    celery: Celery
    clock: Callable[[], datetime] = field(default=utc_now)
    traces: Tracer = field(default_factory=Silent)

    @classmethod
    def of(cls, settings: Settings, traces: Tracer | None = None) -> "Services":
        """Return services that connect to what the settings name; without `traces` nothing is traced."""
        redis = Redis.from_url(
            redis_url(settings.redis_url),
            socket_timeout=REDIS_SECONDS,
            socket_connect_timeout=REDIS_SECONDS,
            retry=Retry(NoBackoff(), 1),  # nobody waits for a Redis that is away
        )
        return cls(
            settings=settings,
            database=Database(settings.database_url, settings.archive),
            redis=redis,
            celery=make_celery(settings),
            traces=traces or Silent(),
        )

    def close(self) -> None:
        """Close every connection; traces last, since a collector may keep them waiting."""
        self.database.dispose()
        self.redis.close()
        self.celery.close()
        self.traces.close()


_installed: list[Services] = []


def install(services: Services) -> None:
    """Make these the services of this process."""
    _installed[:] = [services]


def current() -> Services:
    """Return the services of this process; an entry point must have installed them."""
    assert _installed, "an entry point installs the services before anything else runs"
    return _installed[0]
