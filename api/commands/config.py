"""Where the service is and who asks it: options, the environment, and the file that `fudaba login` writes."""

import json
import os
import tempfile
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

import click

DEFAULT_URL = "http://127.0.0.1:8317"  # where `fudaba up` listens unless told otherwise
_SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The URL of a service, and the token to ask it with."""

    url: str
    token: str | None = None


def file() -> Path:
    """Return where it is kept: ~/.config/fudaba/config.toml, unless the system has another place for such."""
    return Path(click.get_app_dir("fudaba")) / "config.toml"


def access(url: str | None, token: str | None) -> Access:
    """Return what to ask and with what: the values given, and from the file what is left out.

    The token in the file goes to the URL in the file alone. Raises UsageError for a URL or a file that cannot
    be used.
    """
    kept = read()
    chosen = url or kept.url
    if not chosen.lower().startswith(_SCHEMES):
        raise click.UsageError(f"url {chosen!r} does not begin with http:// or https://")
    if token is None and chosen.rstrip("/") == kept.url.rstrip("/"):
        token = kept.token
    return Access(url=chosen, token=token)


def read() -> Access:
    """Return what the file holds, the defaults where it does not exist; raises UsageError."""
    path = file()
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return Access(url=DEFAULT_URL)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise click.UsageError(f"{path} cannot be read: {error}") from error
    known = {field.name for field in fields(Access)}
    for name, value in found.items():
        if name not in known or not isinstance(value, str):
            raise click.UsageError(
                f"{path}: {name} is {value!r}; allowed: texts called {', '.join(sorted(known))}"
            )
    return Access(url=found.get("url", DEFAULT_URL), token=found.get("token"))


def write(kept: Access) -> Path:
    """Keep a URL and token for this user alone (mode 0600) and return the file; raises UsageError."""
    path = file()
    # A TOML string is written as a JSON one is.
    lines = [f"{name} = {json.dumps(value)}\n" for name in ("url", "token") if (value := getattr(kept, name))]
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".config-")  # its mode is 0600
        with os.fdopen(handle, "w", encoding="utf-8") as written:
            written.writelines(lines)
        os.replace(draft, path)
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error.strerror}") from error
    return path
