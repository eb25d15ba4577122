"""Examples of configuration that stand in the pages on operating."""

import re
from pathlib import Path
from typing import Any

import yaml

_PAGE = Path(__file__).parents[2] / "docs" / "operating" / "deploy.md"


def archive() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return what gives archives a folder: Compose's override, the claim and the change for Kubernetes."""
    override, claim, change = map(
        yaml.safe_load, re.findall(r"^```yaml\n(.+?)^```$", _PAGE.read_text(), re.M | re.S)
    )
    return override, claim, change
