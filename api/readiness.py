"""Whether the service can do its work: what is wrong with which of its parts."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait

from redis.exceptions import RedisError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from store import idling, schema
from store.idling import Idle
from workers import presence
from workers.services import Services

PATIENCE_SECONDS = 3
_SILENT = f"does not answer within {PATIENCE_SECONDS} s"


def problems(services: Services) -> dict[str, str]:
    """Return what is wrong, by part; empty when tournaments can be played. Nothing is waited for long."""
    threads = ThreadPoolExecutor(len(_CHECKS), thread_name_prefix="readiness")
    asked = {part: threads.submit(check, services) for part, check in _CHECKS.items()}
    wait(asked.values(), timeout=PATIENCE_SECONDS)
    threads.shutdown(wait=False, cancel_futures=True)
    found = {part: answer.result() if answer.done() else _SILENT for part, answer in asked.items()}
    return {part: problem for part, problem in found.items() if problem is not None}


def workers(services: Services) -> dict[str, dict[str, str]]:
    """Return what the workers that were seen in the last minute say of themselves."""
    try:
        return presence.seen(services)
    except RedisError:
        return {}


def idle_ladders(services: Services) -> list[Idle]:
    """Return the ladders that stand still although two or more of their bots could play."""
    with services.database.reading() as tx:
        return idling.idle(tx, services.clock())


def _database(services: Services) -> str | None:
    try:
        with services.database.engine.connect() as connection:
            connection.execute(text("SELECT 1"))
    except SQLAlchemyError as error:
        return f"cannot be reached ({type(error).__name__})"
    return None


def _migrations(services: Services) -> str | None:
    try:
        current, newest = schema.revision(services.database), schema.newest_revision()
    except SQLAlchemyError as error:
        return f"cannot be read ({type(error).__name__})"
    return None if current == newest else f"the tables are at {current or 'nothing'}, expected {newest}"


def _redis(services: Services) -> str | None:
    try:
        services.redis.ping()
    except RedisError as error:
        return f"cannot be reached ({type(error).__name__})"
    return None


def _workers(services: Services) -> str | None:
    try:
        seen = presence.seen(services)
    except RedisError:
        return "cannot be seen without Redis"
    return None if seen else "no worker was seen in the last minute"


_CHECKS: Mapping[str, Callable[[Services], str | None]] = {
    "database": _database,
    "migrations": _migrations,
    "redis": _redis,
    "workers": _workers,
}
