"""The examples of a documentation page: its shell blocks, and what they print, written below them.

`URL=... TOKEN=... python -m support.story docs/organising.md` asks a service and writes the page anew.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

_MARK = "=== end of block ==="
_BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:\n```text\n.*?^```\n)?", re.M | re.S)


def blocks(page: str) -> list[str]:
    """Return the shell blocks of a page."""
    return [match[1] for match in _BLOCK.finditer(page)]


def told(page: str, folder: Path) -> str:
    """Run all blocks in one shell and return the page with what each has printed below it."""
    script = "set -uo pipefail\n" + "".join(f"{block}\necho '{_MARK}'\n" for block in blocks(page))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "XDG_CONFIG_HOME": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    printed = iter(done.stdout.split(f"{_MARK}\n"))
    return _BLOCK.sub(lambda match: _with_output(match[1], next(printed)), page)


def _with_output(block: str, printed: str) -> str:
    lines = "\n".join(line.rstrip() for line in printed.strip("\n").splitlines())
    return f"```sh\n{block}```\n" + (f"\n```text\n{lines}\n```\n" if lines else "")


def main() -> None:
    """Write the pages named on the command line anew."""
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(name)
            file.write_text(told(file.read_text(), Path(folder)))


if __name__ == "__main__":
    main()
