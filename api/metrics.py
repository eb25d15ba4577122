"""Metrics for Prometheus: what all processes have counted, and what the database and Redis say right now."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from redis.exceptions import RedisError
from sqlalchemy.exc import SQLAlchemyError

from store import census
from store.census import Census
from workers import counters, dispatch, presence
from workers.counters import COUNTERS, TIMERS, Field, Timer
from workers.services import Services

GAUGES = {
    "fudaba_database_up": "Whether the database answers.",
    "fudaba_redis_up": "Whether Redis answers.",
    "fudaba_queue_length": "Messages that wait for a worker.",
    "fudaba_queue_oldest_seconds": "Age of the oldest batch that waits for a worker.",
    "fudaba_batches": "Batches that are open or set aside, by what becomes of them.",
    "fudaba_batches_repeated": "Open batches that more than one attempt was made at.",
    "fudaba_qualifications_waiting": "Versions that wait to be tried out or are.",
    "fudaba_deliveries_waiting": "Deliveries to webhooks that are not made yet.",
    "fudaba_tournaments": "Tournaments and seasons of ladders, by state.",
    "fudaba_ladders_idle": "Ladders that stand still although they could be played.",
    "fudaba_workers": "Worker processes seen in the last minute, by sandbox.",
    "fudaba_database_pool": "Connections of this process to the database, by state.",
    "fudaba_database_bytes": "Size of the database.",
}


def text(services: Services) -> bytes:
    """Return all metrics in the text format of Prometheus; what cannot be found out is left out."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(services))
    return generate_latest(registry)


class _Collector:
    """Asks the database and Redis once per scrape."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def describe(self) -> Iterable[Metric]:
        """Name no metrics ahead: nothing is asked at the registration."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        services = self._services
        counters.flush(services.redis)
        yield _pool(services)
        yield from _or_down("fudaba_redis_up", RedisError, lambda: list(_of_redis(services)))
        yield from _or_down("fudaba_database_up", SQLAlchemyError, lambda: list(_of_database(services)))


def _or_down(name: str, failure: type[Exception], ask: Callable[[], list[Metric]]) -> Iterator[Metric]:
    """Yield what `ask` returns, and whether it could be asked."""
    try:
        found = ask()
    except failure:
        yield _gauge(name, 0)
        return
    yield _gauge(name, 1)
    yield from found


def _of_redis(services: Services) -> Iterator[Metric]:
    yield from _counted(counters.read(services.redis))
    yield _gauge("fudaba_queue_length", dispatch.queue_length())
    by_sandbox: dict[str, float] = defaultdict(float)
    for facts in presence.seen(services).values():
        by_sandbox[facts.get("sandbox", "none")] += 1
    yield _by_label("fudaba_workers", "sandbox", by_sandbox)


def _of_database(services: Services) -> Iterator[Metric]:
    with services.database.reading() as tx:
        found = census.take(tx, services.clock())
        size = services.database.size_bytes(tx)
    yield from _census(found)
    yield _gauge("fudaba_database_bytes", size)


def _census(found: Census) -> Iterator[Metric]:
    yield _by_label("fudaba_tournaments", "state", found.tournaments)
    yield _by_label("fudaba_batches", "state", found.batches)
    yield _gauge("fudaba_batches_repeated", found.repeated)
    yield _gauge("fudaba_queue_oldest_seconds", found.oldest_seconds)
    yield _gauge("fudaba_qualifications_waiting", found.qualifications)
    yield _gauge("fudaba_deliveries_waiting", found.deliveries)
    yield _gauge("fudaba_ladders_idle", len(found.idle_ladders))


def _pool(services: Services) -> Metric:
    pool = services.database.engine.pool
    taken = getattr(pool, "checkedout", lambda: 0)()
    free = getattr(pool, "checkedin", lambda: 0)()
    return _by_label("fudaba_database_pool", "state", {"taken": taken, "free": free})


def _counted(found: dict[Field, float]) -> Iterator[Metric]:
    for name, counter in COUNTERS.items():
        family = CounterMetricFamily(name, counter.help, labels=counter.labels)
        for (field, labels, _), amount in sorted(found.items()):
            if field == name and len(labels) == len(counter.labels):
                family.add_metric(labels, amount)
        yield family
    for name, timer in TIMERS.items():
        yield _timed(name, timer, found)


def _timed(name: str, timer: Timer, found: dict[Field, float]) -> Metric:
    family = HistogramMetricFamily(name, timer.help, labels=timer.labels)
    parts: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for (field, labels, part), amount in found.items():
        if field == name and len(labels) == len(timer.labels):
            parts[labels][part] = amount
    for labels, counts in sorted(parts.items()):
        family.add_metric(labels, _buckets(timer.bounds, counts), counts.get("sum", 0.0))
    return family


def _buckets(bounds: tuple[float, ...], counts: dict[str, float]) -> list[tuple[str, float]]:
    """Return the counts up to each bound, as Prometheus wants them: each holds those before it."""
    below, buckets = 0.0, []
    for bound in (*map(str, bounds), "+Inf"):
        below += counts.get(bound, 0.0)
        buckets.append((bound, below))
    return buckets


def _gauge(name: str, value: float) -> Metric:
    return GaugeMetricFamily(name, GAUGES[name], value=value)


def _by_label(name: str, label: str, values: dict[str, float] | dict[str, int]) -> Metric:
    family = GaugeMetricFamily(name, GAUGES[name], labels=(label,))
    for value, amount in sorted(values.items()):
        family.add_metric((value,), amount)
    return family
