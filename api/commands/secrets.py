"""`fudaba admin secrets`: passwords and tokens of a deployment, as files in folders by who reads them."""

import os
import secrets
from pathlib import Path

import click


@click.command("secrets")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--postgres-host", default="postgres", show_default=True, help="Where PostgreSQL will be.")
@click.option("--redis-host", default="redis", show_default=True, help="Where Redis will be.")
def make_secrets(folder: Path, postgres_host: str, redis_host: str) -> None:
    """Make the secrets of a deployment in FOLDER; those that are there are kept.

    Whoever can open one of its folders may read what is in it: `service` is for the API, workers and beat,
    `pages` for the API alone, `organiser` for the migration, the others for the server they are named after.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        postgres = _kept(folder / "postgres" / "password", _random())
        redis = _kept(folder / "redis" / "password", _random())
        _kept(folder / "redis" / "redis.conf", f"requirepass {redis}")
        _kept(folder / "service" / "database_url", f"postgresql://fudaba:{postgres}@{postgres_host}/fudaba")
        _kept(folder / "service" / "redis_url", f"redis://:{redis}@{redis_host}:6379/0")
        _kept(folder / "organiser" / "token", _random())
        _kept(folder / "pages" / "session_secret", _random())
        _kept(folder / "grafana" / "admin_password", _random())
    except OSError as error:
        raise click.ClickException(f"cannot write {error.filename}: {error.strerror}") from error
    click.echo(f"the secrets are in {folder}")


def _random() -> str:
    """Return 43 characters that need no quoting in a URL or a configuration file."""
    return secrets.token_urlsafe(32)


def _kept(path: Path, text: str) -> str:
    """Return what a file says; `text`, and the file is made with it, when it is not there yet."""
    path.parent.mkdir(exist_ok=True)
    if path.exists():
        return path.read_text(encoding="ascii").strip()
    draft = path.with_name(f"{path.name}.new")  # what is there under its own name is whole
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444), "w") as file:
        file.write(text + "\n")
    draft.rename(path)
    return text
