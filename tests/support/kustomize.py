"""What `kubectl kustomize` makes of the folders of deploy/kubernetes; kubectl itself if it is here."""

import shutil
import subprocess
from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

Manifest = dict[str, Any]
_CLUSTER_WIDE = {"Namespace", "RuntimeClass"}
_FIELDS = {"apiVersion", "kind", "namespace", "resources", "patches", "images", "replicas"}


def rendered(folder: Path) -> list[Manifest]:
    """Return the manifests of a folder with a kustomization, patched, named and placed."""
    plan = yaml.safe_load((folder / "kustomization.yaml").read_text())
    assert set(plan) <= _FIELDS, f"{folder} uses what this reader does not know: {set(plan) - _FIELDS}"
    found: list[Manifest] = []
    for name in plan["resources"]:
        path = folder / name
        found += rendered(path.resolve()) if path.is_dir() else read(path)
    for patch in plan.get("patches", []):
        for change in read(folder / patch["path"]):
            _patch(found, change)
    for manifest in found:
        if "namespace" in plan and manifest["kind"] not in _CLUSTER_WIDE:
            manifest["metadata"]["namespace"] = plan["namespace"]
        for replicas in plan.get("replicas", []):
            if manifest["kind"] == "Deployment" and manifest["metadata"]["name"] == replicas["name"]:
                manifest["spec"]["replicas"] = replicas["count"]
        for container in containers(manifest):
            container["image"] = _image(container["image"], plan.get("images", []))
    return found


def rendered_by_kubectl(folder: Path) -> list[Manifest]:
    """Return the same by the real tool."""
    done = subprocess.run(["kubectl", "kustomize", str(folder)], capture_output=True, check=True, timeout=60)
    return list(yaml.safe_load_all(done.stdout))


RENDERERS: tuple[Callable[[Path], list[Manifest]], ...] = (
    (rendered, rendered_by_kubectl) if shutil.which("kubectl") else (rendered,)
)


def read(path: Path) -> list[Manifest]:
    """Return the manifests of one file."""
    return [manifest for manifest in yaml.safe_load_all(path.read_text()) if manifest]


def key(manifest: Manifest) -> tuple[str, str]:
    """Return what tells a manifest from the others."""
    return manifest["kind"], manifest["metadata"]["name"]


def containers(manifest: Manifest) -> list[dict[str, Any]]:
    """Return the containers of a workload; none of anything else."""
    found: list[dict[str, Any]] = pod(manifest).get("containers", [])
    return found


def pod(manifest: Manifest) -> dict[str, Any]:
    """Return the pod's specification of a workload; empty for anything else."""
    template = manifest.get("spec", {}).get("template", {})
    found: dict[str, Any] = template.get("spec", {}) if isinstance(template, dict) else {}
    return found


def _patch(found: list[Manifest], change: Manifest) -> None:
    (target,) = [manifest for manifest in found if key(manifest) == key(change)]
    merged = _merged(target, change)
    target.clear()
    target.update(merged)


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    result = deepcopy(dict(one))
    for name, value in other.items():
        old = result.get(name)
        result[name] = _merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
        if value is None:
            del result[name]
    return result


def _image(image: str, changes: list[dict[str, str]]) -> str:
    for change in changes:
        if image.split(":")[0] == change["name"]:
            return f"{change['newName']}:{change['newTag']}"
    return image
