"""nginx as deploy/nginx/fudaba.conf sets it up, before the real API."""

import http.client
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from support import arena, certificates, databases
from support.served import served

from api.app import create_app
from workers import services
from workers.telemetry import Telling

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx" / "fudaba.conf"
NAME = "arena.example.org"
pytestmark = [pytest.mark.integration, pytest.mark.needs("nginx")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A running nginx: its ports, who signed its certificate, and a tournament behind it."""

    http: int
    https: int
    authority: Path
    tournament: str

    @contextmanager
    def get(self, path: str, **headers: str) -> Iterator[http.client.HTTPResponse]:
        """Ask over TLS, checking the certificate; the body is left to be read."""
        context = ssl.create_default_context(cafile=str(self.authority))
        with closing(_Here(NAME, self.https, context=context, timeout=10)) as connection:
            connection.request("GET", path, headers=headers)
            with connection.getresponse() as answer:
                yield answer


class _Here(http.client.HTTPSConnection):
    """A connection that goes to this machine whatever the name is."""

    def connect(self) -> None:
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        self.sock = self._context.wrap_socket(plain, server_hostname=self.host)  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("nginx")
    made = arena.install(
        databases.sqlite(folder),
        FUDABA_HOME=str(folder),
        FUDABA_TRUSTED_PROXIES="1",
        FUDABA_RATE_LIMIT_ADDRESS="1000/minute",
    )
    tournament = arena.started(made.database)
    signed = certificates.make(folder, NAME)
    with served(create_app(made)) as url:
        http_port, https_port = _free_ports()
        text = CONFIGURATION.read_text()
        for old, new in (
            (r"\n.*listen \[::\].*", ""),
            (r"listen 80;", f"listen 127.0.0.1:{http_port};"),
            (r"listen 443 ssl;", f"listen 127.0.0.1:{https_port} ssl;"),
            (r"127\.0\.0\.1:8317", urlsplit(url).netloc),
            (r"/etc/ssl/fudaba/fullchain\.pem", str(signed.certificate)),
            (r"/etc/ssl/fudaba/privkey\.pem", str(signed.key)),
        ):
            text, count = re.subn(old, new, text)
            assert count, old
        (folder / "fudaba.conf").write_text(text)
        with _nginx(folder, https_port):
            yield Proxy(
                http=http_port, https=https_port, authority=signed.authority, tournament=str(tournament.id)
            )
    made.close()


def test_what_comes_without_tls_is_sent_to_https(proxy: Proxy) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", proxy.http, timeout=10)) as connection:
        connection.request("GET", "/bots?x=1", headers={"Host": NAME})
        with connection.getresponse() as answer:
            assert (answer.status, answer.headers["Location"]) == (308, f"https://{NAME}/bots?x=1")


def test_pages_come_with_their_policies_and_stay_with_https(proxy: Proxy) -> None:
    with proxy.get("/") as answer:
        assert answer.status == 200
        assert answer.headers["Strict-Transport-Security"].startswith("max-age=63072000")
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_metrics_are_for_those_inside(proxy: Proxy) -> None:
    with proxy.get("/metrics") as answer:
        assert answer.status == 403


def test_events_are_passed_on_as_they_happen(proxy: Proxy) -> None:
    with proxy.get(f"/api/v1/tournaments/{proxy.tournament}/stream") as answer:
        assert answer.status == 200
        assert any(answer.readline().startswith(b"data:") for _ in range(8))


def test_the_caller_cannot_choose_whom_its_requests_count_for(proxy: Proxy) -> None:
    left = []
    for number in (1, 2):
        with proxy.get("/api/v1/games", **{"X-Forwarded-For": f"192.0.2.{number}"}) as answer:
            left.append(int(answer.headers["RateLimit-Remaining"]))
    assert left[0] == left[1] + 1


def test_the_caller_cannot_choose_the_trace_that_its_requests_belong_to(proxy: Proxy) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    before, telling = services.current(), Telling(provider)
    services.install(replace(before, traces=telling))
    for path in ("/api/v1/games", "/api/v1/tournaments/none/stream"):
        with proxy.get(path, traceparent=f"00-{'a' * 32}-{'b' * 16}-00"):
            pass
    services.install(before)
    telling.close()
    assert [span.parent for span in exporter.get_finished_spans()] == [None, None]


@contextmanager
def _nginx(folder: Path, port: int) -> Iterator[None]:
    places = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "\n".join(f"{name}_temp_path {folder / name};" for name in places)
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log stderr; events {{}}\n"
        f"http {{ access_log off; {temporary}\n include {folder}/fudaba.conf; }}\n"
    )
    program = shutil.which("nginx", path="/usr/sbin:/usr/local/bin:/usr/bin")
    assert program is not None
    process = subprocess.Popen(
        [program, "-p", str(folder), "-c", str(folder / "nginx.conf")], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        deadline = time.monotonic() + 10
        while process.poll() is None and time.monotonic() < deadline:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.02)
        assert process.poll() is None, process.stderr.read()
        yield
    finally:
        process.terminate()
        process.wait(timeout=10)
        process.stderr.close()


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]
