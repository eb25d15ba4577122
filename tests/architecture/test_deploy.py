"""Compose file, image and nginx: right by their schemas, and nothing in them that the project has not."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from click import Context, Group
from packaging.requirements import Requirement
from support import compose, image
from support.compose import Service

from api.commands import fudaba
from api.commands.secrets import make_secrets
from api.submissions import MAX_BODY_BYTES
from store.settings import SETTINGS

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = compose.read()
SERVICES: dict[str, Service] = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if service["image"] == "fudaba"]
VARIABLES = {setting.variable for setting in SETTINGS.values()}


@pytest.fixture(scope="module")
def secret_files(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The files that `fudaba admin secrets` makes, from the folder on."""
    folder = tmp_path_factory.mktemp("secrets")
    assert make_secrets.callback is not None
    make_secrets.callback(folder=folder, postgres_host="postgres", redis_host="redis")
    return {str(path.relative_to(folder)) for path in folder.glob("*/*")}


def test_the_compose_file_keeps_to_the_schema_of_compose_files() -> None:
    schema = files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"
    jsonschema.validate(COMPOSE, json.loads(schema.read_text()))


def test_archives_last_and_belong_to_the_user_of_the_image() -> None:
    variable = SETTINGS["archive"].variable
    named = {name: one["environment"][variable] for name, one in SERVICES.items() if variable in _named(name)}
    folder = named.pop("api")
    assert not named
    assert folder in image.folders()
    source = _mounts("api")[folder]
    assert source in COMPOSE["volumes"]
    assert [name for name in SERVICES if source in _mounts(name).values()] == ["api"]


def test_it_runs_every_part_and_more_parts_by_profiles() -> None:
    assert set(OURS) == {"secrets", "migrate", "api", "worker", "beat"}
    assert {name for name, service in SERVICES.items() if "profiles" not in service} == {
        *OURS,
        "redis",
        "postgres",
    }
    assert {profile for one in SERVICES.values() for profile in one.get("profiles", [])} == {
        "flower",
        "prometheus",
        "grafana",
    }


@pytest.mark.parametrize("name", OURS)
def test_a_service_of_ours_is_set_up_by_settings_and_commands_that_exist(name: str) -> None:
    for variable in SERVICES[name].get("environment", {}):
        assert variable.removesuffix("_FILE") in VARIABLES
    words = compose.command(SERVICES[name])
    if words[0] == "fudaba":
        group = fudaba.get_command(Context(fudaba), words[1])
        assert isinstance(group, Group)
        assert words[2] in group.commands
    elif words[0] == "celery":
        assert words[words.index("-A") + 1] == "workers.main"


def test_every_secret_is_a_file_that_is_made_and_that_its_reader_can_see(secret_files: set[str]) -> None:
    folders = {volume: path.removeprefix("/secrets/") for path, volume in _mounts("secrets").items()}
    named = 0
    for name, service in SERVICES.items():
        text = json.dumps(service)
        for path in re.findall(r"/run/\w+/[\w.]+", text):
            folder, file = path.rsplit("/", 1)
            assert f"{folders[_mounts(name)[folder]]}/{file}" in secret_files, path
            named += 1
    assert named >= 10


def test_each_circle_of_secrets_is_seen_by_those_who_need_it_alone() -> None:
    seen = {
        volume: {name for name in SERVICES if volume in _mounts(name).values()} - {"secrets"}
        for volume in _mounts("secrets").values()
    }
    assert seen.pop("service") == {"migrate", "api", "worker", "beat", "flower"}
    assert sorted(map(sorted, seen.values())) == [["api"], ["grafana"], ["migrate"], ["postgres"], ["redis"]]


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_is_confined_limited_and_comes_back(name: str) -> None:
    service = SERVICES[name]
    assert service["restart"] == {"secrets": "no", "migrate": "on-failure"}.get(name, "unless-stopped")
    assert {"cpus", "memory", "pids"} == set(service["deploy"]["resources"]["limits"])
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    for port in service.get("ports", []):
        assert port.startswith("127.0.0.1:"), "TLS is before it, on this machine"
    for path, source in _mounts(name).items():
        assert source in COMPOSE["volumes"] or (ROOT / source).is_dir(), path


def test_the_servers_have_no_way_out() -> None:
    assert COMPOSE["networks"]["back"]["internal"]
    for name in ("redis", "postgres", "migrate", "beat"):
        assert SERVICES[name]["networks"] == ["back"]


@pytest.mark.parametrize("name", [name for name in SERVICES if name not in OURS])
def test_images_of_others_are_pinned(name: str) -> None:
    assert re.fullmatch(r"[\w./-]+:v?\d+\.\d+(\.\d+)?(-\w+)?", SERVICES[name]["image"])


def test_no_secret_stands_in_the_files() -> None:
    files = (path for path in DEPLOY.rglob("*") if path.is_file() and path.suffix != ".pyc")
    paths = [ROOT / "docker-compose.yml", *files]
    for path in paths:
        for line in path.read_text().splitlines():
            if not line.lstrip().startswith("#"):
                assert not re.search(r"(PASSWORD|TOKEN|SECRET)(?!_{1,2}FILE)\w*\s*[:=]\s*\S", line), line


def test_the_image_is_pinned_and_copies_what_the_project_needs() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    version, base = re.findall(r"^ARG PYTHON_IMAGE=python:(\d+\.\d+\.\d+)-slim-(\w+)$", text, re.M)[0]
    assert f"ARG BUILD_IMAGE=python:{version}-{base}\n" in text
    assert re.findall(r"^FROM (\S+)", text, re.M) == ["${BUILD_IMAGE}", "${PYTHON_IMAGE}"]
    assert "--require-hashes -r requirements.txt" in text
    assert re.search(r"^USER 10001:10001$", text, re.M)
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for paths in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.M):
        for path in paths.split():
            assert (ROOT / path).exists(), path
            assert path in kept, path
    for tree in ("engine", "store", "workers", "api"):
        assert f"COPY {tree} {tree}" in text


def test_the_locked_packages_are_those_that_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = (DEPLOY / "requirements.txt").read_text()
    locked = dict(re.findall(r"^([\w.-]+)==([\w.]+)", text, re.M))
    for line in project["dependencies"]:
        asked = Requirement(line)
        assert asked.specifier.contains(locked[asked.name.lower()]), line
    assert text.count("--hash=sha256:") > len(locked)
    assert "index" not in text


def test_gunicorn_listens_where_all_expect_it() -> None:
    code = "import runpy, sys; print(runpy.run_path(sys.argv[1])['bind'])"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(DEPLOY / "gunicorn.conf.py")],
        capture_output=True,
        text=True,
        env={},
        check=True,
    )
    assert done.stdout.strip() == "0.0.0.0:8317"
    assert SERVICES["api"]["ports"] == ["127.0.0.1:8317:8317"]
    assert re.search(r"^EXPOSE 8317$", (DEPLOY / "Dockerfile").read_text(), re.M)


def test_nginx_knows_where_the_api_is_and_lets_uploads_through() -> None:
    text = (DEPLOY / "nginx" / "fudaba.conf").read_text()
    assert "server 127.0.0.1:8317;" in text
    found = re.search(r"client_max_body_size (\d+)m;", text)
    assert found is not None
    assert int(found[1]) << 20 >= MAX_BODY_BYTES


def _named(name: str) -> set[str]:
    """Return the variables that a service is given."""
    return set(SERVICES[name].get("environment", {}))


def _mounts(name: str) -> dict[str, str]:
    return compose.mounts(SERVICES[name])
