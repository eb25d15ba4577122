"""What tests of the sandbox share."""

import os
import sys
from pathlib import Path

import pytest

from workers.runtimes.tree import parents

ROOT = Path(__file__).parents[3]


@pytest.fixture
def everything_readable() -> list[str]:
    """The start of a command whose process sees the interpreter where an ordinary user may read it, too."""
    if os.geteuid() != 0:
        return []
    needed = {sys.base_prefix, sys.prefix, str(ROOT)}
    closed = {
        folder for path in needed for folder in parents(path + "/x") if not os.stat(folder).st_mode & 0o001
    }
    command = ["bwrap", "--cap-add", "ALL", "--dev-bind", "/", "/"]
    for folder in sorted(closed):
        command += ["--perms", "0755", "--tmpfs", folder]
    for path in sorted(needed):
        for folder in parents(path):
            if any(folder.startswith(top + "/") for top in closed):
                command += ["--perms", "0755", "--dir", folder]
        command += ["--ro-bind", path, path]
    return command
