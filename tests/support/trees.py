"""Other states of the engine's sources, each in a folder of its own: of a commit, or compiled."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

ROOT = Path(__file__).parents[2]


def at_commit(commit: str, folder: Path) -> Path:
    """Put the engine of a commit into a new folder, and return it."""
    folder.mkdir()
    archive = subprocess.run(
        ["git", "archive", commit, "engine"], cwd=ROOT, check=True, stdout=subprocess.PIPE
    ).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
    return folder


def copy(folder: Path, *names: str) -> Path:
    """Copy the engine, what builds it, and these folders, nothing compiled, into a folder; return it."""
    for name in ("engine", *names):
        copytree(ROOT / name, folder / name, ignore=ignore_patterns("*.so", "compiled.txt", "__pycache__"))
    (folder / "setup.py").write_bytes((ROOT / "setup.py").read_bytes())
    return folder


def python(folder: Path, *arguments: str, **environment: str) -> str:
    """Run Python with the sources in a folder, which must succeed; return what it prints."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(folder: Path, **environment: str) -> Path:
    """Build the copy in a folder as `make fast` does, and return it."""
    python(folder, "setup.py", "build_ext", "--inplace", **{"FUDABA_ACCELERATE": "1", **environment})
    return folder
