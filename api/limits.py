"""Rate limits: how often one token and one address may ask, counted in Redis, here while it is away."""

import ipaddress
import math
import time
from hashlib import sha256

from flask import Flask, Response, request
from flask_limiter import ApplicationLimit, Limiter
from werkzeug.middleware.proxy_fix import ProxyFix

from store.settings import Settings
from workers.celery_app import redis_url
from workers.services import REDIS_SECONDS

UNLIMITED = frozenset({"/healthz", "/readyz", "/api/v1/healthz", "/api/v1/readyz"})
REGISTRATION = frozenset({("POST", "/api/v1/accounts"), ("POST", "/register")})
_IPV6_PREFIX = 64  # what one customer is given


def register(app: Flask, settings: Settings) -> None:
    """Limit the requests to `app` and tell in every answer how many are left."""
    if settings.trusted_proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=settings.trusted_proxies)  # type: ignore[method-assign]
    limiter = Limiter(
        caller_address,
        app=app,
        storage_uri=redis_url(settings.redis_url).replace("unix://", "redis+unix://", 1),
        storage_options={"socket_timeout": REDIS_SECONDS, "socket_connect_timeout": REDIS_SECONDS},
        in_memory_fallback_enabled=True,
        key_prefix="fudaba",
        application_limits=[
            ApplicationLimit(settings.rate_limit_token, _token, exempt_when=_has_no_token),
            ApplicationLimit(settings.rate_limit_address, caller_address, exempt_when=_is_unlimited),
            ApplicationLimit(
                settings.rate_limit_registration,
                lambda: f"registration {caller_address()}",
                exempt_when=_is_no_registration,
            ),
        ],
    )

    def tell(response: Response) -> Response:
        met = limiter.current_limit
        if met is None:
            return response
        resets_in = max(1, math.ceil(met.window.reset_time - time.time()))
        response.headers["RateLimit-Limit"] = str(met.limit.amount)
        response.headers["RateLimit-Remaining"] = str(max(0, met.remaining))
        response.headers["RateLimit-Reset"] = str(resets_in)
        response.headers["RateLimit-Policy"] = f"{met.limit.amount};w={met.limit.get_expiry()}"
        if response.status_code == 429:
            response.headers["Retry-After"] = str(resets_in)
        return response

    app.after_request(tell)


def caller_address() -> str:
    """Return the address that asks, that of its network where a customer has a whole one."""
    try:
        address = ipaddress.ip_address((request.remote_addr or "").partition("%")[0])
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, _IPV6_PREFIX), strict=False))


def _token() -> str:
    assert request.authorization is not None, "requests without a token are exempt"
    return sha256((request.authorization.token or "").encode()).hexdigest()


def _has_no_token() -> bool:
    return request.authorization is None or _is_unlimited()


def _is_unlimited() -> bool:
    return request.path in UNLIMITED


def _is_no_registration() -> bool:
    return (request.method, request.path) not in REGISTRATION or request.authorization is not None
