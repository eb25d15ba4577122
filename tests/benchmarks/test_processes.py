"""CPU by role, also when processes end while it is measured."""

import subprocess
import sys

import psutil
from support import processes


def test_times_below_nothing_are_paid_by_the_greatest() -> None:
    found = processes.without_debts({"worker": 9.0, "api": 1.0, "modules": -2.5})
    assert found == {"worker": 6.5, "api": 1.0, "modules": 0.0}
    assert processes.without_debts({"worker": 2.0, "api": 1.0, "modules": -2.5}) == {
        "worker": 0.0,
        "api": 0.5,
        "modules": 0.0,
    }
    assert processes.without_debts({"worker": 1.0}) == {"worker": 1.0}


def test_a_process_that_ends_leaves_no_role_below_nothing() -> None:
    busy = "import sys, time\nwhile time.process_time() < 0.2: pass\nprint(flush=True)\nsys.stdin.read()"
    command = [sys.executable, "-c", busy, "zygote"]  # by which it counts as modules
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        before = processes.cpu_seconds(psutil.Process())
        child.communicate(timeout=60)
    spent = processes.cpu_seconds(psutil.Process(), before)
    assert before["modules"] > 0
    assert min(spent.values()) >= 0
