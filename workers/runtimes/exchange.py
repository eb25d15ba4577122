"""One HTTP exchange with an endpoint: signed, capped in size and time, each failure a fault of its own."""

import asyncio
import re
import socket
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from engine.errors import FudabaError
from engine.policies import Fault, FaultCode
from workers import counters, wire
from workers.runtimes.addresses import AddressRules, Refusals, current_refusals, gate
from workers.runtimes.clock import Heartbeat, Stopwatch

MOST_BODY_BYTES = 64 << 10
_MOST_HEADERS = 100
_MOST_HEADER_BYTES = 8 << 10
_CHUNK_BYTES = 16 << 10
_DNS_THREADS = 4
_CONNECTIONS, _CONNECTIONS_PER_HOST = 512, 64
_KEEP_ALIVE_SECONDS = 30
_TRIES = 2
# What aiohttp's parsers say of a head that is too long, or has too many lines.
_TOO_LARGE = re.compile("more than|too many", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What to send: a GET without a body, or a POST of JSON; `headers` beside those that all have."""

    url: str
    secret: str
    body: bytes | None
    deadline_seconds: float
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def method(self) -> str:
        """The HTTP method."""
        return "GET" if self.body is None else "POST"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """A reply with status 200 and JSON in it, as far as its headers say.

    It took `seconds`, of which `used_seconds` when our own lateness is not counted.
    """

    body: bytes
    seconds: float
    used_seconds: float


class ExchangeFailed(FudabaError):
    """An exchange that brought no reply to read; the times are those of HttpReply."""

    code = "exchange_failed"

    def __init__(self, fault: Fault, watch: Stopwatch) -> None:
        super().__init__(fault.detail)
        self.fault = fault
        self.seconds = watch.seconds
        self.used_seconds = watch.used_seconds


class Resolver(AbstractResolver):
    """Resolves names in threads of its own, so that a slow name server holds up nothing else."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_DNS_THREADS, thread_name_prefix="dns")

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return all addresses of a name; raises OSError."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _look_up, host, port, family)
        return [
            ResolveResult(
                hostname=host,
                host=str(place[0]),
                port=port,
                family=kind,
                proto=protocol,
                flags=socket.AI_NUMERICHOST,
            )
            for kind, _, protocol, _, place in found
        ]

    async def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class EndpointClient:
    """The HTTP client of one worker process: connections are kept open between exchanges."""

    def __init__(self, rules: AddressRules, heartbeat: Heartbeat) -> None:
        self._rules = rules
        self._heartbeat = heartbeat
        self._session: aiohttp.ClientSession | None = None
        self._resolver: Resolver | None = None

    async def exchange(self, call: Call) -> HttpReply:
        """Return the reply of an endpoint; raises ExchangeFailed. A failed connection is tried once more."""
        watch = Stopwatch(self._heartbeat)
        refusals = Refusals()
        token = current_refusals.set(refusals)
        try:
            async with watch.limit(call.deadline_seconds):
                body = await self._try(call)
        except _Refused as error:
            raise _failed(error.fault, watch) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise _failed(_fault(error, call, watch, refusals), watch) from error
        finally:
            current_refusals.reset(token)
        seconds = watch.seconds
        counters.observe("fudaba_endpoint_seconds", seconds, "ok")
        return HttpReply(body=body, seconds=seconds, used_seconds=watch.used_seconds)

    async def close(self) -> None:
        """Close all connections. Closing twice changes nothing."""
        session, self._session = self._session, None
        resolver, self._resolver = self._resolver, None
        if session is not None:
            await session.close()
        if resolver is not None:
            await resolver.close()

    async def _try(self, call: Call) -> bytes:
        """Exchange, once more when the connection failed: a request with the same id may come twice."""
        for _ in range(_TRIES - 1):
            try:
                return await self._once(call)
            except (aiohttp.ClientSSLError, aiohttp.ClientConnectorCertificateError):
                raise
            except (aiohttp.ClientConnectionError, ConnectionError):
                continue
        return await self._once(call)

    async def _once(self, call: Call) -> bytes:
        """Send and read the reply within the caps."""
        request = self._open().request(
            call.method, call.url, data=call.body, headers=_headers(call), allow_redirects=False
        )
        async with request as response:
            try:
                _check_head(response)
                return await _read(response)
            except _Refused:
                response.close()
                raise

    def _open(self) -> aiohttp.ClientSession:
        """Return the session, made in the running loop at the first need."""
        if self._session is None:
            self._resolver = Resolver()
            connector = aiohttp.TCPConnector(
                limit=_CONNECTIONS,
                limit_per_host=_CONNECTIONS_PER_HOST,
                keepalive_timeout=_KEEP_ALIVE_SECONDS,
                resolver=self._resolver,
                socket_factory=gate(self._rules),
            )
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(total=None),
                max_line_size=_MOST_HEADER_BYTES,
                max_field_size=_MOST_HEADER_BYTES,
                max_headers=_MOST_HEADERS,
                skip_auto_headers=("Accept-Encoding", "User-Agent"),
            )
        return self._session


