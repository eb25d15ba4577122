"""A record as a file: written beside its place, and there only once it is whole."""

import hashlib
import sys
from pathlib import Path

import click

from api.client import Client
from api.commands.service import Service


def save(service: Service, tournament_id: str, file: Path) -> None:
    """Write the record of a tournament, or of a season by its tournament, to a file or standard output."""
    if str(file) == "-":
        service.client.record(tournament_id, sys.stdout.buffer)
        return
    sha256 = _saved(service.client, tournament_id, file)
    size = file.stat().st_size
    service.answer(
        {"file": str(file), "bytes": size, "sha256": sha256},
        lambda: click.echo(f"wrote {size} bytes to {file}, SHA-256 {sha256}"),
    )


def _saved(client: Client, tournament_id: str, file: Path) -> str:
    """Write a record beside its place and move it there once it is whole; return its SHA-256."""
    draft = file.with_name(f".{file.name}.part")
    try:
        written = draft.open("w+b")
    except OSError as error:
        raise click.UsageError(f"{str(file)!r} cannot be written: {error.strerror}") from error
    try:
        with written:
            client.record(tournament_id, written)
            written.seek(0)
            sha256 = hashlib.file_digest(written, "sha256").hexdigest()
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    return sha256
