"""The compose file without Docker: its image built, its services run as they are, each on its own host."""

import json
from collections import Counter
from collections.abc import Iterator
from io import BytesIO

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families
from redis import Redis
from redis.exceptions import RedisError
from support import image
from support.image import Image
from support.installation import wait_finished
from support.topology import Topology, network

from api.client import Client

pytestmark = [
    pytest.mark.slow,
    pytest.mark.integration,
    pytest.mark.needs("root", "bubblewrap", "postgresql"),
    pytest.mark.timeout(900),
]
HOSTS = ("secrets", "migrate", "redis", "postgres", "api", "worker", "beat", "outside")
HOLDING = {"bwrap", "landlock"}
BOT = b"def act(observation):\n    return observation['legal'][-1]\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Image:
    """The image, from the steps of its Dockerfile."""
    return image.build(tmp_path_factory.mktemp("image"))


@pytest.fixture(scope="module")
def topology(built: Image, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Topology]:
    """The services of the compose file, started in the order that it demands."""
    with network(HOSTS) as hosts:
        made = Topology(image=built, network=hosts, folder=tmp_path_factory.mktemp("topology"))
        try:
            made.run("secrets")
            for name in ("redis", "postgres"):
                assert set(made.services[name]["depends_on"]) == {"secrets"}
                made.start(name)
            made.wait_for("redis", lambda: answers(made))
            made.wait_healthy("postgres")
            assert "the database is at revision" in made.run("migrate")
            for name in ("api", "worker", "beat"):
                assert set(made.services[name]["depends_on"]) == {"migrate", "redis"}
                made.start(name)
            made.wait_healthy("api")
            yield made
        finally:
            made.kill()


def answers(topology: Topology) -> bool:
    """Return whether Redis answers to its password from another host, and to nobody without it."""
    password = (topology.folder / "volumes" / "redis-secret" / "password").read_text().strip()

    def ask() -> bool:
        with Redis(topology.network.addresses["redis"], socket_timeout=2, password=password) as client:
            return bool(client.ping())

    try:
        return topology.network.call("worker", ask)
    except RedisError:
        return False


def token_of(topology: Topology) -> str:
    """Return the organiser's token, as an operator reads it."""
    return topology.run("migrate", ["cat", "/run/organiser/token"]).strip()


def test_a_tournament_with_an_uploaded_bot_is_played_across_the_hosts(topology: Topology) -> None:
    token = token_of(topology)

    def play() -> dict[str, object]:
        url = f"http://{topology.network.addresses['api']}:8317"
        with Client(url, token) as client:
            author = client.create_account("ann")
            with Client(url, author["token"]) as own:
                sent = own.submit_module("last", "bot.py", BOT, ["hana_awase"])
                assert own.wait_qualified(sent["id"], sent["version"])["state"] == "qualified"
            event = {"game": "hana_awase", "options": {"rounds": 2}, "deals": 4}
            plan = {"name": "cup", "entrants": ["ann/last", "house/greedy", "house/first"], "events": [event]}
            tournament = client.create_tournament(plan)
            client.start(tournament["id"])
            return wait_finished(client, tournament["id"])

    state = topology.network.call("outside", play)
    assert state["played"] == state["matches"]


def test_any_api_process_tells_what_all_workers_have_counted(topology: Topology) -> None:
    url, token = f"http://{topology.network.addresses['api']}:8317", token_of(topology)

    def look() -> tuple[int, Counter[str]]:
        with Client(url, token) as client:
            played = sum(tournament["played"] for tournament in client.tournaments())
        said: Counter[str] = Counter()
        for family in text_string_to_metric_families(requests.get(f"{url}/metrics", timeout=10).text):
            for sample in family.samples:
                said[sample.name] += int(sample.value)
        return played, said

    def is_told() -> bool:
        played, said = topology.network.call("outside", look)
        return 0 < said["fudaba_matches_total"] == played

    topology.wait_for("worker", is_told)  # each tells after its task
    _, said = topology.network.call("outside", look)
    assert said["fudaba_decisions_total"] > said["fudaba_matches_total"]
    assert said["fudaba_workers"] == int(topology.services["worker"]["command"][5])
    for name in ("sandbox_starts_total", "qualifications_total", "batches_total", "request_seconds_count"):
        assert said[f"fudaba_{name}"] > 0, name
    assert said["fudaba_database_up"] == said["fudaba_redis_up"] == 1


def test_what_is_archived_in_a_container_of_the_api_is_read_by_the_service(topology: Topology) -> None:
    moved = json.loads(topology.run("api", ["fudaba", "admin", "archive", "--older-than", "0", "--json"]))
    ((tournament, matches),) = moved["archived"].items()
    assert not moved["refused"]
    token = token_of(topology)

    def lines() -> int:
        with Client(f"http://{topology.network.addresses['api']}:8317", token) as client:
            client.record(tournament, record := BytesIO())
            return record.getvalue().count(b'"kind":"match"')

    assert topology.network.call("outside", lines) == matches
    assert topology.run("api", ["fudaba", "admin", "check"])


def test_every_worker_found_a_sandbox_that_holds_in_its_container(topology: Topology) -> None:
    code = "import urllib.request as r; print(r.urlopen('http://api:8317/readyz').read().decode())"
    ask = ["python", "-c", code]
    found = json.loads(topology.run("worker", ask))
    assert found["workers"]
    assert {worker["sandbox"].split("+")[0] for worker in found["workers"].values()} <= HOLDING


def test_a_container_may_write_nowhere_but_to_its_own_folders(topology: Topology) -> None:
    paths = "/ /opt/fudaba /etc/fudaba /run/service /tmp /var/lib/fudaba"
    script = f"for path in {paths}; do touch $path/x 2>/dev/null && echo $path; done; true"
    assert topology.run("worker", ["sh", "-c", script]).split() == ["/tmp", "/var/lib/fudaba"]
    assert topology.run("worker", ["ls", "/run"]).split() == ["service"]


def test_everything_stops_when_it_is_asked_to(topology: Topology) -> None:
    codes = topology.stop()
    assert set(codes) == {"redis", "postgres", "api", "worker", "beat"}
    assert set(codes.values()) == {0}
