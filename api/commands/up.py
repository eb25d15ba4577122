"""`fudaba up`: everything on this machine, until it is stopped."""

import fcntl
import json
import os
import secrets
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import click
from redis import Redis
from redis.exceptions import RedisError

from api.commands.databases import opened
from api.commands.supervisor import STOP_SECONDS, Child, Supervisor
from engine.errors import FudabaError
from store import accounts, schema
from store.settings import SETTINGS, Settings
from workers import broker
from workers.celery_app import redis_url
from workers.services import utc_now

READY_SECONDS = 60
API_THREADS = 8


class CannotStart(FudabaError):
    """The installation cannot be started; the message says why and what to do."""

    code = "cannot_start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """A running installation on this machine."""

    url: str
    token: str


@click.command()
@click.option("--home", type=click.Path(file_okay=False, path_type=Path), help="Data folder.")
@click.option("--host", help="Address to listen on (127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65_535), help="Port to listen on; 0 takes a free one.")
@click.option("--workers", type=click.IntRange(0, 1_024), help="Worker processes; 0 is one a core.")
def up(home: Path | None, host: str | None, port: int | None, workers: int | None) -> None:
    """Run the whole service on this machine until Ctrl-C."""
    flags = {"FUDABA_HOME": home, "FUDABA_HOST": host, "FUDABA_PORT": port, "FUDABA_WORKERS": workers}
    given = {variable: str(value) for variable, value in flags.items() if value is not None}
    try:
        settings = Settings.from_env({**os.environ, **given})
        stopped = _Stopped()
        with running(settings, lambda: stopped.is_set) as (installation, supervisor):
            if not stopped.is_set:
                click.echo(f"ready {installation.url}")
                click.echo(f"organiser's token: {installation.token}")
                click.echo(f"data and logs: {settings.home}   (Ctrl-C stops everything)")
            while not stopped.is_set:
                for name in supervisor.restart_dead():
                    click.echo(f"{name} had ended and was started again; see its log", err=True)
                time.sleep(0.2)
    except FudabaError as error:
        raise click.ClickException(str(error)) from error
    click.echo("stopped")


@contextmanager
def running(
    settings: Settings, is_stopped: Callable[[], bool] = lambda: False
) -> Iterator[tuple[Installation, Supervisor]]:
    """Start everything, yield when it is ready, stop everything at the end; raises CannotStart.

    Yields at once, ready or not, when it `is_stopped` meanwhile.
    """
    _make_home(settings.home)
    supervisor = Supervisor(stop_seconds=STOP_SECONDS + settings.drain_seconds)
    with only_one(settings.home), _listening(settings) as listener:
        try:
            settings = _start_broker(settings, supervisor)
            token = _prepare_database(settings)
            installation = Installation(url=_url(listener), token=token)
            _start_services(settings, supervisor, listener)
            _wait_until_ready(installation.url, supervisor, is_stopped)
            yield installation, supervisor
        finally:
            supervisor.stop()


def _make_home(home: Path) -> None:
    """Make the data folder, for this user alone; raises CannotStart when nothing can be written to it."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        home.chmod(0o700)
        (home / "logs").mkdir(exist_ok=True)
        (home / "up.lock").touch()
    except OSError as error:
        raise CannotStart(f"the data folder {home} cannot be used: {error.strerror}") from error


class _Stopped:
    """Whether somebody asked this process to stop; set by SIGTERM and SIGINT."""

    def __init__(self) -> None:
        self.is_set = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._set)

    def _set(self, number: int, frame: object) -> None:
        self.is_set = True