class _Refused(Exception):
    """A reply that is not read on."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.detail)
        self.fault = fault


def _look_up(
    host: str, port: int, family: socket.AddressFamily
) -> list[tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[object, ...]]]:
    """Return the answers of the system's resolver."""
    return list(socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM))


def _headers(call: Call) -> dict[str, str]:
    """Return the headers, the signature among them."""
    timestamp = str(int(time.time()))
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Fudaba-Timestamp": timestamp,
        "Fudaba-Signature": wire.signature(call.secret.encode(), timestamp, call.body or b""),
        "User-Agent": "fudaba",
        **call.headers,
    }
    if call.body is not None:
        headers["Content-Type"] = "application/json"
    return headers


def _check_head(response: aiohttp.ClientResponse) -> None:
    """Raise _Refused for a reply whose status or headers say that there is no answer in it."""
    status, headers = response.status, response.headers
    if 300 <= status < 400:
        target = headers.get("Location", "nowhere")[:500]
        detail = f"redirected to {target}; redirects are not followed: register that URL"
        raise _Refused(_reply_fault(FaultCode.REDIRECT, detail, response, location=target))
    if status != 200:
        after = headers.get("Retry-After")
        extra = {} if after is None else {"retry_after": after[:100]}
        raise _Refused(
            _reply_fault(FaultCode.HTTP_STATUS, f"status {status}; expected 200", response, **extra)
        )
    encoding = headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        detail = f"the body is encoded as {encoding[:40]}; send it plain"
        raise _Refused(_reply_fault(FaultCode.BAD_REPLY, detail, response))
    if response.content_type != "application/json":
        detail = f"the content type is {response.content_type[:80]}; expected application/json"
        raise _Refused(_reply_fault(FaultCode.BAD_REPLY, detail, response))
    if (response.content_length or 0) > MOST_BODY_BYTES:
        detail = f"the body has {response.content_length} bytes; allowed: {MOST_BODY_BYTES}"
        raise _Refused(_reply_fault(FaultCode.TOO_LARGE, detail, response))


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """Return the body, counted while it comes in."""
    body = b""
    async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
        body += chunk
        if len(body) > MOST_BODY_BYTES:
            detail = f"the body has more than {MOST_BODY_BYTES} bytes"
            raise _Refused(_reply_fault(FaultCode.TOO_LARGE, detail, response))
    return body


def _reply_fault(code: FaultCode, detail: str, response: aiohttp.ClientResponse, **evidence: str) -> Fault:
    """Return the fault of a reply, with its status."""
    return Fault(code=code, detail=detail, evidence={"status": response.status, **evidence})


def _failed(fault: Fault, watch: Stopwatch) -> ExchangeFailed:
    counters.observe("fudaba_endpoint_seconds", watch.seconds, fault.code.value)
    return ExchangeFailed(fault, watch)


def _fault(error: Exception, call: Call, watch: Stopwatch, refusals: Refusals) -> Fault:
    """Return the fault that an error of the client stands for."""
    if isinstance(error, TimeoutError):
        return _missed(call, watch)
    if refusals.reasons and isinstance(error, aiohttp.ClientConnectorError):
        return _error_fault(FaultCode.REFUSED_ADDRESS, "; ".join(refusals.reasons)[:500])
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
        return _error_fault(FaultCode.TLS, _reason(error))
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return _error_fault(FaultCode.CONNECT, f"the name cannot be resolved: {_reason(error)}")
    if isinstance(error, aiohttp.ClientConnectionError | OSError):
        return _error_fault(FaultCode.CONNECT, _reason(error))
    if isinstance(error, aiohttp.InvalidURL):
        return _error_fault(FaultCode.REFUSED_ADDRESS, f"the URL cannot be used: {error}"[:300])
    if isinstance(error, aiohttp.ClientResponseError) and _TOO_LARGE.search(error.message):
        return _error_fault(FaultCode.TOO_LARGE, f"the headers are too large: {error.message[:200]}")
    return _error_fault(FaultCode.BAD_REPLY, f"the reply is not proper HTTP: {_reason(error)}")


def _missed(call: Call, watch: Stopwatch) -> Fault:
    """Return the fault of a missed deadline; ours, when the endpoint did not have all of its time."""
    if not watch.is_used_up:
        return _error_fault(FaultCode.PLATFORM, "our event loop was late")
    limit_ms, used_ms = round(call.deadline_seconds * 1000), round(watch.used_seconds * 1000)
    return Fault(
        code=FaultCode.TIMEOUT,
        detail=f"no complete reply within {limit_ms} ms",
        evidence={"phase": "exchange", "limit_ms": limit_ms, "used_ms": used_ms},
    )


def _reason(error: Exception) -> str:
    """Return what an error says, cut; never the request, which holds the signature."""
    cause = getattr(error, "os_error", None) or getattr(error, "certificate_error", None) or error
    return f"{type(cause).__name__}: {cause}"[:300]


def _error_fault(code: FaultCode, detail: str) -> Fault:
    """Return a fault without a reply."""
    return Fault(code=code, detail=detail)
