"""The settings of an installation: read once from the environment, every problem reported at once."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from engine.errors import FudabaError


class BadSettings(FudabaError):
    """One or more settings cannot be used; the message names every one."""

    code = "bad_settings"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its variable, its default as written, its meaning, and whether it is a secret."""

    variable: str
    default: str
    meaning: str
    secret: bool = False


SETTINGS: dict[str, Setting] = {
    "home": Setting("FUDABA_HOME", "./fudaba-data", "data folder of the embedded database and broker"),
    "database_url": Setting(
        "FUDABA_DATABASE_URL", "", "SQLAlchemy URL; empty: SQLite in the data folder", True
    ),
    "redis_url": Setting(
        "REDIS_URL", "", "broker; empty: an embedded server is started by `fudaba up`", True
    ),
    "host": Setting("FUDABA_HOST", "127.0.0.1", "address that the API listens on"),
    "port": Setting("FUDABA_PORT", "8317", "port that the API listens on"),
    "workers": Setting("FUDABA_WORKERS", "0", "worker processes on this machine; 0: one a core"),
    "organiser_token": Setting(
        "FUDABA_ORGANISER_TOKEN", "", "token of the first organiser; empty: one is made", True
    ),
    "session_secret": Setting(
        "FUDABA_SESSION_SECRET",
        "",
        "signs the cookies of the web pages; empty: one is made in the data folder",
        True,
    ),
    "allow_private_endpoints": Setting(
        "FUDABA_ALLOW_PRIVATE_ENDPOINTS", "false", "bots may live on private and loopback addresses, any port"
    ),
    "sandbox": Setting("FUDABA_SANDBOX", "auto", "auto, bwrap, landlock or none"),
    "unsafe_sandbox": Setting(
        "FUDABA_UNSAFE_SANDBOX",
        "false",
        "together with FUDABA_SANDBOX=none: run modules unconfined (trusted bots only)",
    ),
    "lease_seconds": Setting(
        "FUDABA_LEASE_SECONDS", "30", "a batch without progress for so long is taken over"
    ),
    "drain_seconds": Setting(
        "FUDABA_DRAIN_SECONDS",
        "5",
        "a worker that is asked to stop plays on for so long, then hands its batch back",
    ),
    "sweep_seconds": Setting("FUDABA_SWEEP_SECONDS", "2", "time between two looks for lost work"),
    "batch_seconds": Setting("FUDABA_BATCH_SECONDS", "2", "play time that a batch aims at"),
    "in_flight": Setting("FUDABA_IN_FLIGHT", "64", "matches that one worker process plays at the same time"),
    "open_registration": Setting(
        "FUDABA_OPEN_REGISTRATION", "false", "whether anybody may make a participant's account"
    ),
    "rate_limit_token": Setting(
        "FUDABA_RATE_LIMIT_TOKEN", "12000/minute", "requests with one token; empty: no limit"
    ),
    "rate_limit_address": Setting(
        "FUDABA_RATE_LIMIT_ADDRESS", "24000/minute", "requests from one address; empty: no limit"
    ),
    "rate_limit_registration": Setting(
        "FUDABA_RATE_LIMIT_REGISTRATION",
        "20/hour",
        "accounts that are asked for from one address without token",
    ),
    "trusted_proxies": Setting(
        "FUDABA_TRUSTED_PROXIES", "0", "proxies before the API that set X-Forwarded-For"
    ),
    "cors_origins": Setting(
        "FUDABA_CORS_ORIGINS", "", "origins, by comma, whose pages may use the API from a browser; * is all"
    ),
    "stream_listeners": Setting(
        "FUDABA_STREAM_LISTENERS", "4", "event streams that one API process serves at once, a thread each"
    ),
    "archive": Setting(
        "FUDABA_ARCHIVE",
        "",
        "folder of archived tournaments; empty: `archive` in the folder for data with SQLite, otherwise none",
    ),
    "keep_logs_days": Setting(
        "FUDABA_KEEP_LOGS_DAYS", "90", "what bots print in matches is kept for so long"
    ),
    "keep_deliveries_days": Setting(
        "FUDABA_KEEP_DELIVERIES_DAYS", "30", "the log of what webhooks were told is kept for so long"
    ),
    "slow_request_ms": Setting(
        "FUDABA_SLOW_REQUEST_MS", "1000", "a request that takes longer is logged as a warning"
    ),
    "slow_batch_seconds": Setting(
        "FUDABA_SLOW_BATCH_SECONDS", "60", "a batch that takes longer is logged as a warning"
    ),
    "log_level": Setting("FUDABA_LOG_LEVEL", "info", "debug, info, warning or error"),
}
_CHOICES = {
    "sandbox": ("auto", "bwrap", "landlock", "none"),
    "log_level": ("debug", "info", "warning", "error"),
}
_FLAGS = {"allow_private_endpoints", "open_registration", "unsafe_sandbox"}
_FORMS = {
    "database_url": (
        re.compile(r"(sqlite:///.*|postgresql(\+psycopg)?://.+)?"),
        "a URL such as sqlite:////data/fudaba.db or postgresql://user@host/name",
    ),
    "redis_url": (
        re.compile(r"(redis(s|\+socket)?://.+)?"),
        "a URL such as redis://host:6379/0 or rediss://:password@host/0",
    ),
    **dict.fromkeys(
        ("rate_limit_token", "rate_limit_address", "rate_limit_registration"),
        (re.compile(r"([1-9]\d{0,8}/(second|minute|hour|day))?", re.ASCII), "a rate such as 600/minute"),
    ),
    "cors_origins": (
        re.compile(r"(\*|https?://[^\s/,*]+(,\s*https?://[^\s/,*]+)*)?"),
        "a list of origins such as https://example.org",
    ),
}
_NUMBERS = {
    "port": (0, 65_535),
    "workers": (0, 1_024),
    "lease_seconds": (2, 3_600),
    "drain_seconds": (0, 3_600),
    "sweep_seconds": (1, 3_600),
    "batch_seconds": (1, 600),
    "in_flight": (1, 1_024),
    "trusted_proxies": (0, 16),
    "stream_listeners": (0, 10_000),
    "keep_logs_days": (1, 36_500),
    "keep_deliveries_days": (1, 36_500),
    "slow_request_ms": (1, 3_600_000),
    "slow_batch_seconds": (1, 3_600),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, checked; what each means stands in SETTINGS."""

    home: Path
    database_url: str
    redis_url: str = field(repr=False)
    host: str = "127.0.0.1"
    port: int = 8317
    workers: int = 0
    organiser_token: str = field(default="", repr=False)
    session_secret: str = field(default="", repr=False)
    allow_private_endpoints: bool = False
    sandbox: str = "auto"
    unsafe_sandbox: bool = False
    lease_seconds: int = 30
    drain_seconds: int = 5
    sweep_seconds: int = 2
    batch_seconds: int = 2
    in_flight: int = 64
    open_registration: bool = False
    rate_limit_token: str = "12000/minute"
    rate_limit_address: str = "24000/minute"
    rate_limit_registration: str = "20/hour"
    trusted_proxies: int = 0
    cors_origins: str = ""
    stream_listeners: int = 4
    archive: Path | None = None
    keep_logs_days: int = 90
    keep_deliveries_days: int = 30
    slow_request_ms: int = 1000
    slow_batch_seconds: int = 60
    log_level: str = "info"

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self:
        """Return the settings in `env`, each also from the file `<variable>_FILE`; raises BadSettings."""
        problems: list[str] = []
        values: dict[str, Any] = {}
        for name, setting in SETTINGS.items():
            try:
                values[name] = _parse(name, _raw(env, setting))
            except (ValueError, OSError) as problem:
                problems.append(f"{setting.variable}: {problem}")
        if problems:
            raise BadSettings("; ".join(problems))
        values["home"] = Path(values["home"]).absolute()
        values["database_url"] = values["database_url"] or f"sqlite:///{values['home'] / 'fudaba.db'}"
        # Beside another database the folder for data may be that of one process, and go with it.
        beside = values["home"] / "archive" if values["database_url"].startswith("sqlite") else None
        values["archive"] = Path(values["archive"]).absolute() if values["archive"] else beside
        return cls(**values)

    def to_env(self) -> dict[str, str]:
        """Return the variables that give these settings again; flags as true and false."""
        values = {setting.variable: getattr(self, name) for name, setting in SETTINGS.items()}
        return {
            variable: str(value).lower() if isinstance(value, bool) else str("" if value is None else value)
            for variable, value in values.items()
        }

    def is_file_there(self) -> bool:
        """Return whether the database exists as far as a file tells: always, when it is none."""
        path = self.database_url.removeprefix("sqlite:///")
        return path == self.database_url or Path(path).exists()


def _raw(env: Mapping[str, str], setting: Setting) -> str:
    """Return the text of a setting; the file wins over the default, both at once are a mistake."""
    file = env.get(f"{setting.variable}_FILE")
    if file is None:
        return env.get(setting.variable, setting.default)
    if setting.variable in env:
        raise ValueError(f"{setting.variable}_FILE is given as well")
    return Path(file).read_text(encoding="utf-8").strip()


def _parse(name: str, text: str) -> str | int | bool:
    """Return the value that `text` writes; ValueError says what is expected."""
    if name in _FLAGS:
        if text.lower() not in ("true", "false", "1", "0"):
            raise ValueError(f"{text!r} is neither true nor false")
        return text.lower() in ("true", "1")
    if name in _NUMBERS:
        least, most = _NUMBERS[name]
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise ValueError(f"{text!r} is not a whole number from {least} to {most}")
        return int(text)
    if name in _FORMS:
        form, expected = _FORMS[name]
        if not form.fullmatch(text):
            shown = "what it is set to" if SETTINGS[name].secret else repr(text)
            raise ValueError(f"{shown} is not {expected}")
    if name in _CHOICES and text not in _CHOICES[name]:
        raise ValueError(f"{text!r} is none of {', '.join(_CHOICES[name])}")
    return text
