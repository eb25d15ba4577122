"""The system call filters, run instruction by instruction for both machines."""

import struct

import pytest

from workers.runtimes import seccomp
from workers.runtimes.seccomp import MACHINES, Machine

ALLOW, EPERM, ENOTTY, ENOSYS, KILL = 0x7FFF0000, 0x50001, 0x50019, 0x50026, 0x80000000
THREAD, FORK = 0x3D0F00, 0x1200011
NEVER = """
    execve prctl seccomp setresuid setgroups capset prlimit64 setrlimit landlock_create_ruleset wait4
    chdir umask
"""


def run(program: bytes, number: int, first: int = 0, second: int = 0, arch: int = 0) -> int:
    """What the kernel would do with a system call."""
    data = struct.pack("<IIQQQ", number, arch, 0, first, second)
    code = list(struct.iter_unpack("<HBBI", program))
    accumulator = at = 0
    while True:
        operation, if_true, if_false, value = code[at]
        at += 1
        if operation == 0x20:
            accumulator = struct.unpack_from("<I", data, value)[0]
        elif operation == 0x06:
            assert isinstance(value, int)
            return value
        else:
            holds = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[operation]
            at += if_true if holds else if_false


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> Machine:
    """Each machine that there is a table for."""
    return MACHINES[request.param]


def test_a_bot_may_read_and_write_and_nothing_that_starts_or_changes(machine: Machine) -> None:
    program, arch = seccomp.bot_program(machine), machine.audit_arch
    for name in ("read", "write", "mmap", "futex", "exit_group", "openat", "clock_gettime"):
        assert run(program, machine.numbers[name], arch=arch) == ALLOW
    for name in NEVER.split():
        assert run(program, machine.numbers[name], arch=arch) == EPERM


def test_the_start_may_exec_and_confine_itself(machine: Machine) -> None:
    program, arch = seccomp.startup_program(machine), machine.audit_arch
    for name in NEVER.split():
        assert run(program, machine.numbers[name], arch=arch) == ALLOW


def test_what_is_in_no_table_is_refused(machine: Machine) -> None:
    program, arch = seccomp.bot_program(machine), machine.audit_arch
    known = set(machine.numbers.values())
    for number in set(range(600)) - known:
        assert run(program, number, arch=arch) == EPERM


def test_another_abi_kills(machine: Machine) -> None:
    program = seccomp.bot_program(machine)
    assert run(program, 0, arch=0x40000003) == KILL
    if machine.has_x32:
        assert run(program, 0x40000000, arch=machine.audit_arch) == KILL


def test_clone_makes_threads_only(machine: Machine) -> None:
    program, arch = seccomp.bot_program(machine), machine.audit_arch
    clone = machine.numbers["clone"]
    assert run(program, clone, first=THREAD, arch=arch) == ALLOW
    assert run(program, clone, first=FORK, arch=arch) == EPERM
    assert run(program, clone, first=THREAD | 0x10000000, arch=arch) == EPERM
    assert run(program, machine.numbers["clone3"], arch=arch) == ENOSYS


def test_ioctl_and_fcntl_are_allowed_in_harmless_forms_only(machine: Machine) -> None:
    program, arch = seccomp.bot_program(machine), machine.audit_arch
    ioctl, fcntl = machine.numbers["ioctl"], machine.numbers["fcntl"]
    assert run(program, ioctl, second=0x5401, arch=arch) == ALLOW
    assert run(program, ioctl, second=0x5412, arch=arch) == ENOTTY
    for command in (0, 1, 2, 3, 4, 1030):
        assert run(program, fcntl, second=command, arch=arch) == ALLOW
    for command in (8, 10, 1026, 1033):
        assert run(program, fcntl, second=command, arch=arch) == EPERM
