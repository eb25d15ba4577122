"""Asks the advisory service about every locked package: audit.py [option of pip-audit]...

Exit 1 when a package has a known vulnerability; 0 when none has, and also, with a word about it, when the
service cannot be reached: nobody's work stops because somebody else's server does.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

LOCK = Path(__file__).with_name("requirements.txt")
MOST_SECONDS = 180


def main(options: list[str]) -> int:
    """Audit the lock, or the file of `--requirement`; return the exit code."""
    files = [] if "--requirement" in options else ["--requirement", str(LOCK)]
    command = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--progress-spinner", "off"]
    try:
        done = subprocess.run(
            [*command, "--timeout", "10", "--format", "json", *files, *options],
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            env={**os.environ, "NO_COLOR": "1"},
        )
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except subprocess.TimeoutExpired:
        return _not_audited("the advisory service did not answer in time")
    except ValueError:
        return _not_audited(" ".join(done.stderr.split())[-400:])
    answered = [package for package in packages if "skip_reason" not in package]
    found = [(package, known) for package in answered for known in package["vulns"]]
    for package, known in found:
        fixed = ", ".join(known["fix_versions"]) or "no version yet"
        print(f"{package['name']} {package['version']}: {known['id']}, fixed in {fixed}", file=sys.stderr)
    if not answered:
        return _not_audited("the advisory service knows none of the packages")
    print(f"audited {len(answered)} of {len(packages)} packages: {len(found)} known vulnerabilities")
    return 1 if found else 0


def _not_audited(reason: str) -> int:
    print(f"the packages were not audited: {reason}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
