"""The files of the deployment say nothing that the project does not have."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.commands import COMMANDS
from store.settings import SETTINGS

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if service.get("image") == "fudaba"]
VARIABLES = {setting.variable for setting in SETTINGS.values()}


def test_the_compose_file_runs_every_part() -> None:
    assert set(OURS) == {"migrate", "api", "worker", "beat"}
    assert set(SERVICES) == {*OURS, "redis", "postgres"}


@pytest.mark.parametrize("name", OURS)
def test_a_service_of_ours_is_set_up_by_settings_that_exist(name: str) -> None:
    for variable in SERVICES[name]["environment"]:
        assert variable.removesuffix("_FILE") in VARIABLES
    for secret in SERVICES[name]["secrets"]:
        assert secret in COMPOSE["secrets"]
    command = SERVICES[name].get("command")
    if command and command[0] == "fudaba":
        assert command[1] in COMMANDS
    if command and command[0] == "celery":
        assert command[command.index("-A") + 1] == "workers.main"


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_limited_and_comes_back(name: str) -> None:
    service = SERVICES[name]
    assert service["restart"] in ("unless-stopped", "on-failure")
    if name != "migrate":
        assert {"cpus", "memory"} <= set(service["deploy"]["resources"]["limits"])


def test_no_secret_stands_in_the_files() -> None:
    for path in (ROOT / "docker-compose.yml", ROOT / "deploy" / "Dockerfile"):
        for line in path.read_text().splitlines():
            if not line.lstrip().startswith("#"):
                assert not re.search(r"(PASSWORD|TOKEN|SECRET)(?!_FILE)\w*\s*[:=]\s*\S", line), line


def test_the_image_copies_what_the_project_needs() -> None:
    text = (ROOT / "deploy" / "Dockerfile").read_text()
    for path in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.M):
        for word in path.split():
            assert (ROOT / word).exists(), word
    for tree in ("engine", "store", "workers", "api"):
        assert f"COPY {tree} {tree}" in text
