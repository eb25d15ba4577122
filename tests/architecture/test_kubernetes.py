"""The Kubernetes manifests: right by the schemas of Kubernetes, confined, and running what Compose runs."""

import ipaddress
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support import compose, kustomize
from support.kustomize import Manifest, containers, key, pod

from store.settings import SETTINGS
from workers.celery_app import QUEUE
from workers.runtimes import addresses

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "kubernetes"
OVERLAYS = sorted(path.name for path in (FOLDER / "overlays").iterdir())
_DEFINITIONS = json.loads((ROOT / "tests" / "support" / "schemas" / "kubernetes.json").read_text())
SCHEMA = jsonschema.Draft202012Validator(_DEFINITIONS)
GROUPS = {
    "apps/v1": "apps.v1",
    "autoscaling/v2": "autoscaling.v2",
    "batch/v1": "batch.v1",
    "networking.k8s.io/v1": "networking.v1",
    "node.k8s.io/v1": "node.v1",
    "policy/v1": "policy.v1",
    "v1": "core.v1",
}
OURS = ("api", "worker", "beat", "migrate")
_NAMED = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
KEDA = {
    "ScaledObject": {
        "required": ["scaleTargetRef", "triggers"],
        "additionalProperties": False,
        "properties": {
            "scaleTargetRef": _NAMED,
            "minReplicaCount": {"type": "integer", "minimum": 0},
            "maxReplicaCount": {"type": "integer", "minimum": 1},
            "pollingInterval": {"type": "integer", "minimum": 1},
            "cooldownPeriod": {"type": "integer", "minimum": 1},
            "advanced": {"type": "object"},
            "triggers": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "required": ["type", "metadata"],
                    "additionalProperties": False,
                    "properties": {
                        "type": {"const": "redis"},
                        "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
                        "authenticationRef": _NAMED,
                    },
                },
            },
        },
    },
    "TriggerAuthentication": {
        "required": ["secretTargetRef"],
        "additionalProperties": False,
        "properties": {
            "secretTargetRef": {
                "type": "array",
                "items": {
                    "required": ["parameter", "name", "key"],
                    "additionalProperties": {"type": "string"},
                },
            }
        },
    },
}


@lru_cache
def of(overlay: str) -> dict[tuple[str, str], Manifest]:
    """Return the manifests of an overlay by kind and name."""
    found = kustomize.rendered(FOLDER / "overlays" / overlay)
    by_key = {key(manifest): manifest for manifest in found}
    assert len(by_key) == len(found)
    return by_key


def workloads(overlay: str) -> dict[str, Manifest]:
    return {name: manifest for (_, name), manifest in of(overlay).items() if containers(manifest)}


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_manifest_keeps_to_its_schema(overlay: str) -> None:
    for (kind, _), manifest in of(overlay).items():
        if kind in KEDA:
            assert manifest["apiVersion"] == "keda.sh/v1alpha1"
            jsonschema.validate(manifest["spec"], KEDA[kind])
        else:
            name = f"io.k8s.api.{GROUPS[manifest['apiVersion']]}.{kind}"
            SCHEMA.evolve(schema={"$ref": f"#/$defs/{name}"}).validate(manifest)


