"""The compose file as Compose reads it: merged, with variables filled in."""

import re
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docker-compose.yml"
Service = dict[str, Any]


def read(**variables: str) -> dict[str, Any]:
    """Return the compose file with these variables, the others at their defaults."""
    text = re.sub(r"\$\{(\w+):-([^}]*)\}", lambda found: variables.get(found[1], found[2]), FILE.read_text())
    made: dict[str, Any] = yaml.safe_load(text.replace("$$", "$"))
    return made


def services(**variables: str) -> dict[str, Service]:
    """Return the services by name."""
    made: dict[str, Service] = read(**variables)["services"]
    return made


def mounts(service: Service) -> dict[str, str]:
    """Return the volume, or the folder of this repository, that a service has at each path."""
    pairs = [volume.removesuffix(":ro").split(":") for volume in service.get("volumes", [])]
    return {path: source for source, path in pairs}


def image_command() -> list[str]:
    """Return what the image runs when a service names no command."""
    text = (ROOT / "deploy" / "Dockerfile").read_text()
    found = re.findall(r"^CMD (\[.+\])$", text, re.M)
    command: list[str] = yaml.safe_load(found[-1])
    return command


def command(service: Service) -> list[str]:
    """Return what one of our services runs."""
    found: list[str] = service.get("command") or image_command()
    return found
