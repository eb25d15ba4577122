"""Which URLs may be registered, and which addresses may be connected to."""

import ipaddress
import re
import socket
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from engine.errors import FudabaError

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network
AddressInfo = tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]]

PUBLIC_PORTS = frozenset({80, 443, 8080, 8443})
_MOST_URL_CHARACTERS = 2000
_HOST = re.compile(
    r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?\Z"
)


def _networks(*texts: str) -> tuple[IpNetwork, ...]:
    """Return networks."""
    return tuple(map(ipaddress.ip_network, texts))


# Beside what `ipaddress` calls not global: its answers differ between Python versions, and some are wrong.
_REFUSED = _networks(
    *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16"),
    *(
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
    ),
    *(
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
    ),
    *("240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"),
)
_PRIVATE = _networks("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class BadUrl(FudabaError):
    """A URL that cannot be an endpoint; says what is wrong with it."""

    code = "bad_url"


class RefusedAddress(OSError):
    """An address that may not be connected to. An OSError, because it is raised where sockets are made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressRules:
    """Where endpoints may be: public addresses on `ports`, and what the operator allows beside them.

    `allow_private` admits private and loopback addresses on any port; `allowed` are networks of any kind
    with the port on each, None for all ports.
    """

    ports: frozenset[int] = PUBLIC_PORTS
    allow_private: bool = False
    allowed: tuple[tuple[IpNetwork, int | None], ...] = ()

    def refusal(self, address: str, port: int) -> str | None:
        """Return why an address may not be connected to, None when it may."""
        ip = ipaddress.ip_address(address.partition("%")[0])
        real = _unwrapped(ip)
        if any(
            candidate in network and only in (None, port)
            for network, only in self.allowed
            for candidate in (ip, real)
        ):
            return None
        if self.allow_private and (real.is_loopback or any(real in network for network in _PRIVATE)):
            return None
        return _refusal(ip) or (_refusal(real) if real != ip else None) or self.port_refusal(port)

    def port_refusal(self, port: int) -> str | None:
        """Return why a port may not be connected to at a public address, None when it may."""
        if port in self.ports:
            return None
        return f"port {port} is not allowed; allowed: {', '.join(map(str, sorted(self.ports)))}"


@dataclass(slots=True)
class Refusals:
    """What the gate refused while one exchange tried to connect."""

    reasons: list[str] = field(default_factory=list)


current_refusals: ContextVar[Refusals | None] = ContextVar("current_refusals", default=None)


def gate(rules: AddressRules) -> Callable[[AddressInfo], socket.socket]:
    """Return a factory of sockets that refuses addresses at the last moment, when they are connected to.

    Literal addresses, every answer of a name and names that change between check and use all pass here.
    """

    def make_socket(info: AddressInfo) -> socket.socket:
        family, kind, protocol, _, place = info
        address, port = str(place[0]), place[1]
        if not isinstance(port, int):
            raise RefusedAddress(f"{address} is no internet address")
        if (reason := rules.refusal(address, port)) is not None:
            if (refusals := current_refusals.get()) is not None:
                refusals.reasons.append(f"{address}: {reason}")
            raise RefusedAddress(f"{address} is refused: {reason}")
        return socket.socket(family, kind, protocol)

    return make_socket


def check_url(url: str, rules: AddressRules) -> SplitResult:
    """Return the parts of a URL that may be registered; raises BadUrl. Path, query and port stay as given."""
    if len(url) > _MOST_URL_CHARACTERS:
        raise BadUrl(f"the URL has {len(url)} characters; allowed: {_MOST_URL_CHARACTERS}")
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise BadUrl("the URL has characters other than plain ASCII; encode them with % or as xn--")
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    except ValueError as error:
        raise BadUrl(f"the URL cannot be read: {error}") from error
    if parts.scheme not in ("http", "https"):
        raise BadUrl(f"the scheme is {parts.scheme!r}; allowed: http, https")
    if "@" in parts.netloc:
        raise BadUrl("the URL has user information before the host; leave it out")
    if parts.fragment or url.endswith("#"):
        raise BadUrl("the URL has a fragment (#...); leave it out")
    if not parts.hostname:
        raise BadUrl("the URL has no host")
    _check_host(parts.hostname, port, rules)
    return parts


def _check_host(host: str, port: int, rules: AddressRules) -> None:
    """Raise BadUrl for a host that is a refused address, an address in an odd spelling, or no name at all."""
    try:
        reason = rules.refusal(host, port)
    except ValueError:
        reason = None if rules.allow_private or rules.allowed else rules.port_refusal(port)
        if ":" in host or not _HOST.match(host):
            raise BadUrl(f"the host {host[:80]!r} is neither a name nor an address") from None
        if _is_odd_address(host):
            raise BadUrl(
                f"the host {host!r} is an address in an odd spelling; write it as four numbers"
            ) from None
    if reason is not None:
        raise BadUrl(f"the host {host} is refused: {reason}")


def _is_odd_address(host: str) -> bool:
    """Return whether a name would be taken for an IPv4 address: one number, hex, octal, too few parts."""
    last = host.rstrip(".").rpartition(".")[2]
    return last.isdigit() or re.match(r"0[xX][0-9a-fA-F]*\Z", last) is not None


def _unwrapped(ip: IpAddress) -> IpAddress:
    """Return the IPv4 address that an IPv6 address stands for, or the address itself."""
    if isinstance(ip, ipaddress.IPv4Address):
        return ip
    low = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    if ip.teredo is not None:
        return ip.teredo[1]
    if ip in _NAT64 or (int(ip) >> 32 == 0 and int(ip) > 1):
        return low
    return ip


def _refusal(ip: IpAddress) -> str | None:
    """Return why an address is not public, None when it is."""
    is_wrapping = isinstance(ip, ipaddress.IPv6Address) and (ip in _NAT64 or ip.ipv4_mapped is not None)
    if is_wrapping:
        return None
    if any(ip in network for network in _REFUSED) or not ip.is_global or ip.is_multicast or ip.is_reserved:
        return "it is not a public address (private, loopback, link-local or special)"
    if isinstance(ip, ipaddress.IPv6Address) and ip not in _GLOBAL_UNICAST:
        return "it is not a public address (outside global unicast)"
    return None