@contextmanager
def only_one(home: Path) -> Iterator[None]:
    """Hold the data folder; raises CannotStart when another `up` holds it."""
    with (home / "up.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise CannotStart(f"another `fudaba up` is running on {home}") from error
        yield


@contextmanager
def _listening(settings: Settings) -> Iterator[socket.socket]:
    """Take the port before anything else is started; raises CannotStart when somebody has it."""
    host, port = settings.host, settings.port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        is_ipv6 = family == socket.AF_INET6  # "::" then listens for IPv4 too
        listener = socket.create_server(address, family=family, backlog=512, dualstack_ipv6=is_ipv6)
    except (OSError, UnicodeError) as error:
        problem = getattr(error, "strerror", None) or error
        raise CannotStart(f"cannot listen on {_netloc(host, port)}: {problem}") from error
    with listener:
        yield listener


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{_netloc(host, port)}"


def _netloc(host: str, port: int) -> str:
    """Return host and port as a URL has them: an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _start_broker(settings: Settings, supervisor: Supervisor) -> Settings:
    """Return the settings with the broker's URL; the embedded server is started when none is named."""
    if not settings.redis_url:
        server = broker.embedded(settings.home)
        supervisor.add(_child(settings, "redis", server.command, is_needed_by_others=True))
        settings = replace(settings, redis_url=server.url)
    try:
        client = Redis.from_url(redis_url(settings.redis_url), socket_connect_timeout=2, socket_timeout=2)
    except ValueError as error:
        raise CannotStart(f"REDIS_URL cannot be used: {error}") from error
    deadline = time.monotonic() + 15
    while True:
        try:
            client.ping()
            break
        except RedisError as error:
            if time.monotonic() > deadline:
                raise CannotStart(f"the broker does not answer: {error}") from error
            time.sleep(0.02)
    client.close()
    return settings


def _prepare_database(settings: Settings) -> str:
    """Migrate, and make sure that there are an organiser and the house bots; return the organiser's token."""
    with opened(settings) as database:
        schema.upgrade(database)
        token = _organiser_token(settings)
        with database.transaction() as tx:
            accounts.ensure_organiser(tx, token, utc_now())
            accounts.ensure_house_bots(tx, utc_now())
    return token


def _organiser_token(settings: Settings) -> str:
    """Return the token of the settings, else the one kept in the data folder, else a new one that is kept."""
    if settings.organiser_token:
        return settings.organiser_token
    path = settings.home / "organiser.token"
    if not path.exists():
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
    token = path.read_text().strip()
    if not token:
        raise CannotStart(f"{path} is empty; remove it to have another token made")
    return token


def _start_services(settings: Settings, supervisor: Supervisor, listener: socket.socket) -> None:
    celery = (sys.executable, "-m", "celery", "-A", "workers.main")
    processes = settings.workers or os.cpu_count() or 1
    supervisor.add(
        _child(settings, "worker", (*celery, "worker", "-c", str(processes), "-n", "fudaba@%h", *_QUIET))
    )
    supervisor.add(_child(settings, "beat", (*celery, "beat", "--pidfile", "")))
    gunicorn = (
        *(sys.executable, "-m", "gunicorn", "api.wsgi:application", "--bind", f"fd://{listener.fileno()}"),
        *("--worker-class", "gthread", "--threads", str(API_THREADS), "--workers", "1"),
        *("--timeout", "60", "--graceful-timeout", "5", "--no-control-socket"),
    )
    supervisor.add(_child(settings, "api", gunicorn, pass_fds=(listener.fileno(),)))


_QUIET = ("--without-gossip", "--without-mingle", "-O", "fair")


def _child(
    settings: Settings,
    name: str,
    command: tuple[str, ...],
    *,
    pass_fds: tuple[int, ...] = (),
    is_needed_by_others: bool = False,
) -> Child:
    return Child(
        name=name,
        command=command,
        environment=_environment(settings),
        log=settings.home / "logs" / f"{name}.log",
        pass_fds=pass_fds,
        is_needed_by_others=is_needed_by_others,
    )


def _environment(settings: Settings) -> dict[str, str]:
    """Return this process's environment with all settings as they are here, but for the organiser's token.

    The workers are as many as the cores, so that NumPy needs no threads of its own.
    """
    variables = {setting.variable for setting in SETTINGS.values()}
    kept = {name: value for name, value in os.environ.items() if name.removesuffix("_FILE") not in variables}
    settled = replace(settings, organiser_token="").to_env()
    return {**kept, **settled, "PYTHONUNBUFFERED": "1", "OPENBLAS_NUM_THREADS": "1"}


def _detail(answer: bytes) -> str:
    """Return what a problem says, or the answer itself when it is none."""
    try:
        return str(json.loads(answer)["detail"])
    except (ValueError, TypeError, LookupError):
        return answer.decode(errors="replace")


def _wait_until_ready(url: str, supervisor: Supervisor, is_stopped: Callable[[], bool]) -> None:
    """Return when /readyz says 200, or when it is stopped; CannotStart says what it says otherwise."""
    deadline = time.monotonic() + READY_SECONDS
    said = "no answer"
    while time.monotonic() < deadline:
        if is_stopped():
            return
        supervisor.restart_dead()
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=5):
                return
        except urllib.error.HTTPError as error:
            said = _detail(error.read(2000))
        except OSError as error:
            said = str(error)
        time.sleep(0.1)
    raise CannotStart(
        "\n".join([f"the service is not ready after {READY_SECONDS} s: {said}", *supervisor.ends()])
    )
