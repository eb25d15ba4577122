"""`fudaba demo` where it cannot begin: how it ends, and that nothing is run without a sandbox."""

import os
import subprocess
import sys
from pathlib import Path

COMMAND = (sys.executable, "-c", "from api.commands import main; main()", "demo")


def demo(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], env={**os.environ, **env}, capture_output=True, text=True, timeout=60
    )


def test_without_a_safe_sandbox_it_ends_with_3_whatever_is_allowed() -> None:
    ended = demo(FUDABA_SANDBOX="none", FUDABA_UNSAFE_SANDBOX="true")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "no safe sandbox on this machine (none: " in ended.stderr
    assert "install bubblewrap" in ended.stderr


def test_a_record_that_cannot_be_written_is_a_mistake_of_usage(tmp_path: Path) -> None:
    ended = demo("--record", str(tmp_path / "none" / "record"))
    assert ended.returncode == 2
    assert "cannot be written: No such file or directory" in ended.stderr
