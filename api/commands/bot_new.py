"""`fudaba bot new`: writes a bot that works, with a test that plays it on this machine."""

import json
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import click

KINDS = ("python-module", "python-endpoint", "javascript-endpoint")


@click.command()
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(file_okay=False, path_type=Path))
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object.")
def new(kind: str, folder: Path, is_json: bool) -> None:
    """Write a bot that works into DIR (this folder when left out), with a test and a README.

    Files that are there already are never written over.
    """
    files = _files(kind)
    if present := [file.name for file in files if (folder / file.name).exists()]:
        raise click.UsageError(f"{folder} already has {', '.join(present)}; nothing was written")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            with (folder / file.name).open("xb") as written:
                written.write(file.read_bytes())
    except OSError as error:
        raise click.UsageError(f"{folder} cannot be written to: {error.strerror}") from error
    names = [file.name for file in files]
    if is_json:
        click.echo(json.dumps({"kind": kind, "folder": str(folder), "files": names}))
    else:
        click.echo(f"wrote {', '.join(names)} to {folder}; README.md says how to try it and submit it")


def _files(kind: str) -> list[Traversable]:
    """Return the files of a template, by name."""
    template = resources.files("api.templates_bots") / kind.replace("-", "_")
    return sorted((file for file in template.iterdir() if file.is_file()), key=lambda file: file.name)