@pytest.mark.parametrize("render", kustomize.RENDERERS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_an_overlay_is_rendered_alike_by_every_tool_that_is_here(overlay: str, render: Any) -> None:
    found = {key(manifest): manifest for manifest in render(FOLDER / "overlays" / overlay)}
    assert found == of(overlay)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_pods_are_as_confined_as_the_namespace_demands(overlay: str) -> None:
    namespace = of(overlay)["Namespace", "fudaba"]["metadata"]["labels"]
    assert namespace["pod-security.kubernetes.io/enforce"] == "restricted"
    for manifest in workloads(overlay).values():
        template, context = pod(manifest), pod(manifest)["securityContext"]
        assert manifest["metadata"]["namespace"] == "fudaba"
        assert context["runAsNonRoot"] and context["runAsUser"] > 0
        assert context["seccompProfile"] == {"type": "RuntimeDefault"}
        assert template["automountServiceAccountToken"] is False
        assert template["enableServiceLinks"] is False
        for container in containers(manifest):
            inner = container["securityContext"]
            assert inner["capabilities"] == {"drop": ["ALL"]}
            assert inner["readOnlyRootFilesystem"] and not inner["allowPrivilegeEscalation"]
            assert {"cpu", "memory"} <= set(container["resources"]["requests"])
            assert "memory" in container["resources"]["limits"]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_same_is_run_as_by_compose(overlay: str) -> None:
    services = compose.services()
    for name in OURS:
        (container,) = containers(workloads(overlay)[name])
        assert container["command"] == compose.command(services[name])
    for name in {"postgres", "redis"} & set(workloads(overlay)):
        (container,) = containers(workloads(overlay)[name])
        assert container["args"] == services[name]["command"]
        assert container["image"] == services[name]["image"]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_variables_are_settings_and_their_files_are_mounted(overlay: str) -> None:
    variables = {setting.variable for setting in SETTINGS.values()}
    shared = of(overlay)["ConfigMap", "fudaba"]["data"]
    for name in OURS:
        manifest = workloads(overlay)[name]
        (container,) = containers(manifest)
        given = {**shared, **{one["name"]: one["value"] for one in container.get("env", [])}}
        secrets = {one["name"]: one["secret"] for one in pod(manifest)["volumes"] if "secret" in one}
        paths = {
            mount["mountPath"]: secrets[mount["name"]]["secretName"]
            for mount in container["volumeMounts"]
            if mount["name"] in secrets
        }
        assert all(secret == path.replace("/run/", "fudaba-") for path, secret in paths.items())
        for variable, value in given.items():
            assert variable.removesuffix("_FILE") in variables
            if variable.endswith("_FILE"):
                assert value.rsplit("/", 1)[0] in paths


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_archives_have_a_folder_that_lasts_and_that_all_pods_of_the_api_share(overlay: str) -> None:
    manifest, variable = workloads(overlay)["api"], SETTINGS["archive"].variable
    (container,) = containers(manifest)
    (folder,) = (one["value"] for one in container["env"] if one["name"] == variable)
    assert folder == compose.services()["api"]["environment"][variable]
    (name,) = (one["name"] for one in container["volumeMounts"] if one["mountPath"] == folder)
    (volume,) = (one for one in pod(manifest)["volumes"] if one["name"] == name)
    claim = of(overlay)["PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]]
    if claim["spec"]["accessModes"] != ["ReadWriteMany"]:
        assert manifest["spec"]["replicas"] == 1
        assert manifest["spec"]["strategy"] == {"type": "Recreate"}, "two pods at once, on two nodes"


def test_the_ingress_controller_drops_what_nginx_drops() -> None:
    text = (ROOT / "deploy" / "nginx" / "fudaba.conf").read_text()
    dropped = set(re.findall(r'proxy_set_header (trace\w+) "";', text))
    assert of("production")["ConfigMap", "ingress-headers"]["data"] == dict.fromkeys(dropped, "")
    named = (FOLDER / "overlays" / "production" / "ingress.yaml").read_text()
    assert "proxy-set-headers: fudaba/ingress-headers" in named


def test_files_are_those_that_compose_reads() -> None:
    named = re.compile(r"/run/(?:service|organiser|pages)/\w+")
    kubernetes = {path for file in FOLDER.rglob("*.yaml") for path in named.findall(file.read_text())}
    assert kubernetes == set(named.findall(compose.FILE.read_text()))


def test_probes_and_services_lead_to_the_api() -> None:
    manifest = of("production")["Deployment", "api"]
    (container,) = containers(manifest)
    (port,) = container["ports"]
    assert port["containerPort"] == 8317
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"] == {"path": "/healthz", "port": port["name"]}
    service = of("production")["Service", "api"]["spec"]
    assert service["selector"].items() <= manifest["spec"]["template"]["metadata"]["labels"].items()
    assert service["ports"][0]["targetPort"] == port["name"]
    (rule,) = of("production")["Ingress", "fudaba"]["spec"]["rules"]
    assert rule["http"]["paths"][0]["backend"]["service"] == {"name": "api", "port": {"name": "http"}}


def test_workers_are_scaled_by_the_queue_that_they_serve() -> None:
    scaled = of("production")["ScaledObject", "worker"]["spec"]
    assert ("Deployment", scaled["scaleTargetRef"]["name"]) in of("production")
    (trigger,) = scaled["triggers"]
    assert trigger["metadata"]["listName"] == QUEUE
    assert ("TriggerAuthentication", trigger["authenticationRef"]["name"]) in of("production")


def egress(overlay: str, component: str) -> list[dict[str, Any]]:
    """Return the rules by which a component may connect to something."""
    return [
        rule
        for (kind, _), manifest in of(overlay).items()
        if kind == "NetworkPolicy" and _selects(manifest["spec"]["podSelector"], component)
        for rule in manifest["spec"].get("egress", [])
    ]


def _selects(selector: dict[str, Any], component: str) -> bool:
    expressions = selector.get("matchExpressions", [])
    labels = selector.get("matchLabels", {}).values()
    return all(component in one["values"] for one in expressions) and all(one == component for one in labels)


@pytest.mark.parametrize(
    ("component", "ports"),
    [
        ("api", {53, 5432, 6379}),
        ("beat", {53, 5432, 6379}),
        ("migrate", {53, 5432}),
        ("worker", {53, 5432, 6379, *addresses.PUBLIC_PORTS}),
        ("postgres", {53}),
        ("redis", {53}),
    ],
)
@pytest.mark.parametrize("overlay", OVERLAYS)
def test_pods_reach_only_what_they_must(overlay: str, component: str, ports: set[int]) -> None:
    default = of(overlay)["NetworkPolicy", "nothing"]["spec"]
    assert default == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    assert {port["port"] for rule in egress(overlay, component) for port in rule["ports"]} == ports


def test_workers_reach_no_address_that_the_worker_itself_refuses() -> None:
    (rule,) = of("production")["NetworkPolicy", "to-endpoints"]["spec"]["egress"]
    blocks = [ipaddress.ip_network(to["ipBlock"]["cidr"]) for to in rule["to"]]
    closed = [ipaddress.ip_network(text) for to in rule["to"] for text in to["ipBlock"]["except"]]
    rules = addresses.AddressRules()
    for text in (
        "10.1.2.3",
        "127.0.0.1",
        "169.254.169.254",
        "172.20.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "fd00::1",
    ):
        address = ipaddress.ip_address(text)
        assert not any(address in block for block in blocks) or any(address in one for one in closed)
        assert rules.refusal(text, 443) is not None
    assert any(ipaddress.ip_address("8.8.8.8") in block for block in blocks)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_selectors_select_the_pods_that_they_are_for(overlay: str) -> None:
    for manifest in workloads(overlay).values():
        labels = manifest["spec"]["template"]["metadata"]["labels"]
        selector = manifest["spec"].get("selector", {}).get("matchLabels", {})
        assert selector.items() <= labels.items()


def test_stronger_borders_are_put_under_workers_alone() -> None:
    classes = {name: pod(one).get("runtimeClassName") for name, one in workloads("gvisor").items()}
    assert classes.pop("worker") == of("gvisor")["RuntimeClass", "gvisor"]["metadata"]["name"]
    assert set(classes.values()) == {None}
