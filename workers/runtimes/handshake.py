"""The handshake with an endpoint: what it says about itself, and what its owner has to mend."""

from dataclasses import dataclass
from typing import Any

import msgspec

from engine import games
from engine.policies import FaultCode
from workers import wire
from workers.runtimes.addresses import AddressRules, BadUrl, check_url
from workers.runtimes.exchange import Call, EndpointClient, ExchangeFailed

MOST_BATCH = 64
_MOST_NAME = 100
_EXPECTED = '{"fudaba": 1, "name": "...", "games": ["..."], "max_batch": 1}'

_REMEDIES = {
    FaultCode.CONNECT: "check that the server runs and can be reached from outside under this name and port",
    FaultCode.TLS: "install a certificate for this name that is signed by a public authority, or use http",
    FaultCode.HTTP_STATUS: "answer a GET of exactly this URL with status 200",
    FaultCode.REDIRECT: "register the URL that it redirects to",
    FaultCode.TOO_LARGE: "answer with at most 64 KiB and few headers",
    FaultCode.REFUSED_ADDRESS: "use a public address, on port 80, 443, 8080 or 8443",
    FaultCode.BAD_REPLY: f"answer with plain JSON and Content-Type: application/json: {_EXPECTED}",
    FaultCode.TIMEOUT: "answer the handshake within the time limit",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HandshakeReport:
    """What came of a handshake: either `said`, or `code`, `problem` and `mend`."""

    request: str
    latency_ms: int
    status: int | None = None
    said: wire.Handshake | None = None
    code: FaultCode | None = None
    problem: str | None = None
    mend: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON-ready object."""
        return {
            "ok": self.said is not None,
            "request": self.request,
            "status": self.status,
            "latency_ms": self.latency_ms,
            "code": self.code,
            "problem": self.problem,
            "mend": self.mend,
            **(msgspec.structs.asdict(self.said) if self.said else {}),
        }


async def handshake(
    url: str, secret: str, *, client: EndpointClient, rules: AddressRules, deadline_seconds: float
) -> HandshakeReport:
    """Ask an endpoint who it is; never raises for an error of the endpoint."""
    request = f"GET {url}"
    try:
        check_url(url, rules)
        call = Call(url=url, secret=secret, body=None, deadline_seconds=deadline_seconds)
        reply = await client.exchange(call)
    except BadUrl as error:
        return _failed(request, FaultCode.REFUSED_ADDRESS, str(error), 0.0, None)
    except ExchangeFailed as failed:
        status = failed.fault.evidence.get("status")
        return _failed(request, failed.fault.code, failed.fault.detail, failed.seconds, status)
    try:
        said = _checked(msgspec.json.decode(reply.body, type=wire.Handshake))
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        problem = f"the body is not the expected JSON: {error}"[:300]
        return _failed(request, FaultCode.BAD_REPLY, problem, reply.seconds, 200)
    return HandshakeReport(request=request, latency_ms=round(reply.seconds * 1000), status=200, said=said)


def _checked(said: wire.Handshake) -> wire.Handshake:
    """Return what an endpoint says about itself; raises ValueError when it cannot be so."""
    known = {game.id for game in games.all_games()}
    if said.fudaba != 1:
        raise ValueError(f"fudaba is {said.fudaba}; expected 1, the version of the protocol")
    if not 0 < len(said.name) <= _MOST_NAME:
        raise ValueError(f"name has {len(said.name)} characters; allowed: 1 to {_MOST_NAME}")
    if unknown := [name for name in said.games if name not in known]:
        raise ValueError(f"game {unknown[0][:40]!r} is unknown; there are: {', '.join(sorted(known))}")
    if not said.games:
        raise ValueError("games is empty")
    if not 1 <= said.max_batch <= MOST_BATCH:
        raise ValueError(f"max_batch is {said.max_batch}; allowed: 1 to {MOST_BATCH}")
    return said


def _failed(
    request: str, code: FaultCode, problem: str, seconds: float, status: int | None
) -> HandshakeReport:
    """Return the report of a handshake that failed."""
    return HandshakeReport(
        request=request,
        latency_ms=round(seconds * 1000),
        status=status,
        code=code,
        problem=problem,
        mend=_REMEDIES.get(code),
    )
